import type { OpenThread, ThreadHead, ThreadHit } from '../threadPorts';
import { entryTexts } from './entryTexts';
import { matchThread, scoreOf } from './rank';
import { searchedPart, type SearchedText } from './searchedText';
import { snippetOf } from './snippet';
import type { ThreadQuery } from './threadQuery';

/** What a search needs of a thread in memory. */
export interface SearchableThread {
  readonly head: ThreadHead;
  readonly texts: readonly SearchedText[];
}

const hitsPerThread = 3;

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
  const most = match.texts[0]?.terms ?? 0;
  return match.texts
    .filter(({ terms }) => terms === most)
    .slice(0, hitsPerThread)
    .map(({ text: { entryId, kind, text } }) => {
      const snippet = snippetOf(text, query);
      const place = entryId === '' ? {} : { entryId };
      return { threadId: head.id, ...place, kind, snippet: snippet.text, matches: snippet.matches, score };
    });
}
