/** Replaces the package `linkify-it` in pages. Finds only addresses with a scheme, since bare host names may be file names. */

/** The format that markdown-it expects; offsets in UTF-16 units, end exclusive. */
interface Match {
  readonly schema: string;
  readonly index: number;
  readonly lastIndex: number;
  readonly text: string;
  readonly url: string;
}

/** In UTF-16 units. Exceeds the maximum length of a link, so that longer ones are recognized as too long. */
const maxLooked = 5_000;

const separators = String.raw`\p{Z}\p{Cc}<>｜`;
const letter = String.raw`[^\p{P}${separators}]`;
const inBrackets = String.raw`[^${separators}"()[\]{}]{0,400}`;
/** Brackets belong to an address only in pairs. Bounded to limit backtracking. */
const brackets = bracketsAround(`${inBrackets}(?:${bracketsAround(inBrackets)}${inBrackets}){0,9}`);
const plain = String.raw`${letter}|[\\/@#%&*_-]`;
/** Punctuation belongs to an address only when more of it follows. */
const rest = String.raw`(?:${plain}|[.,:;!?]+(?=${plain})|'(?=${letter})|${brackets})*`;
const host = String.raw`(?:\[[\da-f:.]+\]|${letter}+(?:[._-]+${letter}+)*)(?::\d+)?`;
const file = String.raw`file:\/\/\/?[^\s<>"'\x60()[\]]*[^\s<>"'\x60()[\].,:;!?]`;
const address = String.raw`(?:https?:\/\/${host}(?:[/?#]${rest})?|${file})`;

const anywhere = new RegExp(String.raw`(?<![^\p{P}${separators}]|_)${address}`, 'giu');
const atStart = new RegExp(`^${address}`, 'iu');

export class LinkifyIt {
  /** A quick check whether the text may contain addresses. */
  test(text: string): boolean {
    return text.includes('://');
  }

  match(text: string): Match[] {
    return [...text.matchAll(anywhere)].map(matchOf);
  }

  matchAtStart(text: string): Match | null {
    const found = atStart.exec(text.slice(0, maxLooked));
    return found && matchOf(found);
  }
}

function bracketsAround(content: string): string {
  return String.raw`(?:\(${content}\)|\[${content}\]|\{${content}\})`;
}

function matchOf({ 0: text, index }: RegExpExecArray): Match {
  return { schema: text.slice(0, text.indexOf('/')), index, lastIndex: index + text.length, text, url: text };
}
