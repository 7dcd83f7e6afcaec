import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConversationRow } from '../../common/chatView';

/** An agent's conversations. `failed` after an error, `stopped` if the user has canceled. */
export type AgentSessionListing = readonly ConversationRow[] | 'failed' | 'stopped';

export interface AgentSessionListings {
  readonly listingBackendId: string | undefined;
  readonly listingsByBackend: ReadonlyMap<string, AgentSessionListing>;
  readonly list: (backendId: string) => void;
  readonly cancel: () => void;
}

interface ListingRequests {
  /** Lists what an agent stores, and starts it. Undefined after an error, which it has reported. */
  readonly list: (backendId: string) => Promise<readonly ConversationRow[] | undefined>;
  readonly cancel: () => void;
}

/** Lists the conversations that agents store, one agent at a time. Starts agents that are not running. */
export function useAgentSessionListings(requests: ListingRequests): AgentSessionListings {
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
    requests.cancel();
  };
  const list = async (id: string): Promise<void> => {
    cancel();
    const thisListing = (currentListing.current = { id });
    setListingBackendId(id);
    const rows = await requests.list(id);
    if (currentListing.current === thisListing) finish(id, rows ?? 'failed');
  };
  useEffect(() => cancel, []);
  return {
    listingBackendId,
    listingsByBackend,
    list: (id) => void list(id),
    cancel,
  };
}

/** Conversations that agents have listed on request. They stay in the list after an agent has ended. */
export function listedRows({ listingsByBackend }: AgentSessionListings): ConversationRow[] {
  return [...listingsByBackend.values()].flatMap((answer) => (typeof answer === 'string' ? [] : answer));
}
