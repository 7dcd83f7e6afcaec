import type { ThreadWithEntries, ThreadHead, ThreadHit } from '../threadPorts';
import { searchableTextsOfEntry } from './entryTexts';
import { selectBestHits, type TextHit } from '../../../texts/common/bestHits';
import { matchDocument, scoreDocument } from '../../../texts/common/rank';
import { cutToSearchablePart, type SearchableText } from '../../../texts/common/searchableText';
import type { TextQuery } from '../../../texts/common/textQuery';

export interface SearchableThread {
  readonly head: ThreadHead;
  readonly texts: readonly SearchableText[];
}

const hitsPerThread = 3;

export function toSearchableThread({ head, entries, facts }: ThreadWithEntries): SearchableThread {
  const details = { entryId: '', kind: 'details', text: facts.map(({ value }) => value).join('\n') } as const;
  const texts = [details, ...entries.flatMap(searchableTextsOfEntry)].map((searched) => ({
    ...searched,
    text: cutToSearchablePart(searched.text, searched.kind),
  }));
  return { head, texts };
}

/** Returns the texts with the most terms, best first. Empty if only the title matches. */
export function findTextHits({ head, texts }: SearchableThread, query: TextQuery, nowMs: number): readonly ThreadHit[] {
  const match = matchDocument(query, head.title ?? '', texts);
  if (!match) return [];
  const score = scoreDocument(match.fields, head.lastPromptAt, nowMs);
  return selectBestHits(head.id, match.texts, query, hitsPerThread).map((hit) => toThreadHit({ ...hit, score }));
}

export function toThreadHit({ documentId: threadId, ...hit }: TextHit): ThreadHit {
  return { threadId, ...hit };
}
