import type { RunInTime } from '../../base/common/timedRun';
import { isAbsolutePath, toSlashes } from './boundary';
import { looseMatcher, TimedGlobs } from './timedGlobs';

/** A name that a file has: its path, and where it has a link in it, also the one that it leads to. */
export interface FileName {
  /** Absolute. */
  readonly path: string;
  /** The tail of it below the workspace folder; empty for the folder itself. */
  readonly relativePath: string;
}

export interface BadPattern {
  readonly pattern: string;
  readonly reason: string;
}

export interface GlobOptions {
  /** Limits how long a glob may take. Without it no glob that may be slow is run, and more than it names matches. */
  readonly runInTime?: RunInTime;
  /** A glob took too long: from now on it matches every path with the same names in it. */
  readonly onSlow?: (pattern: string) => void;
}

/** What a glob is matched against. */
export interface GlobTarget {
  /** For globs without a slash; this one and all others with `/` between names. */
  readonly names: string;
  /** For globs with a slash inside. */
  readonly below: string;
  /** For globs that start with `**` + slash. */
  readonly anywhere: string;
  /** For globs that are an absolute path. */
  readonly whole: string;
}

interface GlobRule {
  /** As it was given. */
  readonly pattern: string;
  /** False for an exception. */
  readonly isOn: boolean;
  readonly matches: (target: GlobTarget) => boolean;
}

/**
 * Compiled globs (`/` separates names on every system). Letters match in either case, leading dots need no special care,
 * and a pattern that names a folder holds for all that is in it. What a pattern is matched against:
 *
 * - no slash (`.env*`): every name in a path;
 * - slash inside (`config/secret.json`): the path relative to the workspace folder, from its start;
 * - `**` + slash first: the end of a path;
 * - an absolute path: the whole path.
 *
 * A `!` before a glob makes it an exception. The last pattern that matches a path decides. Where a pattern takes too long
 * to say, it matches if the path has the names of the pattern, and an exception makes none.
 */
export class GlobRules {
  /** Patterns that are not globs; they match nothing. */
  readonly bad: readonly BadPattern[];
  /** The last one first. */
  private readonly rules: readonly GlobRule[];

  /** `known` are known to be fast, and no time is measured for them. */
  constructor(patterns: readonly string[], known: ReadonlySet<string>, options: GlobOptions = {}) {
    const { runInTime, onSlow = () => undefined } = options;
    const rules: GlobRule[] = [];
    const bad: BadPattern[] = [];
    const globs = new TimedGlobs(runInTime, globOptions);
    const fast = new TimedGlobs((work) => work(), globOptions);
    for (const pattern of patterns) {
      try {
        rules.unshift(compile(pattern, known.has(pattern) ? fast : globs, onSlow));
      } catch (error) {
        bad.push({ pattern, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    this.rules = rules;
    this.bad = bad;
  }

  /** The rule that holds for the file; undefined when no pattern matches. */
  decisive(target: GlobTarget): GlobRule | undefined {
    return this.rules.find(({ matches }) => matches(target));
  }
}

/** The path with `/` between names, and the part of it that is below the workspace folder. */
export function slashed({ path, relativePath }: FileName): { readonly whole: string; readonly below: string } {
  const whole = toSlashes(path);
  return { whole: composed(whole), below: relativePath === '' ? '' : composed(whole.slice(-relativePath.length)) };
}

/** macOS keeps `é` as one character or as two, and takes both for the same name. */
function composed(text: string): string {
  return text.normalize('NFC');
}

const globOptions = { dot: true, nocase: true, strictBrackets: true, nonegate: true };

/** @throws Error when the pattern is empty or too long, or leaves a bracket open */
function compile(pattern: string, globs: TimedGlobs, onSlow: (pattern: string) => void): GlobRule {
  const isException = /^!(?!\()/.test(pattern);
  const glob = composed(isException ? pattern.slice(1) : pattern).replace(/\/+$/, '');
  if (glob === '') throw new Error('it is empty');
  const target = targetOf(glob);
  const full = target === 'names' ? `**/${glob}` : target === 'below' ? glob.replace(/^\.\//, '') : glob;
  const matches = globs.compile([full, `${full}/**`], () => onSlow(pattern));
  const matchesLoosely = looseMatcher(full);
  return {
    pattern,
    isOn: !isException,
    matches: ({ [target]: path }) => matches(path) ?? (!isException && matchesLoosely(path)),
  };
}

function targetOf(glob: string): keyof GlobTarget {
  if (isAbsolutePath(glob)) return 'whole';
  if (glob.startsWith('**/')) return 'anywhere';
  return glob.includes('/') ? 'below' : 'names';
}
