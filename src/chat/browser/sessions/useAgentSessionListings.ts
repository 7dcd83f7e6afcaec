import { useEffect, useRef, useState } from 'preact/hooks';
import { chatRequests } from '../../common/page/chatApi';
import type { ConversationRow } from '../../common/chatView';
import { usePage } from '../chatPageContext';

/** An agent's conversations. `failed` after an error, `stopped` if the user has canceled. */
export type AgentSessionListing = readonly ConversationRow[] | 'failed' | 'stopped';

export interface AgentSessionListings {
  readonly listingBackendId: string | undefined;
  readonly listingsByBackend: ReadonlyMap<string, AgentSessionListing>;
  readonly list: (backendId: string) => void;
  readonly cancel: () => void;
}

/** Lists the conversations that agents store, one agent at a time. Starts agents that are not running. */
export function useAgentSessionListings(): AgentSessionListings {
  const page = usePage();
  const [listingBackendId, setListingBackendId] = useState<string>();
  const [listingsByBackend, setListingsByBackend] = useState<AgentSessionListings['listingsByBackend']>(new Map());
  const currentListing = useRef<{ readonly id: string } | undefined>(undefined);

  const finish = (id: string, answer: AgentSessionListing): void => {
    currentListing.current = undefined;
    setListingBackendId(undefined);
    setListingsByBackend((known) => new Map(known).set(id, answer));
  };
  const cancel = (): void => {
    if (!currentListing.current) return;
    finish(currentListing.current.id, 'stopped');
    void page.request(chatRequests.cancelListing, {});
  };
  const list = async (id: string): Promise<void> => {
    const thisListing = (currentListing.current = { id });
    setListingBackendId(id);
    const answer = await page.request(chatRequests.listRemoteSessions, { backendId: id });
    if (currentListing.current === thisListing) finish(id, answer?.sessions ?? 'failed');
  };
  useEffect(() => cancel, []);
  return {
    listingBackendId,
    listingsByBackend,
    list: (id) => void list(id),
    cancel,
  };
}
