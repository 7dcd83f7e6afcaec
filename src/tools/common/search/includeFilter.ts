import type { RunInTime } from '../../../base/common/timedRun';
import { TimedGlobs } from '../../../editor/common/timedGlobs';
import { ToolError } from '../toolError';

/**
 * Whether a path relative to its folder, with `/`, is one of those that a glob means; a glob without a slash is of names.
 * Without a glob: all are. @throws ToolError for what is no glob; the function too, for one that takes too long
 */
export function includeFilter(glob: string | undefined, runInTime: RunInTime): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const matches = compile(glob, runInTime);
  return (path) => {
    const isMatch = matches(path);
    if (isMatch === undefined) throw new ToolError(`"${glob}" takes too long. Use a glob with fewer groups.`);
    return isMatch;
  };
}

/** The folders that the glob begins with, `src/a` of `src/a/**`; empty when it may match anywhere. */
export function folderOf(glob: string | undefined): string {
  const steps = (glob ?? '')
    .replace(/^\.?\//u, '')
    .split('/')
    .slice(0, -1);
  const first = steps.findIndex((step) => /[*?[\]{}()!+@|\\]/u.test(step) || step === '' || step === '..');
  return (first === -1 ? steps : steps.slice(0, first)).join('/');
}

function compile(glob: string, runInTime: RunInTime): (path: string) => boolean | undefined {
  try {
    const options = { dot: true, basename: !glob.includes('/') };
    return new TimedGlobs(runInTime, options).compile([glob.replace(/^\.?\//u, '')], () => undefined);
  } catch {
    throw new ToolError(`"${glob}" is not a glob. Use one such as src/**/*.ts.`);
  }
}
