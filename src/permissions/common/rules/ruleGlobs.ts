import { messageOf } from '../../../base/common/errors';
import { withForwardSlashes } from '../../../editor/common/boundary';
import { GlobMatcher } from '../../../editor/common/glob/globMatcher';

/** Maximum number of cached globs. It is at least the maximum number of rules, so that no glob of a rule is evicted. */
const maxGlobs = 1_000;

/**
 * Returns the glob that matches a folder and everything in it, and nothing else, whatever is in its name. `folder` is an absolute path. The
 * glob has brackets instead of backslashes, because these separate folders on Windows.
 */
export function globOfFolder(folder: string): string {
  const plain = withForwardSlashes(folder).replace(/\/+$/, '');
  return `${plain.replace(/["!()*+?@[\]{|}]|\\/g, (letter) => (letter === '\\' ? '\\\\' : `[${letter}]`))}/**`;
}

/** Why what a user has typed is no glob for a rule. Undefined if it is one. */
export function globProblem(typed: string): string | undefined {
  const glob = typed.trim();
  return glob === '' ? 'Enter a path or a glob.' : compile(glob).problem;
}

/** Compiles and caches globs of rules. */
export class RuleGlobs {
  /** Undefined for a text that is no valid glob. */
  private readonly matchersByGlob = new Map<string, GlobMatcher | undefined>();

  /**
   * Whether a rule's glob matches an absolute path, which may be equal to it. A text that is no valid glob allows nothing
   * and denies everything.
   */
  isMatch(glob: string, path: string, effect: 'allow' | 'deny'): boolean {
    if (path === glob) return true;
    return this.matcherFor(glob)?.isMatch(withForwardSlashes(path)) ?? effect === 'deny';
  }

  private matcherFor(glob: string): GlobMatcher | undefined {
    if (this.matchersByGlob.has(glob)) return this.matchersByGlob.get(glob);
    if (this.matchersByGlob.size >= maxGlobs) this.matchersByGlob.clear();
    const { matcher } = compile(glob);
    this.matchersByGlob.set(glob, matcher);
    return matcher;
  }
}

function compile(glob: string): { readonly matcher?: GlobMatcher; readonly problem?: string } {
  try {
    return { matcher: new GlobMatcher(withForwardSlashes(glob), { canNegate: true }) };
  } catch (error) {
    return { problem: `This is not a valid glob: ${messageOf(error)}.` };
  }
}
