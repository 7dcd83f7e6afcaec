import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import { TimedGlobs } from '../../../editor/common/timedGlobs';
import { ToolError } from '../toolError';

/** Matches `/`-separated relative paths; a glob without a slash matches names. @throws ToolError for an invalid glob */
export function includeFilter(glob: string | undefined, runWithTimeLimit: RunWithTimeLimit): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const matches = compileGlob(glob, runWithTimeLimit);
  return (path) => {
    const isMatch = matches(path);
    if (isMatch === undefined) throw new ToolError(`"${glob}" takes too long. Use a glob with fewer groups.`);
    return isMatch;
  };
}

/** The literal folders that a glob starts with, `src/a` for `src/a/**`; empty if it may match anywhere. */
export function literalFolderOf(glob: string | undefined): string {
  const steps = (glob ?? '')
    .replace(/^\.?\//u, '')
    .split('/')
    .slice(0, -1);
  const first = steps.findIndex((step) => /[*?[\]{}()!+@|\\]/u.test(step) || step === '' || step === '..');
  return (first === -1 ? steps : steps.slice(0, first)).join('/');
}

function compileGlob(glob: string, runWithTimeLimit: RunWithTimeLimit): (path: string) => boolean | undefined {
  try {
    const options = { dot: true, basename: !glob.includes('/') };
    return new TimedGlobs(runWithTimeLimit, options).compile([glob.replace(/^\.?\//u, '')], () => undefined);
  } catch {
    throw new ToolError(`"${glob}" is not a glob. Use one such as src/**/*.ts.`);
  }
}
