import type { BackendView } from '../../common/chatView';
import { usePageState } from '../chatPageContext';
import type { RemoteSearchAnswer, RemoteSearchState } from './useRemoteSearch';

/**
 * Lets the user list the conversations that agents store themselves. Stopped agents are started for it; the results
 * appear in the list above.
 */
export function KeptByAgents({ search }: { search: RemoteSearchState }) {
  const { backends, isUntrusted } = usePageState();
  const { answers, backendId, start, stop } = search;
  const shown = backends.filter((backend) => backend.id === backendId || answers.has(backend.id) || isAsleep(backend));
  if (isUntrusted || shown.length === 0) return null;
  return (
    <section class="kept" aria-labelledby="kept-by-agents">
      <h2 id="kept-by-agents">Conversations stored by agents</h2>
      <ul>
        {shown.map(({ id, title }) => {
          const isAsked = backendId === id;
          const action = isAsked ? 'Cancel' : answers.has(id) ? 'Refresh' : 'List';
          return (
            <li key={id}>
              <span class="kept-name one-line">{title}</span>
              <span class="kept-word one-line" role="status">
                {isAsked ? 'listing…' : resultOf(answers.get(id))}
              </span>
              <button
                type="button"
                class="button"
                title={isAsked ? 'Stop waiting. The agent may keep running.' : hintOf(title)}
                aria-label={`${action} conversations of ${title}`}
                onClick={() => (isAsked ? stop() : start(id))}
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

/**
 * Whether the agent must be started to list its conversations. Excludes servers, the demo agent and agents that cannot list.
 */
function isAsleep({ cannotList, problem, source, state }: BackendView): boolean {
  return !cannotList && state === 'stopped' && problem === undefined && (source === 'configured' || source === 'found');
}

function hintOf(title: string): string {
  return `Starts ${title} and lists its conversations in the first workspace folder`;
}

function resultOf(answer: RemoteSearchAnswer | undefined): string {
  if (answer === undefined || answer === 'stopped') return '';
  if (answer === 'failed') return 'unavailable';
  return answer.length === 0 ? 'none found' : `${answer.length} listed above`;
}
