import { isDeleted, type ConversationHead, type ConversationSearchResults } from '../../common/chatStore';
import type { TextSearch } from './textSearch';

const maxWords = 16;

/** Finds conversations by title or text; see `Chats.search`. If `signal` fires, finds nothing. Never rejects. */
export async function searchConversations(
  heads: readonly ConversationHead[],
  texts: Pick<TextSearch, 'search' | 'update'> | undefined,
  query: string,
  signal?: AbortSignal,
): Promise<ConversationSearchResults> {
  const newestFirst = heads.filter((head) => !isDeleted(head)).sort((a, b) => b.updatedAt - a.updatedAt);
  const words = query.toLowerCase().split(/\s+/).slice(0, maxWords);
  if (words.every((word) => word === '')) {
    // Somebody looks at the list, and may search it next.
    void texts?.update();
    return { found: newestFirst.map((head) => ({ head })) };
  }
  const { hits, left } = (await texts?.search(query)) ?? { hits: [] };
  if (signal?.aborted) return { found: [] };
  const titled = new Set(newestFirst.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word))));
  const headById = new Map(newestFirst.map((head) => [head.id, head]));
  const byText = hits.flatMap(({ conversation, entryId, snippet }) => {
    const head = headById.get(conversation);
    return head && !titled.has(head) ? [{ head, snippet, ...(entryId !== undefined && { entryId }) }] : [];
  });
  return { found: [...Array.from(titled, (head) => ({ head })), ...byText], ...(left && { left }) };
}
