import { decodePercentEscapes } from '../../../base/common/addresses/fileUri';
import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import type { DocumentSelector } from './contextProvider';
import { SelectorGlobSet, type SelectorGlob } from './selectorGlob';

/** Whether `any` or `all` selectors must match. Providers expect `any`; the published protocol requires `all`. */
export type SelectorCombination = 'any' | 'all';

/** A document that is matched against selectors. Its paths and its text are normalized only once, on first use. */
export class SelectableDocument {
  private paths: readonly string[] | undefined;
  private normalizedText: string | undefined;

  constructor(
    private readonly uri: string,
    private readonly text: () => string,
  ) {}

  matchesPath({ isMatch, isNegated }: SelectorGlob): boolean {
    this.paths ??= pathsOf(this.uri);
    // A negated glob must not match any spelling of the path.
    return isNegated ? this.paths.every(isMatch) : this.paths.some(isMatch);
  }

  contains(literal: string): boolean {
    this.normalizedText ??= withLineFeeds(this.text());
    return this.normalizedText.includes(literal);
  }
}

/** The compiled selectors of one provider. */
export class SelectorList {
  private constructor(
    private readonly tests: readonly ((target: SelectableDocument) => boolean)[] | undefined,
    private readonly combination: SelectorCombination,
    private readonly globs: SelectorGlobSet,
  ) {}

  /** Compiles selectors. `runWithTimeLimit` limits the time of globs. */
  static compile(
    selectors: readonly DocumentSelector[] | undefined,
    match: SelectorCombination,
    runWithTimeLimit: RunWithTimeLimit,
  ): SelectorList {
    const globs = new SelectorGlobSet(runWithTimeLimit);
    const tests = selectors?.map((selector) => compileOne(selector, globs));
    return new SelectorList(tests, match, globs);
  }

  /** Problems of selectors that are invalid and match nothing. `matches` may add further ones. */
  get problems(): readonly string[] {
    return this.globs.problems;
  }

  matches(target: SelectableDocument): boolean {
    if (!this.tests) return true;
    if (this.tests.length === 0) return false;
    return this.combination === 'all'
      ? this.tests.every((test) => test(target))
      : this.tests.some((test) => test(target));
  }
}

function compileOne(
  { path, contentContains }: DocumentSelector,
  globs: SelectorGlobSet,
): (target: SelectableDocument) => boolean {
  const literal = contentContains === undefined ? undefined : withLineFeeds(contentContains);
  const glob = path === undefined ? undefined : globs.compile(path);
  if (path !== undefined && glob === undefined) return () => false;
  return (target) =>
    (glob === undefined || target.matchesPath(glob)) && (literal === undefined || target.contains(literal));
}

/** Returns the spellings of a URI's path: with and without host name, encoded and decoded. Empty for an invalid URI. */
function pathsOf(uri: string): readonly string[] {
  const url = URL.parse(uri);
  if (!url) return [];
  const path = url.pathname.replace(/^\//, '');
  const spellings = url.hostname ? [path, `${url.hostname}/${path}`] : [path];
  return [...new Set(spellings.flatMap((spelling) => [spelling, decodePercentEscapes(spelling)]))];
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
