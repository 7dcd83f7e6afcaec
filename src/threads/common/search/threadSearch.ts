import { matchThread, scoreOf } from '../query/rank';
import { snippetOf } from '../query/snippet';
import { parseQuery } from '../query/threadQuery';
import type { TextCoverage, TextHits, ThreadHead, ThreadHit } from '../threadPorts';
import { titleOf } from '../tree/threadRow';

interface ThreadSearchPorts {
  readonly heads: () => readonly ThreadHead[];
  /** Through the text of the threads that are on this machine. @throws ThreadError */
  readonly searchText: (query: string, limit: number) => Promise<TextHits>;
  /** Through the text of files that were opened. Never rejects. */
  readonly searchFiles: (query: string) => Promise<readonly ThreadHit[]>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface FoundThread {
  readonly head: ThreadHead;
  readonly hit: ThreadHit;
}

/** What this machine finds by itself. */
export interface FoundThreads {
  /** Best first. */
  readonly found: readonly FoundThread[];
  readonly coverage: TextCoverage;
}

const limit = 100;

/** Text and titles of what is on this machine and in opened files, and titles of everything else. @throws ThreadError */
export async function searchThreads(query: string, ports: ThreadSearchPorts): Promise<FoundThreads> {
  const heads = ports.heads();
  const byId = new Map(heads.map((head) => [head.id, head]));
  const [{ hits, coverage }, inFiles] = await Promise.all([ports.searchText(query, limit), ports.searchFiles(query)]);
  const opened = new Set(inFiles.map(placeOf));
  const inText = [...inFiles, ...hits.filter((hit) => !opened.has(placeOf(hit)))];
  const known = new Set(inText.map(({ threadId }) => threadId));
  const placed = new Set(inText.flatMap(({ threadId, entryId }) => (entryId === undefined ? [] : [threadId])));
  // A place to jump to says more than the title alone.
  const best = inText.filter(({ threadId, entryId }) => entryId !== undefined || !placed.has(threadId));
  const inTitles = heads.filter(({ id }) => !known.has(id)).flatMap((head) => titleHit(query, head, ports.now()));
  const found = [...best, ...inTitles]
    .sort((one, other) => other.score - one.score)
    .flatMap((hit) => {
      const head = byId.get(hit.threadId);
      return head ? [{ head, hit }] : [];
    })
    .slice(0, limit);
  return { found, coverage };
}

/** The same in an opened file and in the store: entries are named by the messages of the thread. */
function placeOf({ threadId, entryId }: ThreadHit): string {
  return `${threadId} ${entryId ?? ''}`;
}

function titleHit(query: string, head: ThreadHead, nowMs: number): ThreadHit[] {
  const parsed = parseQuery(query);
  const { repository, branch, folders } = head;
  const details = [head.id, repository ?? '', branch ?? '', ...folders].join('\n');
  const match = matchThread(parsed, titleOf(head), [{ entryId: '', kind: 'details', text: details }]);
  if (!match) return [];
  const score = scoreOf(match.fields, head.lastPromptAt, nowMs);
  if (match.texts.length === 0) return [{ threadId: head.id, kind: 'title', snippet: '', score }];
  return [{ threadId: head.id, kind: 'details', snippet: snippetOf(details, parsed), score }];
}
