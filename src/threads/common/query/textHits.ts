import type { ThreadWithEntries, ThreadHead, ThreadHit } from '../threadPorts';
import { searchableTextsOfEntry } from './entryTexts';
import { matchThread, scoreThread, type RankedText } from './rank';
import { cutToSearchablePart, type SearchableText } from './searchableText';
import { snippetOf } from './snippet';
import type { ThreadQuery } from './threadQuery';

export interface SearchableThread {
  readonly head: ThreadHead;
  readonly texts: readonly SearchableText[];
}

const hitsPerThread = 3;

export type UnscoredHit = Omit<ThreadHit, 'score'>;

export function toSearchableThread({ head, entries, facts }: ThreadWithEntries): SearchableThread {
  const details = { entryId: '', kind: 'details', text: facts.map(({ value }) => value).join('\n') } as const;
  const texts = [details, ...entries.flatMap(searchableTextsOfEntry)].map((searched) => ({
    ...searched,
    text: cutToSearchablePart(searched.text, searched.kind),
  }));
  return { head, texts };
}

/** Returns the texts with the most terms, best first. Empty if only the title matches. */
export function findTextHits(
  { head, texts }: SearchableThread,
  query: ThreadQuery,
  nowMs: number,
): readonly ThreadHit[] {
  const match = matchThread(query, head.title ?? '', texts);
  if (!match) return [];
  const score = scoreThread(match.fields, head.lastPromptAt, nowMs);
  return selectBestHits(head.id, match.texts, query, hitsPerThread).map((hit) => ({ ...hit, score }));
}

/** Returns hits for texts that have as many terms as the first one. The texts are sorted by number of terms. */
export function selectBestHits(
  threadId: string,
  ranked: readonly RankedText[],
  query: ThreadQuery,
  maxHits: number,
): readonly UnscoredHit[] {
  const maxTerms = ranked[0]?.termCount ?? 0;
  return ranked
    .filter(({ termCount }) => termCount === maxTerms)
    .slice(0, maxHits)
    .map(({ text: { entryId, kind, text } }) => ({
      threadId,
      ...(entryId === '' ? {} : { entryId }),
      kind,
      snippet: snippetOf(text, query),
    }));
}
