import type { ThreadHead } from '../threadPorts';

const uuid = '[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}';
const idOrLink = new RegExp(`^(?:https?://(?:www\\.)?ampcode\\.com/threads/)?(T-${uuid})(?:[/?#].*)?$`, 'i');
const idInText = new RegExp(`(?<![\\w-])T-${uuid}(?![\\w-])`, 'gi');
const idPrefix = /^T-[\da-f-]{4,}$/i;
const maxPrefixMatches = 5;

export function threadLink(threadId: string): string {
  return `https://ampcode.com/threads/${threadId}`;
}

/** Returns the thread id if the text is an id or a link to a thread. */
export function parseThreadId(target: string): string | undefined {
  const id = idOrLink.exec(target)?.[1];
  return id === undefined ? undefined : normalizedId(id);
}

interface NamedThread {
  readonly threadId: string;
  /** Missing if the thread is not in the list. */
  readonly head?: ThreadHead;
}

/** Finds threads by id: the query contains the id, for example in a pasted link, or the id starts with the query. */
export function findThreadsByIdIn(query: string, heads: readonly ThreadHead[]): readonly NamedThread[] {
  const text = query.trim();
  const exact = heads.filter(({ id }) => id === text);
  const ids = [...exact.map(({ id }) => id), ...(text.match(idInText) ?? []).map(normalizedId)];
  if (ids.length > 0) {
    return [...new Set(ids)].map((threadId) => {
      const head = heads.find(({ id }) => id === threadId);
      return { threadId, ...(head && { head }) };
    });
  }
  if (!idPrefix.test(text)) return [];
  const start = normalizedId(text);
  return heads
    .filter(({ id }) => id.startsWith(start))
    .slice(0, maxPrefixMatches)
    .map((head) => ({ threadId: head.id, head }));
}

function normalizedId(id: string): string {
  return `T-${id.slice(2).toLowerCase()}`;
}
