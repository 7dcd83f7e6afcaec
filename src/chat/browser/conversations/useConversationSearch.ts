import { useEffect, useState } from 'preact/hooks';
import type * as z from 'zod/mini';
import { conversationsRequests } from '../../common/page/conversationsApi';
import { usePage } from './conversationsPageContext';

const typingPauseMs = 150;
/** Until the host is asked again while it does not know all texts. */
const askAgainMs = 500;

/** What the host has answered, or that it could not. */
export interface SearchAnswer extends z.infer<typeof conversationsRequests.search.result> {
  readonly query: string;
  readonly hasFailed: boolean;
}

/** Searches titles and texts of all conversations once the typing pauses. Undefined until the first result arrives. */
export function useConversationSearch(query: string): SearchAnswer | undefined {
  const page = usePage();
  const [answer, setAnswer] = useState<SearchAnswer>();
  useEffect(() => {
    if (query === '') {
      setAnswer(undefined);
      return undefined;
    }
    let timer: number | undefined;
    let isCurrent = true;
    const search = async (): Promise<void> => {
      const result = await page.request(conversationsRequests.search, { query });
      if (!isCurrent) return;
      // A conversation is one row, with the best place that was found in it.
      const found = new Map<string, SearchAnswer['found'][number]>();
      for (const one of result?.found ?? []) if (!found.has(one.row.id)) found.set(one.row.id, one);
      setAnswer({ query, found: [...found.values()], left: result?.left, hasFailed: !result });
      if (result?.left) timer = window.setTimeout(() => void search(), askAgainMs);
    };
    timer = window.setTimeout(() => void search(), typingPauseMs);
    return () => {
      isCurrent = false;
      window.clearTimeout(timer);
    };
  }, [page, query]);
  // Earlier results stay until new results arrive, so that the list does not flicker.
  return query === '' ? undefined : answer;
}
