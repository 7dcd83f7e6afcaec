import { useEffect, useRef, useState } from 'preact/hooks';
import { chatRequests } from '../../common/page/chatApi';
import type { SessionRow } from '../../common/chatView';
import { usePage } from '../chatPageContext';

/** An agent's conversations; `failed` after an error, `stopped` if the user canceled. */
export type RemoteSearchAnswer = readonly SessionRow[] | 'failed' | 'stopped';

export interface RemoteSearchState {
  /** Id of the backend that is listing now. */
  readonly backendId: string | undefined;
  /** Results by backend id. */
  readonly answers: ReadonlyMap<string, RemoteSearchAnswer>;
  readonly start: (backendId: string) => void;
  readonly stop: () => void;
}

/** Lists the conversations that agents store, one agent at a time. Stopped agents are started for it. */
export function useRemoteSearch(): RemoteSearchState {
  const page = usePage();
  const [backendId, setBackendId] = useState<string>();
  const [answers, setAnswers] = useState<RemoteSearchState['answers']>(new Map());
  const current = useRef<{ readonly id: string } | undefined>(undefined);

  const end = (id: string, answer: RemoteSearchAnswer): void => {
    current.current = undefined;
    setBackendId(undefined);
    setAnswers((known) => new Map(known).set(id, answer));
  };
  const stop = (): void => {
    if (!current.current) return;
    end(current.current.id, 'stopped');
    void page.ask(chatRequests.stopLooking, {});
  };
  const search = async (id: string): Promise<void> => {
    const mine = (current.current = { id });
    setBackendId(id);
    const answer = await page.ask(chatRequests.lookForSessions, { backendId: id });
    if (current.current === mine) end(id, answer?.sessions ?? 'failed');
  };
  useEffect(() => stop, []);
  return { backendId, answers, start: (id) => void search(id), stop };
}
