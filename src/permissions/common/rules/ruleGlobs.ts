import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import { withForwardSlashes } from '../../../editor/common/boundary';
import { createLooseMatcher, TimedGlobs, type TimedMatcher } from '../../../editor/common/timedGlobs';

interface RuleGlobsDeps {
  readonly runWithTimeLimit: RunWithTimeLimit;
  /**
   * Called once for each glob that exceeds the time limit. Its allowing rules then match nothing, and its denying rules
   * match paths with the literal names of the glob.
   */
  readonly onSlow: (glob: string) => void;
}

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

/** Compiles and caches globs of rules. */
export class RuleGlobs {
  private readonly matchersByGlob = new Map<string, TimedMatcher>();
  private timedGlobs: TimedGlobs;

  constructor(private readonly deps: RuleGlobsDeps) {
    this.timedGlobs = this.createGlobs();
  }

  /** Whether a rule's glob matches an absolute path, which may be equal to it. A time-out never allows a path. */
  isMatch(glob: string, path: string, effect: 'allow' | 'deny'): boolean {
    if (path === glob) return true;
    return (
      this.matcherFor(glob)(withForwardSlashes(path)) ??
      (effect === 'deny' && createLooseMatcher(withForwardSlashes(glob))(path))
    );
  }

  private matcherFor(glob: string): TimedMatcher {
    const known = this.matchersByGlob.get(glob);
    if (known) return known;
    if (this.matchersByGlob.size >= maxGlobs) {
      this.matchersByGlob.clear();
      this.timedGlobs = this.createGlobs();
    }
    const matcher = this.compile(glob);
    this.matchersByGlob.set(glob, matcher);
    return matcher;
  }

  private compile(glob: string): TimedMatcher {
    try {
      return this.timedGlobs.compile([withForwardSlashes(glob)], () => this.deps.onSlow(glob));
    } catch {
      // The pattern is too long.
      return () => undefined;
    }
  }

  private createGlobs(): TimedGlobs {
    return new TimedGlobs(this.deps.runWithTimeLimit, { dot: true });
  }
}
