import { messageOf } from '../../base/common/errors';
import { isAbsolutePath, withForwardSlashes } from './boundary';
import { foldCase, GlobMatcher } from './glob/globMatcher';

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
 * A leading `!` makes an exception. The last matching pattern wins. `(?!/)` at the end of a pattern means that it matches
 * files, but not what is in a folder of that name.
 */
export class GlobRules {
  /** Invalid patterns, which match nothing. */
  readonly invalidPatterns: readonly InvalidPattern[];
  /** The rules in reverse order of the patterns, so that the first match is the last matching pattern. */
  private readonly rules: readonly GlobRule[];

  constructor(patterns: readonly string[]) {
    const rules: GlobRule[] = [];
    const bad: InvalidPattern[] = [];
    for (const pattern of patterns) {
      try {
        rules.unshift(compileRule(pattern));
      } catch (error) {
        bad.push({ pattern, reason: messageOf(error) });
      }
    }
    this.rules = rules;
    this.invalidPatterns = bad;
  }

  /** Returns the rule of the last matching pattern. */
  findLastMatch({
    forNameGlobs,
    forRelativeGlobs,
    forSuffixGlobs,
    forAbsoluteGlobs,
  }: GlobTarget): GlobRule | undefined {
    const folded: GlobTarget = {
      forNameGlobs: foldCase(forNameGlobs),
      forRelativeGlobs: foldCase(forRelativeGlobs),
      forSuffixGlobs: foldCase(forSuffixGlobs),
      forAbsoluteGlobs: foldCase(forAbsoluteGlobs),
    };
    return this.rules.find(({ matches }) => matches(folded));
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

const fileMark = '(?!/)';

/** @throws Error if the pattern is empty or no valid glob */
function compileRule(pattern: string): GlobRule {
  const isException = /^!(?!\()/.test(pattern);
  const glob = toNfc(isException ? pattern.slice(1) : pattern).replace(/\/+$/, '');
  if (glob === '') throw new Error('it is empty');
  const target = targetKeyOf(glob);
  const full =
    target === 'forNameGlobs' ? `**/${glob}` : target === 'forRelativeGlobs' ? glob.replace(/^\.\//, '') : glob;
  const isForFiles = full.endsWith(fileMark);
  const matcher = new GlobMatcher(isForFiles ? full.slice(0, -fileMark.length) : full, {
    ignoresCase: true,
    includesContents: !isForFiles,
  });
  return { pattern, isException, matches: ({ [target]: path }) => matcher.isMatch(path) };
}

function targetKeyOf(glob: string): keyof GlobTarget {
  if (isAbsolutePath(glob)) return 'forAbsoluteGlobs';
  if (glob.startsWith('**/')) return 'forSuffixGlobs';
  return glob.includes('/') ? 'forRelativeGlobs' : 'forNameGlobs';
}
