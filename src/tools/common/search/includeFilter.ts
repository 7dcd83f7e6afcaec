import { messageOf } from '../../../base/common/errors';
import { GlobMatcher } from '../../../editor/common/glob/globMatcher';
import { ToolError } from '../toolError';

/** Matches `/`-separated relative paths; a glob without a slash matches names. @throws ToolError for an invalid glob */
export function includeFilter(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const matcher = compileGlob(glob);
  return glob.includes('/')
    ? (path) => matcher.isMatch(path)
    : (path) => matcher.isMatch(path.slice(path.lastIndexOf('/') + 1));
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

function compileGlob(glob: string): GlobMatcher {
  try {
    return new GlobMatcher(glob.replace(/^\.?\//u, ''), { canNegate: true });
  } catch (error) {
    throw new ToolError(`"${glob}" is not a glob: ${messageOf(error)}. Use one such as src/**/*.ts.`);
  }
}
