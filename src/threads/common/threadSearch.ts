import { matchThread, scoreOf } from './query/rank';
import { parseQuery } from './query/threadQuery';
import type { ThreadHead, ThreadHit } from './threadPorts';
import { titleOf } from './tree/threadRow';

export interface ThreadSearchPorts {
  readonly heads: () => readonly ThreadHead[];
  /** Through the text of the threads that are on this machine. @throws ThreadError */
  readonly searchText: (query: string, limit: number) => Promise<readonly ThreadHit[]>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface FoundThread {
  readonly head: ThreadHead;
  readonly hit: ThreadHit;
}

const limit = 100;

/** Best first: text and titles of what is on this machine, and titles of everything else. @throws ThreadError */
export async function searchThreads(query: string, ports: ThreadSearchPorts): Promise<readonly FoundThread[]> {
  const heads = ports.heads();
  const byId = new Map(heads.map((head) => [head.id, head]));
  const inText = await ports.searchText(query, limit);
  const known = new Set(inText.map(({ threadId }) => threadId));
  const placed = new Set(inText.flatMap(({ threadId, entryId }) => (entryId === undefined ? [] : [threadId])));
  // A place to jump to says more than the title alone.
  const best = inText.filter(({ threadId, entryId }) => entryId !== undefined || !placed.has(threadId));
  const inTitles = heads.filter(({ id }) => !known.has(id)).flatMap((head) => titleHit(query, head, ports.now()));
  return [...best, ...inTitles]
    .sort((one, other) => other.score - one.score)
    .flatMap((hit) => {
      const head = byId.get(hit.threadId);
      return head ? [{ head, hit }] : [];
    })
    .slice(0, limit);
}

function titleHit(query: string, head: ThreadHead, nowMs: number): ThreadHit[] {
  const match = matchThread(parseQuery(query), titleOf(head), []);
  if (!match) return [];
  return [{ threadId: head.id, snippet: '', matches: [], score: scoreOf(match.fields, head.lastPromptAt, nowMs) }];
}
