import { TimedGlobs } from '../../editor/common/timedGlobs';
import { ToolError } from './toolError';

/** Whether a path relative to its folder, with `/`, is one of those that a glob means. Without a glob: all are. */
export function includeFilter(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  try {
    // As ripgrep has it: a glob without a slash is of names, in any folder.
    const matches = new TimedGlobs(undefined, { dot: true, basename: !glob.includes('/') }).compile(
      [glob.replace(/^\.?\//u, '')],
      () => undefined,
    );
    // One that could take too long is not run: then too much is better than too little.
    return (path) => matches(path) !== false;
  } catch {
    throw new ToolError(`"${glob}" is not a glob. Use one such as src/**/*.ts.`);
  }
}
