import picomatch from 'picomatch';
import type { RunInTime } from '../../base/common/timedRun';

/** Globs become regular expressions, and some of those backtrack for years. */

/** Undefined: it took too long, so nobody knows. */
export type TimedMatch = (path: string) => boolean | undefined;

/** How many globs of a set may take too long; each holds up the window once. */
const mostSlow = 3;
const mostPaths = 200;
/** UTF-16 units. Up to here a glob without groups and with few stars is fast. */
const longPath = 1_000;

/** The globs of one owner. One that took too long is not run again, and after three of those no other that may be slow. */
export class TimedGlobs {
  private slow = 0;

  /** Without `runInTime` no glob that may be slow is run. */
  constructor(
    private readonly runInTime: RunInTime | undefined,
    private readonly options: picomatch.PicomatchOptions,
  ) {}

  get isGivenUp(): boolean {
    return this.slow === mostSlow;
  }

  /** Several globs match when one of them does. `onSlow` is called once at most. @throws Error when one is no glob */
  compile(globs: readonly string[], onSlow: () => void): TimedMatch {
    const timed = this.timed(globs, onSlow);
    if (globs.some(mayTakeLong)) return timed();
    const isMatch = this.matcherOf(globs);
    let ofLongPaths: TimedMatch | undefined;
    return (path) => (path.length <= longPath ? isMatch(path) : (ofLongPaths ??= timed())(path));
  }

  /** Each path is asked once: measuring the time takes longer than most globs do. */
  private timed(globs: readonly string[], onSlow: () => void): () => TimedMatch {
    return () => {
      let isMatch = this.inTime(() => this.matcherOf(globs), onSlow);
      const known = new Map<string, boolean>();
      return (path) => {
        if (!isMatch) return undefined;
        const before = known.get(path);
        if (before !== undefined) return before;
        const test = isMatch;
        const matched = this.inTime(() => test(path), onSlow);
        if (matched === undefined) {
          isMatch = undefined;
          return undefined;
        }
        if (known.size === mostPaths) known.clear();
        known.set(path, matched);
        return matched;
      };
    };
  }

  private inTime<T>(work: () => T, onSlow: () => void): T | undefined {
    if (this.isGivenUp || !this.runInTime) return undefined;
    const result = this.runInTime(work);
    if (result !== undefined) return result;
    this.slow++;
    onSlow();
    return undefined;
  }

  private matcherOf(globs: readonly string[]): (path: string) => boolean {
    const isMatch = picomatch([...globs], this.options);
    return (path) => isMatch(path);
  }
}

/** Groups and repetitions can be within each other; stars and braces multiply. */
function mayTakeLong(glob: string): boolean {
  return /[(+]/.test(glob) || (glob.match(/\*+|\{/g)?.length ?? 0) > 3;
}

/**
 * A test that never backtracks and matches whatever the glob does, and more: the names in the glob, in their order, in
 * either case. For globs that are too slow where it is safer to match too much.
 */
export function looseMatcher(glob: string): (path: string) => boolean {
  const outside = withoutGroups(glob.toLowerCase());
  // Outside of a group it separates whole alternatives.
  const pieces = outside.includes('|') ? [] : (outside.match(/[\w.-]+/g) ?? []);
  // `./a` matches `a`, so a piece of dots alone need not be in the path.
  const names = pieces.filter((piece) => /[^.]/.test(piece));
  return (path) => {
    const text = path.toLowerCase();
    let from = 0;
    return names.every((name) => {
      const at = text.indexOf(name, from);
      from = at + name.length;
      return at !== -1;
    });
  };
}

/** Brackets, braces and parentheses with what is in them become a space. */
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
