import type { RunInTime } from '../../../base/common/timedRun';
import { toSlashes } from '../../../editor/common/boundary';
import { looseMatcher, TimedGlobs, type TimedMatch } from '../../../editor/common/timedGlobs';

interface RuleGlobsOptions {
  /** Limits how long a glob may take. */
  readonly runInTime: RunInTime;
  /** A glob took too long: its rules allow nothing, and deny every path with the names in it. Called once for each. */
  readonly onSlow: (glob: string) => void;
}

/** As many as there are rules. */
const maxGlobs = 1_000;

/** The globs of rules, each compiled once. */
export class RuleGlobs {
  private readonly compiled = new Map<string, TimedMatch>();
  private globs: TimedGlobs;

  constructor(private readonly options: RuleGlobsOptions) {
    this.globs = this.timed();
  }

  /** `path` is absolute. A glob is also the one path that it spells. What cannot be told in time counts as denied. */
  isMatch(glob: string, path: string, effect: 'allow' | 'deny'): boolean {
    if (path === glob) return true;
    return this.matcherOf(glob)(toSlashes(path)) ?? (effect === 'deny' && looseMatcher(toSlashes(glob))(path));
  }

  private matcherOf(glob: string): TimedMatch {
    const known = this.compiled.get(glob);
    if (known) return known;
    if (this.compiled.size >= maxGlobs) {
      this.compiled.clear();
      this.globs = this.timed();
    }
    const matcher = this.compile(glob);
    this.compiled.set(glob, matcher);
    return matcher;
  }

  private compile(glob: string): TimedMatch {
    try {
      return this.globs.compile([toSlashes(glob)], () => this.options.onSlow(glob));
    } catch {
      // Too long for a glob.
      return () => undefined;
    }
  }

  private timed(): TimedGlobs {
    return new TimedGlobs(this.options.runInTime, { dot: true });
  }
}
