import type { OpenThread, ThreadHead, ThreadHit } from '../threadPorts';
import { matchThread, scoreOf, type SearchedText } from './rank';
import { snippetOf } from './snippet';
import type { ThreadQuery } from './threadQuery';

/** What a search needs of a thread in memory. */
export interface SearchableThread {
  readonly head: ThreadHead;
  readonly texts: readonly SearchedText[];
}

const hitsPerThread = 3;

export function searchable({ head, entries }: OpenThread): SearchableThread {
  const texts = entries.flatMap((entry): SearchedText[] =>
    entry.kind === 'prompt' || entry.kind === 'answer'
      ? [{ entryId: entry.id, role: entry.kind, text: entry.text }]
      : [],
  );
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
    .map(({ text: { entryId, text } }) => {
      const snippet = snippetOf(text, query);
      return { threadId: head.id, entryId, snippet: snippet.text, matches: snippet.matches, score };
    });
}
