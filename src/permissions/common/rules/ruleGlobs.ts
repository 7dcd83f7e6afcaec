import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import { withForwardSlashes } from '../../../editor/common/boundary';
import { createLooseMatcher, TimedGlobs, type TimedMatcher } from '../../../editor/common/timedGlobs';

interface RuleGlobsDeps {
  readonly runWithTimeLimit: RunWithTimeLimit;
  /**
   * Called once for each glob that exceeds the time limit. Its rules then allow nothing, and deny paths with its names.
   */
  readonly onSlow: (glob: string) => void;
}

/** Maximum number of cached globs. At least the maximum number of rules, so that no rule's glob is evicted. */
const maxGlobs = 1_000;

/** Compiles and caches globs of rules. */
export class RuleGlobs {
  private readonly matchersByGlob = new Map<string, TimedMatcher>();
  private timedGlobs: TimedGlobs;

  constructor(private readonly deps: RuleGlobsDeps) {
    this.timedGlobs = this.createGlobs();
  }

  /** `path` is absolute. A glob also matches the path that equals it. A timeout never allows a path. */
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
