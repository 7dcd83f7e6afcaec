import picomatch from 'picomatch';
import { messageOf } from '../../base/common/errors';

/** Globs that providers say: they become regular expressions, and some of those would backtrack for years. */

/** Runs something, but not for long. @returns undefined when it took too long. @throws what it throws */
export type RunInTime = <T>(work: () => T) => T | undefined;

export interface Glob {
  readonly isMatch: (path: string) => boolean;
  readonly isNegated: boolean;
}

const options = { dot: true, maxLength: 1_000 };
/** Of a provider; each holds up the window once. */
const mostSlow = 3;
const mostPaths = 200;

/** The globs of one provider. One that cannot be used, or took too long, matches nothing and is a problem from then on. */
export class GlobSet {
  private readonly told: string[] = [];
  private slow = 0;

  constructor(private readonly runInTime: RunInTime) {}

  get problems(): readonly string[] {
    return [...this.told];
  }

  compile(path: string): Glob | undefined {
    const glob = path.replace(/^(!?)\//, '$1');
    try {
      const isMatch = mayTakeLong(glob) ? this.limited(path, glob) : matcherOf(glob);
      return { isMatch, isNegated: picomatch.scan(glob).negated };
    } catch (error) {
      this.tell(path, messageOf(error));
      return undefined;
    }
  }

  /** Asked once for each path: what counts the time takes longer than most globs. */
  private limited(path: string, glob: string): Glob['isMatch'] {
    let isMatch = this.inTime(path, () => matcherOf(glob));
    const known = new Map<string, boolean>();
    return (candidate) => {
      if (!isMatch) return false;
      const before = known.get(candidate);
      if (before !== undefined) return before;
      const test = isMatch;
      const matched = this.inTime(path, () => test(candidate));
      if (matched === undefined) isMatch = undefined;
      if (known.size === mostPaths) known.clear();
      known.set(candidate, matched ?? false);
      return matched ?? false;
    };
  }

  private inTime<T>(path: string, work: () => T): T | undefined {
    if (this.slow === mostSlow) return undefined;
    const result = this.runInTime(work);
    if (result !== undefined) return result;
    this.tell(path, 'it takes too long. Make it simpler');
    if (++this.slow === mostSlow) this.told.push('Its other globs with groups or many stars are not used either.');
    return undefined;
  }

  private tell(path: string, why: string): void {
    this.told.push(`The glob "${path.slice(0, 200)}" of a selector cannot be used: ${why}.`);
  }
}

/** Groups and repetitions can be within each other; stars and braces multiply. */
function mayTakeLong(glob: string): boolean {
  return /[(+]/.test(glob) || (glob.match(/\*+|\{/g)?.length ?? 0) > 3;
}

function matcherOf(glob: string): Glob['isMatch'] {
  const isMatch = picomatch(glob, options);
  return (path) => isMatch(path);
}
