import picomatch from 'picomatch';
import type { RunWithTimeLimit } from '../../base/common/runWithTimeLimit';

/** Whether the path matches. Undefined if matching took too long. */
export type TimedMatcher = (path: string) => boolean | undefined;

/**
 * Maximum number of slow globs, each of which blocks the extension host once. After that, no potentially slow glob is
 * run.
 */
const maxSlowGlobs = 3;
const maxCachedPaths = 200;
/** Length in UTF-16 units up to which globs without groups and with few stars are always matched fast. */
const longPathLength = 1_000;

/** Compiles globs to matchers with a time limit, because some globs cause catastrophic backtracking. */
export class TimedGlobs {
  private slowCount = 0;

  /** Without `runWithTimeLimit`, potentially slow globs are not run. */
  constructor(
    private readonly runWithTimeLimit: RunWithTimeLimit | undefined,
    private readonly options: picomatch.PicomatchOptions,
  ) {}

  get hasTooManySlowGlobs(): boolean {
    return this.slowCount === maxSlowGlobs;
  }

  /** The matcher accepts paths that match any glob. Calls `onSlow` at most once. @throws Error for an invalid glob */
  compile(globs: readonly string[], onSlow: () => void): TimedMatcher {
    const createTimed = (): TimedMatcher => this.createTimedMatcher(globs, onSlow);
    if (globs.some(mayBeSlow)) return createTimed();
    const isMatch = this.createMatcher(globs);
    let longPathMatcher: TimedMatcher | undefined;
    return (path) => (path.length <= longPathLength ? isMatch(path) : (longPathMatcher ??= createTimed())(path));
  }

  /** Caches results, because measuring the time is slower than most matches. */
  private createTimedMatcher(globs: readonly string[], onSlow: () => void): TimedMatcher {
    let isMatch = this.runWithLimit(() => this.createMatcher(globs), onSlow);
    const resultByPath = new Map<string, boolean>();
    return (path) => {
      if (!isMatch) return undefined;
      const cached = resultByPath.get(path);
      if (cached !== undefined) return cached;
      const test = isMatch;
      const result = this.runWithLimit(() => test(path), onSlow);
      if (result === undefined) {
        isMatch = undefined;
        return undefined;
      }
      if (resultByPath.size === maxCachedPaths) resultByPath.clear();
      resultByPath.set(path, result);
      return result;
    };
  }

  private runWithLimit<T>(work: () => T, onSlow: () => void): T | undefined {
    if (this.hasTooManySlowGlobs || !this.runWithTimeLimit) return undefined;
    const result = this.runWithTimeLimit(work);
    if (result !== undefined) return result;
    this.slowCount++;
    onSlow();
    return undefined;
  }

  private createMatcher(globs: readonly string[]): (path: string) => boolean {
    const isMatch = picomatch([...globs], this.options);
    return (path) => isMatch(path);
  }
}

/** Whether a glob has nested groups or many stars or braces, which could cause exponential backtracking. */
function mayBeSlow(glob: string): boolean {
  return /[(+]/.test(glob) || (glob.match(/\*+|\{/g)?.length ?? 0) > 3;
}

/**
 * Returns a fast approximation of a slow glob, for cases where it is safe to match too much. It matches paths that
 * contain the literal names of the glob in the same order, ignoring case.
 */
export function createLooseMatcher(glob: string): (path: string) => boolean {
  const outside = withoutGroups(glob.toLowerCase());
  // A top-level `|` separates alternatives, so no name is required.
  const pieces = outside.includes('|') ? [] : (outside.match(/[\w.-]+/g) ?? []);
  // `./a` matches `a`, so a piece with only dots is not required.
  const names = pieces.filter((piece) => /[^.]/.test(piece));
  return (path) => {
    const text = path.toLowerCase();
    let start = 0;
    return names.every((name) => {
      const index = text.indexOf(name, start);
      start = index + name.length;
      return index !== -1;
    });
  };
}

/** Replaces brackets, braces and parentheses, with their contents, by spaces. */
function withoutGroups(glob: string): string {
  let depth = 0;
  let outside = '';
  for (const [letter] of glob.matchAll(/\\.|[^]/g)) {
    const isEscaped = letter.length > 1;
    if (!isEscaped && '([{'.includes(letter)) depth++;
    if (depth === 0) outside += isEscaped ? ' ' : letter;
    else outside += ' ';
    if (!isEscaped && ')]}'.includes(letter)) depth = Math.max(0, depth - 1);
  }
  return outside;
}
