import type { RunWithTimeLimit } from '../../base/common/runWithTimeLimit';
import { isAbsolutePath, withForwardSlashes } from './boundary';
import { createLooseMatcher, TimedGlobs } from './timedGlobs';

/** A path of a file. Through links, one file can have several paths. */
export interface WorkspacePath {
  /** Absolute path of the file. */
  readonly path: string;
  /** Path relative to the workspace folder; empty for the folder itself. */
  readonly relativePath: string;
}

export interface InvalidPattern {
  readonly pattern: string;
  readonly reason: string;
}

export interface GlobTimeLimitOptions {
  /** Limits the time of each match. Without it, slow globs are not run, and match paths with their literal names. */
  readonly runWithTimeLimit?: RunWithTimeLimit;
  /** Called when a glob exceeds the time limit. It then matches every path that contains its literal names. */
  readonly onSlow?: (pattern: string) => void;
}

/** The forms of one path that globs are matched against, all with `/` as separator. */
export interface GlobTarget {
  /** The form for globs without a slash. */
  readonly forNameGlobs: string;
  /** The form for globs with a slash inside. */
  readonly forRelativeGlobs: string;
  /** The form for globs that start with `**` and a slash. */
  readonly forSuffixGlobs: string;
  /** The form for absolute globs. */
  readonly forAbsoluteGlobs: string;
}

interface GlobRule {
  /** The pattern as configured, including a leading `!`. */
  readonly pattern: string;
  readonly isException: boolean;
  readonly matches: (target: GlobTarget) => boolean;
}

/**
 * Compiled globs with `/` as separator on every system. Matching ignores case and includes dotfiles. A pattern for a
 * folder also matches its contents. The form of a pattern decides what it matches:
 *
 * - no slash (`.env*`): any name in the path
 * - a slash inside (`config/secret.json`): the path relative to the workspace folder
 * - a leading `**` and slash: the end of the path
 * - an absolute path: the whole path
 *
 * A leading `!` makes an exception. The last matching pattern wins. A pattern that is too slow matches every path that
 * contains its literal names; a slow exception matches nothing.
 */
export class GlobRules {
  /** Invalid patterns, which match nothing. */
  readonly invalidPatterns: readonly InvalidPattern[];
  /** The rules in reverse order of the patterns, so that the first match is the last matching pattern. */
  private readonly rules: readonly GlobRule[];

  /** Globs in `trustedGlobs` are known to be fast and run without a time limit. */
  constructor(patterns: readonly string[], trustedGlobs: ReadonlySet<string>, options: GlobTimeLimitOptions = {}) {
    const { runWithTimeLimit, onSlow = () => undefined } = options;
    const rules: GlobRule[] = [];
    const bad: InvalidPattern[] = [];
    const globs = new TimedGlobs(runWithTimeLimit, globOptions);
    const fast = new TimedGlobs((work) => work(), globOptions);
    for (const pattern of patterns) {
      try {
        rules.unshift(compileRule(pattern, trustedGlobs.has(pattern) ? fast : globs, onSlow));
      } catch (error) {
        bad.push({ pattern, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    this.rules = rules;
    this.invalidPatterns = bad;
  }

  /** Returns the rule of the last matching pattern. */
  findLastMatch(target: GlobTarget): GlobRule | undefined {
    return this.rules.find(({ matches }) => matches(target));
  }
}

/** Returns the absolute and the relative path with `/` as separator and in Unicode normal form C. */
export function normalizedPaths({ path, relativePath }: WorkspacePath): {
  readonly whole: string;
  readonly below: string;
} {
  const whole = withForwardSlashes(path);
  return { whole: toNfc(whole), below: relativePath === '' ? '' : toNfc(whole.slice(-relativePath.length)) };
}

/** Converts decomposed characters to composed ones, because macOS treats them as equal in names. */
function toNfc(text: string): string {
  return text.normalize('NFC');
}

const globOptions = { dot: true, nocase: true, strictBrackets: true, nonegate: true };

/** @throws Error if the pattern is empty, too long or has an unclosed bracket */
function compileRule(pattern: string, globs: TimedGlobs, onSlow: (pattern: string) => void): GlobRule {
  const isException = /^!(?!\()/.test(pattern);
  const glob = toNfc(isException ? pattern.slice(1) : pattern).replace(/\/+$/, '');
  if (glob === '') throw new Error('it is empty');
  const target = targetKeyOf(glob);
  const full =
    target === 'forNameGlobs' ? `**/${glob}` : target === 'forRelativeGlobs' ? glob.replace(/^\.\//, '') : glob;
  const matches = globs.compile([full, `${full}/**`], () => onSlow(pattern));
  let looseMatcher: ((path: string) => boolean) | undefined;
  const matchesLoosely = (path: string): boolean => (looseMatcher ??= createLooseMatcher(full))(path);
  return {
    pattern,
    isException,
    matches: ({ [target]: path }) => matches(path) ?? (!isException && matchesLoosely(path)),
  };
}

function targetKeyOf(glob: string): keyof GlobTarget {
  if (isAbsolutePath(glob)) return 'forAbsoluteGlobs';
  if (glob.startsWith('**/')) return 'forSuffixGlobs';
  return glob.includes('/') ? 'forRelativeGlobs' : 'forNameGlobs';
}
