import { escapeRegExp } from '../../../base/common/text/escapeRegExp';

interface RenameResult {
  readonly text: string;
  readonly replacementCount: number;
  /** 1-based line of the first replacement. */
  readonly firstLine: number;
}

/** Replaces whole words in any script. For example, `id` does not match in `idle` or `$id`. */
export function replaceWord(text: string, from: string, to: string): RenameResult {
  const edge = String.raw`[\p{L}\p{N}_$]`;
  const word = new RegExp(`(?<!${edge})${escapeRegExp(from)}(?!${edge})`, 'gu');
  const places = [...text.matchAll(word)].map(({ index }) => index);
  const firstLine = text.slice(0, places[0] ?? 0).split('\n').length;
  return { text: text.replace(word, () => to), replacementCount: places.length, firstLine };
}
