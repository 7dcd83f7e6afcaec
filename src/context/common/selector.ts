import picomatch from 'picomatch';
import { messageOf } from '../../base/common/errors';
import type { Selector } from './contextProvider';

/** Decides whether a provider is asked about a document. */

/** `any`: one selector is enough, as every real provider means it. `all` is the document's letter. */
export type SelectorMatch = 'any' | 'all';

/** A document as selectors see it; its text is made comparable once, when the first selector asks for it. */
export class SelectorTarget {
  private readonly paths: readonly string[];
  private normalised: string | undefined;

  constructor(
    uri: string,
    private readonly text: () => string,
  ) {
    this.paths = pathsOf(uri);
  }

  matchesPath({ isMatch, isNegated }: Glob): boolean {
    // A negated glob excludes what matches in any spelling.
    return isNegated ? this.paths.every(isMatch) : this.paths.some(isMatch);
  }

  contains(literal: string): boolean {
    this.normalised ??= withLineFeeds(this.text());
    return this.normalised.includes(literal);
  }
}

/** The compiled selectors of one provider. */
export class SelectorList {
  private constructor(
    private readonly tests: readonly ((target: SelectorTarget) => boolean)[] | undefined,
    private readonly match: SelectorMatch,
    /** Selectors that cannot be used; none of them matches anything. */
    readonly problems: readonly string[],
  ) {}

  static compile(selectors: readonly Selector[] | undefined, match: SelectorMatch): SelectorList {
    const problems: string[] = [];
    const tests = selectors?.map((selector) => compileOne(selector, (problem) => problems.push(problem)));
    return new SelectorList(tests, match, problems);
  }

  matches(target: SelectorTarget): boolean {
    if (!this.tests) return true;
    if (this.tests.length === 0) return false;
    return this.match === 'all' ? this.tests.every((test) => test(target)) : this.tests.some((test) => test(target));
  }
}

interface Glob {
  readonly isMatch: (path: string) => boolean;
  readonly isNegated: boolean;
}

function compileOne(
  { path, contentContains }: Selector,
  onProblem: (problem: string) => void,
): (target: SelectorTarget) => boolean {
  const literal = contentContains === undefined ? undefined : withLineFeeds(contentContains);
  const glob = path === undefined ? undefined : compileGlob(path, onProblem);
  if (glob === 'bad') return () => false;
  return (target) =>
    (glob === undefined || target.matchesPath(glob)) && (literal === undefined || target.contains(literal));
}

function compileGlob(path: string, onProblem: (problem: string) => void): Glob | 'bad' {
  const glob = path.replace(/^(!?)\//, '$1');
  try {
    const isMatch = picomatch(glob, { dot: true });
    return { isMatch: (candidate) => isMatch(candidate), isNegated: picomatch.scan(glob).negated };
  } catch (error) {
    onProblem(`The glob "${path.slice(0, 200)}" of a selector cannot be used: ${messageOf(error)}`);
    return 'bad';
  }
}

/** The path, and with a hostname before it, each as the URI spells it and decoded. None for what is no URI. */
function pathsOf(uri: string): readonly string[] {
  const url = URL.parse(uri);
  if (!url) return [];
  const path = url.pathname.replace(/^\//, '');
  const spellings = url.hostname ? [path, `${url.hostname}/${path}`] : [path];
  return [...new Set(spellings.flatMap((spelling) => [spelling, decoded(spelling)]))];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A stray percent sign is a letter like any other.
    return path;
  }
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
