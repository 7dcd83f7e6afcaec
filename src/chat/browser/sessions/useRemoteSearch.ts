import { useEffect, useRef, useState } from 'preact/hooks';
import { chatRequests } from '../../common/page/chatApi';
import type { SessionRow } from '../../common/chatView';
import { usePage } from '../chatPageContext';

/** What an agent has listed; `failed` when it did not, `stopped` when the user did not wait for it. */
export type RemoteSearchAnswer = readonly SessionRow[] | 'failed' | 'stopped';

export interface RemoteSearchState {
  /** Of the agent that is asked now. */
  readonly backendId: string | undefined;
  /** Of those that were asked, by the backend's id. */
  readonly answers: ReadonlyMap<string, RemoteSearchAnswer>;
  readonly start: (backendId: string) => void;
  readonly stop: () => void;
}

/** Asks agents for the conversations that they keep themselves, one agent at a time; those that do not run are started. */
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
