import type { BackendView } from '../../common/chatView';
import { usePageState } from '../chatPageContext';
import type { RemoteSearchAnswer, RemoteSearchState } from './useRemoteSearch';

/**
 * Agents keep conversations of their own, which only they can list. Those that do not run are started when the user wants
 * to see theirs, which then stand in the list above.
 */
export function KeptByAgents({ search }: { search: RemoteSearchState }) {
  const { backends, isUntrusted } = usePageState();
  const { answers, backendId, start, stop } = search;
  const shown = backends.filter((backend) => backend.id === backendId || answers.has(backend.id) || isAsleep(backend));
  if (isUntrusted || shown.length === 0) return null;
  return (
    <section class="kept" aria-labelledby="kept-by-agents">
      <h2 id="kept-by-agents">Conversations kept by agents</h2>
      <ul>
        {shown.map(({ id, title }) => {
          const isAsked = backendId === id;
          const action = isAsked ? 'Cancel' : answers.has(id) ? 'Look again' : 'Look';
          return (
            <li key={id}>
              <span class="kept-name one-line">{title}</span>
              <span class="kept-word one-line" role="status">
                {isAsked ? 'asking…' : resultOf(answers.get(id))}
              </span>
              <button
                type="button"
                class="button"
                title={isAsked ? 'Stop waiting. The agent may keep running.' : hintOf(title)}
                aria-label={`${action}: conversations that ${title} keeps`}
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

/** Servers are asked without being started, the demo agent keeps nothing, and some agents cannot tell. */
function isAsleep({ cannotList, problem, source, state }: BackendView): boolean {
  return !cannotList && state === 'stopped' && problem === undefined && (source === 'configured' || source === 'found');
}

function hintOf(title: string): string {
  return `Starts ${title} and lists its conversations in the first workspace folder`;
}

function resultOf(answer: RemoteSearchAnswer | undefined): string {
  if (answer === undefined || answer === 'stopped') return '';
  if (answer === 'failed') return 'unavailable';
  return answer.length === 0 ? 'none here' : `${answer.length} above`;
}
