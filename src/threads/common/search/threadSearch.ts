import { matchDocument, scoreDocument } from '../../../texts/common/rank';
import { snippetOf } from '../../../texts/common/snippet';
import { parseQuery } from '../../../texts/common/textQuery';
import type { TextSearchResult, ThreadHead, ThreadHit } from '../threadPorts';
import type { TextCoverage } from '../../../texts/common/searchableText';
import { titleOf } from '../tree/threadRow';

interface ThreadSearchDeps {
  readonly heads: () => readonly ThreadHead[];
  /** Searches the text of the threads on this machine. @throws ThreadError */
  readonly searchText: (query: string, limit: number) => Promise<TextSearchResult>;
  /** Searches the text of files that the user has opened. Never rejects. */
  readonly searchFiles: (query: string) => Promise<readonly ThreadHit[]>;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
}

export interface FoundThread {
  readonly head: ThreadHead;
  readonly hit: ThreadHit;
}

export interface ThreadSearchResults {
  /** The results, best match first. */
  readonly found: readonly FoundThread[];
  readonly coverage: TextCoverage;
}

const limit = 100;

/** Searches text of local threads and opened files, and titles of all threads. @throws ThreadError */
export async function searchThreads(query: string, deps: ThreadSearchDeps): Promise<ThreadSearchResults> {
  const heads = deps.heads();
  const byId = new Map(heads.map((head) => [head.id, head]));
  const [{ hits, coverage }, fileHits] = await Promise.all([deps.searchText(query, limit), deps.searchFiles(query)]);
  const fileKeys = new Set(fileHits.map(hitKey));
  const textHits = [...fileHits, ...hits.filter((hit) => !fileKeys.has(hitKey(hit)))];
  const known = new Set(textHits.map(({ threadId }) => threadId));
  const withEntry = new Set(textHits.flatMap(({ threadId, entryId }) => (entryId === undefined ? [] : [threadId])));
  // A hit in an entry replaces a hit of the whole thread, because the user can jump to the entry.
  const best = textHits.filter(({ threadId, entryId }) => entryId !== undefined || !withEntry.has(threadId));
  const titleHits = heads.filter(({ id }) => !known.has(id)).flatMap((head) => headHits(query, head, deps.now()));
  const found = [...best, ...titleHits]
    .sort((one, other) => other.score - one.score)
    .flatMap((hit) => {
      const head = byId.get(hit.threadId);
      return head ? [{ head, hit }] : [];
    })
    .slice(0, limit);
  return { found, coverage };
}

/** A key that is equal for an opened file and a stored thread: entry ids depend only on the messages. */
function hitKey({ threadId, entryId }: ThreadHit): string {
  return `${threadId} ${entryId ?? ''}`;
}

function headHits(query: string, head: ThreadHead, nowMs: number): ThreadHit[] {
  const parsed = parseQuery(query);
  const { repository, branch, folders } = head;
  const details = [head.id, repository ?? '', branch ?? '', ...folders].join('\n');
  const match = matchDocument(parsed, titleOf(head), [{ entryId: '', kind: 'details', text: details }]);
  if (!match) return [];
  const score = scoreDocument(match.fields, head.lastPromptAt, nowMs);
  if (match.texts.length === 0) return [{ threadId: head.id, kind: 'title', snippet: '', score }];
  return [{ threadId: head.id, kind: 'details', snippet: snippetOf(details, parsed), score }];
}
