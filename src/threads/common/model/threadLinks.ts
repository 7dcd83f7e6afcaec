import type { ThreadHead } from '../threadPorts';

const uuid = '[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}';
const named = new RegExp(`^(?:https?://(?:www\\.)?ampcode\\.com/threads/)?(T-${uuid})(?:[/?#].*)?$`, 'i');
const mentioned = new RegExp(`(?<![\\w-])T-${uuid}(?![\\w-])`, 'gi');
const idStart = /^T-[\da-f-]{4,}$/i;
const maxStarts = 5;

export function threadLink(threadId: string): string {
  return `https://ampcode.com/threads/${threadId}`;
}

/** The id of the thread that is named, by its id or its link. */
export function threadIn(target: string): string | undefined {
  const id = named.exec(target)?.[1];
  return id === undefined ? undefined : withPlainCase(id);
}

/** A thread that somebody asks for by its id; without a head, nobody knows whether there is one. */
interface NamedThread {
  readonly threadId: string;
  readonly head?: ThreadHead;
}

/**
 * The threads that a query names: by ids anywhere in it, as in a link or a command line that was pasted, or by the
 * beginning of an id. None for a query of words.
 */
export function namedThreads(query: string, heads: readonly ThreadHead[]): readonly NamedThread[] {
  const text = query.trim();
  const own = heads.filter(({ id }) => id === text);
  const ids = [...own.map(({ id }) => id), ...(text.match(mentioned) ?? []).map(withPlainCase)];
  if (ids.length > 0) {
    return [...new Set(ids)].map((threadId) => {
      const head = heads.find(({ id }) => id === threadId);
      return { threadId, ...(head && { head }) };
    });
  }
  if (!idStart.test(text)) return [];
  const start = withPlainCase(text);
  return heads
    .filter(({ id }) => id.startsWith(start))
    .slice(0, maxStarts)
    .map((head) => ({ threadId: head.id, head }));
}

function withPlainCase(id: string): string {
  return `T-${id.slice(2).toLowerCase()}`;
}
