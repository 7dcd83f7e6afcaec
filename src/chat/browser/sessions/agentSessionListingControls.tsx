import type { BackendView } from '../../common/chatView';
import { usePageState } from '../chatPageContext';
import type { AgentSessionListing, AgentSessionListings } from './useAgentSessionListings';

/**
 * Lets the user list the conversations that agents store themselves. This starts agents that are not running. The
 * results appear in the list above.
 */
export function AgentSessionListingControls({ listings }: { listings: AgentSessionListings }) {
  const { backends, isUntrusted } = usePageState();
  const { listingsByBackend, listingBackendId, list, cancel } = listings;
  const shown = backends.filter(
    (backend) => backend.id === listingBackendId || listingsByBackend.has(backend.id) || mustBeStarted(backend),
  );
  if (isUntrusted || shown.length === 0) return null;
  return (
    <section class="kept" aria-labelledby="kept-by-agents">
      <h2 id="kept-by-agents">Conversations stored by agents</h2>
      <ul>
        {shown.map(({ id, title }) => {
          const isAsked = listingBackendId === id;
          const action = isAsked ? 'Cancel' : listingsByBackend.has(id) ? 'Refresh' : 'List';
          return (
            <li key={id}>
              <span class="kept-name one-line">{title}</span>
              <span class="kept-word one-line" role="status">
                {isAsked ? 'listing…' : resultText(listingsByBackend.get(id))}
              </span>
              <button
                type="button"
                class="button"
                title={isAsked ? 'Stop waiting. The agent may keep running.' : listTooltip(title)}
                aria-label={
                  isAsked ? `Cancel listing conversations from ${title}` : `${action} conversations from ${title}`
                }
                onClick={() => (isAsked ? cancel() : list(id))}
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
 * Whether the agent must be started to list conversations. Excludes servers, the demo agent, and agents that cannot
 * list conversations.
 */
function mustBeStarted({ cannotList, problem, source, state }: BackendView): boolean {
  return !cannotList && state === 'stopped' && problem === undefined && source !== 'demo' && source !== 'server';
}

function listTooltip(title: string): string {
  return `Starts ${title} and lists its conversations in the first workspace folder`;
}

function resultText(answer: AgentSessionListing | undefined): string {
  if (answer === undefined || answer === 'stopped') return '';
  if (answer === 'failed') return 'unavailable';
  return answer.length === 0 ? 'none found' : `${answer.length} listed above`;
}
