import { useEffect, useRef, useState } from 'preact/hooks';
import { chatRequests } from '../common/chatApi';
import type { BackendView } from '../common/chatView';
import { usePage, usePageState } from './pageContext';

/**
 * Agents keep conversations of their own, which only they can list. Those that do not run are started when the user wants
 * to see theirs; what they list stands in the list above from then on.
 */
export function KeptByAgents() {
  const { backends, isUntrusted } = usePageState();
  const { counts, looking, look, stop } = useLooking();
  const shown = backends.filter((backend) => counts.has(backend.id) || isAsleep(backend));
  if (isUntrusted || shown.length === 0) return null;
  return (
    <section class="kept" aria-labelledby="kept-by-agents">
      <h2 id="kept-by-agents">Agents that may keep more</h2>
      <ul>
        {shown.map(({ id, title }) => {
          const isLooking = looking === id;
          const count = counts.get(id);
          const action = isLooking ? 'Cancel' : counts.has(id) ? 'Look again' : 'Look';
          return (
            <li key={id}>
              <span class="kept-name">{title}</span>
              <span class="kept-word" role="status">
                {isLooking ? 'asking…' : countInWords(count)}
              </span>
              <button
                type="button"
                class="button"
                title={
                  isLooking ? undefined : `Asks ${title} for its conversations in this folder. It is started for this.`
                }
                aria-label={`${action}: conversations that ${title} keeps`}
                onClick={() => (isLooking ? stop() : void look(id))}
              >
                {action}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Servers are asked without being started, and the demo agent keeps nothing. */
function isAsleep({ problem, source, state }: BackendView): boolean {
  return state === 'stopped' && problem === undefined && (source === 'configured' || source === 'found');
}

function countInWords(count: number | undefined): string {
  if (count === undefined) return '';
  return count === 0 ? 'none here' : `${count} above`;
}

/** One agent is asked at a time; `counts` has how many each has listed that was asked: undefined for none yet. */
function useLooking() {
  const page = usePage();
  const [looking, setLooking] = useState<string>();
  const [counts, setCounts] = useState<ReadonlyMap<string, number | undefined>>(new Map());
  const current = useRef<object | undefined>(undefined);

  const stop = (): void => {
    if (!current.current) return;
    current.current = undefined;
    setLooking(undefined);
    void page.ask(chatRequests.stopLooking, {});
  };
  const look = async (backendId: string): Promise<void> => {
    const mine = (current.current = {});
    setLooking(backendId);
    setCounts((known) => new Map(known).set(backendId, known.get(backendId)));
    const answer = await page.ask(chatRequests.lookForSessions, { backendId });
    if (current.current !== mine) return;
    current.current = undefined;
    setLooking(undefined);
    if (answer) setCounts((known) => new Map(known).set(backendId, answer.sessions.length));
  };
  useEffect(() => stop, []);
  return { counts, looking, look, stop };
}
