import picomatch from 'picomatch';
import { messageOf } from '../../../base/common/errors';
import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';

export interface SelectorGlob {
  readonly isMatch: (path: string) => boolean;
  readonly isNegated: boolean;
}

/**
 * Maximum number of slow globs, each of which blocks the extension host once. After that, no potentially slow glob is
 * run.
 */
const maxSlowGlobs = 3;
const maxCachedPaths = 200;
/** Length in UTF-16 units up to which globs without groups and with few stars are always matched fast. */
const longPathLength = 1_000;

/**
 * The globs of one provider, which mean what they mean in picomatch. Because some of these cause catastrophic backtracking, they
 * are matched with a time limit. A glob that is invalid or too slow matches nothing and is reported as a problem.
 */
export class SelectorGlobSet {
  private readonly foundProblems: string[] = [];
  private slowCount = 0;

  constructor(private readonly runWithTimeLimit: RunWithTimeLimit) {}

  get problems(): readonly string[] {
    return [...this.foundProblems];
  }

  compile(path: string): SelectorGlob | undefined {
    const glob = path.replace(/^(!?)\//, '$1');
    try {
      const isMatch = mayBeSlow(glob) ? this.createTimedMatcher(glob, path) : this.createFastMatcher(glob, path);
      return { isMatch, isNegated: picomatch.scan(glob).negated };
    } catch (error) {
      this.addProblem(path, messageOf(error));
      return undefined;
    }
  }

  private createFastMatcher(glob: string, path: string): SelectorGlob['isMatch'] {
    const isMatch = createMatcher(glob);
    let longPathMatcher: SelectorGlob['isMatch'] | undefined;
    return (candidate) =>
      candidate.length <= longPathLength
        ? isMatch(candidate)
        : (longPathMatcher ??= this.createTimedMatcher(glob, path))(candidate);
  }

  /** Caches results, because measuring the time is slower than most matches. */
  private createTimedMatcher(glob: string, path: string): SelectorGlob['isMatch'] {
    let isMatch = this.runWithLimit(() => createMatcher(glob), path);
    const resultByPath = new Map<string, boolean>();
    return (candidate) => {
      if (!isMatch) return false;
      const cached = resultByPath.get(candidate);
      if (cached !== undefined) return cached;
      const test = isMatch;
      const result = this.runWithLimit(() => test(candidate), path);
      if (result === undefined) {
        isMatch = undefined;
        return false;
      }
      if (resultByPath.size === maxCachedPaths) resultByPath.clear();
      resultByPath.set(candidate, result);
      return result;
    };
  }

  private runWithLimit<T>(work: () => T, path: string): T | undefined {
    if (this.slowCount === maxSlowGlobs) return undefined;
    const result = this.runWithTimeLimit(work);
    if (result !== undefined) return result;
    this.addProblem(path, 'it takes too long. Simplify it');
    if (++this.slowCount === maxSlowGlobs)
      this.foundProblems.push('Other complex globs of this provider are also ignored.');
    return undefined;
  }

  private addProblem(path: string, why: string): void {
    this.foundProblems.push(`The selector’s glob "${path.slice(0, 200)}" cannot be used: ${why}.`);
  }
}

function createMatcher(glob: string): (path: string) => boolean {
  const isMatch = picomatch(glob, { dot: true, maxLength: 1_000 });
  return (path) => isMatch(path);
}

/** Whether a glob has nested groups or many stars or braces, which could cause exponential backtracking. */
function mayBeSlow(glob: string): boolean {
  return /[(+]/.test(glob) || (glob.match(/\*+|\{/g)?.length ?? 0) > 3;
}
