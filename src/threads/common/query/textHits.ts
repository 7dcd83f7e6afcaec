import type { OpenThread, ThreadHead, ThreadHit } from '../threadPorts';
import { entryTexts } from './entryTexts';
import { matchThread, scoreOf, type RankedText } from './rank';
import { searchedPart, type SearchedText } from './searchedText';
import { snippetOf } from './snippet';
import type { ThreadQuery } from './threadQuery';

/** What a search needs of a thread in memory. */
export interface SearchableThread {
  readonly head: ThreadHead;
  readonly texts: readonly SearchedText[];
}

const hitsPerThread = 3;

/** A hit without what the thread as a whole is worth. */
export type Place = Omit<ThreadHit, 'score'>;

export function searchable({ head, entries, facts }: OpenThread): SearchableThread {
  const details = { entryId: '', kind: 'details', text: facts.map(({ value }) => value).join('\n') } as const;
  const texts = [details, ...entries.flatMap(entryTexts)].map((searched) => ({
    ...searched,
    text: searchedPart(searched.text, searched.kind),
  }));
  return { head, texts };
}

/** The places that have most of the query, best first; none for a thread that matches with its title alone. */
export function textHits({ head, texts }: SearchableThread, query: ThreadQuery, nowMs: number): readonly ThreadHit[] {
  const match = matchThread(query, head.title ?? '', texts);
  if (!match) return [];
  const score = scoreOf(match.fields, head.lastPromptAt, nowMs);
  return bestPlaces(head.id, match.texts, query, hitsPerThread).map((place) => ({ ...place, score }));
}

/** Those of the first texts that have as much of the query as the very first. */
export function bestPlaces(
  threadId: string,
  ranked: readonly RankedText[],
  query: ThreadQuery,
  max: number,
): readonly Place[] {
  const most = ranked[0]?.terms ?? 0;
  return ranked
    .filter(({ terms }) => terms === most)
    .slice(0, max)
    .map(({ text: { entryId, kind, text } }) => ({
      threadId,
      ...(entryId === '' ? {} : { entryId }),
      kind,
      snippet: snippetOf(text, query),
    }));
}
