import { useEffect, useRef, useState } from 'preact/hooks';
import { chatRequests } from '../../common/page/chatApi';
import type { SessionRow } from '../../common/chatView';
import { usePage } from '../chatPageContext';

/** An agent's conversations; `failed` after an error, `stopped` if the user canceled. */
export type RemoteListing = readonly SessionRow[] | 'failed' | 'stopped';

export interface RemoteListings {
  /** Id of the backend that is listing now. */
  readonly listingBackendId: string | undefined;
  /** Results by backend id. */
  readonly listingsByBackend: ReadonlyMap<string, RemoteListing>;
  readonly list: (backendId: string) => void;
  readonly cancel: () => void;
}

/** Lists the conversations that agents store, one agent at a time. Stopped agents are started for it. */
export function useRemoteListings(): RemoteListings {
  const page = usePage();
  const [backendId, setBackendId] = useState<string>();
  const [answers, setAnswers] = useState<RemoteListings['listingsByBackend']>(new Map());
  const current = useRef<{ readonly id: string } | undefined>(undefined);

  const end = (id: string, answer: RemoteListing): void => {
    current.current = undefined;
    setBackendId(undefined);
    setAnswers((known) => new Map(known).set(id, answer));
  };
  const stop = (): void => {
    if (!current.current) return;
    end(current.current.id, 'stopped');
    void page.request(chatRequests.stopLooking, {});
  };
  const search = async (id: string): Promise<void> => {
    const mine = (current.current = { id });
    setBackendId(id);
    const answer = await page.request(chatRequests.lookForSessions, { backendId: id });
    if (current.current === mine) end(id, answer?.sessions ?? 'failed');
  };
  useEffect(() => stop, []);
  return { listingBackendId: backendId, listingsByBackend: answers, list: (id) => void search(id), cancel: stop };
}
