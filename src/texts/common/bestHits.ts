import type { RankedText } from './rank';
import type { TextKind } from './searchableText';
import { snippetOf } from './snippet';
import type { TextQuery } from './textQuery';

export interface TextHit {
  readonly documentId: string;
  /** Id of the entry to which the user can jump. Undefined for a hit in the title or the details of the document. */
  readonly entryId?: string;
  /** The kind of text that contains the snippet. */
  readonly kind: TextKind | 'title';
  readonly snippet: string;
  readonly score: number;
}

export type UnscoredHit = Omit<TextHit, 'score'>;

/** Returns hits for texts that have as many terms as the first one. The texts are sorted by number of terms. */
export function selectBestHits(
  documentId: string,
  ranked: readonly RankedText[],
  query: TextQuery,
  maxHits: number,
): readonly UnscoredHit[] {
  const maxTerms = ranked[0]?.termCount ?? 0;
  return ranked
    .filter(({ termCount }) => termCount === maxTerms)
    .slice(0, maxHits)
    .map(({ text: { entryId, kind, text } }) => ({
      documentId,
      ...(entryId === '' ? {} : { entryId }),
      kind,
      snippet: snippetOf(text, query),
    }));
}
