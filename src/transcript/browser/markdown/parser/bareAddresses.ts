/** Replaces the package `linkify-it`. Finds only addresses with a scheme: bare host names may be file names. */

/** The result type that markdown-it expects. Offsets are in UTF-16 units, end exclusive. */
interface AddressMatch {
  readonly schema: string;
  readonly index: number;
  readonly lastIndex: number;
  readonly text: string;
  readonly url: string;
}

/**
 * Maximum length of an address that is matched, in UTF-16 units. It is greater than the maximum length of a link, so
 * that longer links are recognized as too long.
 */
const maxAddressUnits = 5_000;

const separators = String.raw`\p{Z}\p{Cc}<>｜`;
const letterPattern = String.raw`[^\p{P}${separators}]`;
const bracketContentPattern = String.raw`[^${separators}"()[\]{}]{0,400}`;
/** Brackets are part of an address only in pairs. The pattern limits their length to limit backtracking. */
const bracketsPattern = bracketedPattern(
  `${bracketContentPattern}(?:${bracketedPattern(bracketContentPattern)}${bracketContentPattern}){0,9}`,
);
const plainPattern = String.raw`${letterPattern}|[\\/@#%&*_-]`;
/** Punctuation is part of an address only if more of the address follows. */
const restPattern = String.raw`(?:${plainPattern}|[.,:;!?]+(?=${plainPattern})|'(?=${letterPattern})|${bracketsPattern})*`;
const hostPattern = String.raw`(?:\[[\da-f:.]+\]|${letterPattern}+(?:[._-]+${letterPattern}+)*)(?::\d+)?`;
const filePattern = String.raw`file:\/\/\/?[^\s<>"'\x60()[\]]*[^\s<>"'\x60()[\].,:;!?]`;
const addressPattern = String.raw`(?:https?:\/\/${hostPattern}(?:[/?#]${restPattern})?|${filePattern})`;

const addressAnywhere = new RegExp(String.raw`(?<![^\p{P}${separators}]|_)${addressPattern}`, 'giu');
const addressAtStart = new RegExp(`^${addressPattern}`, 'iu');

export class LinkifyIt {
  /** Checks quickly whether the text may contain addresses. */
  test(text: string): boolean {
    return text.includes('://');
  }

  match(text: string): AddressMatch[] {
    return [...text.matchAll(addressAnywhere)].map(toMatch);
  }

  matchAtStart(text: string): AddressMatch | null {
    const found = addressAtStart.exec(text.slice(0, maxAddressUnits));
    return found && toMatch(found);
  }
}

function bracketedPattern(content: string): string {
  return String.raw`(?:\(${content}\)|\[${content}\]|\{${content}\})`;
}

function toMatch({ 0: text, index }: RegExpExecArray): AddressMatch {
  return { schema: text.slice(0, text.indexOf('/')), index, lastIndex: index + text.length, text, url: text };
}
