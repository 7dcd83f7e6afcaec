import { useRef } from 'preact/hooks';
import { IconButton } from '../../webview/browser/iconButton';
import { AddIcon, CloseIcon, ErrorIcon, InfoIcon, SearchIcon, ShieldIcon } from '../../webview/browser/icons';
import { useRedrawOnEvent } from '../../webview/browser/hooks/useRedrawOnEvent';
import { searchCards } from '../common/page/agentSearch';
import { agentsRequests, type AgentsView } from '../common/page/agentsApi';
import { AgentList } from './agentList';
import type { AgentsPage } from './agentsPage';
import { OwnAgentForm } from './ownAgentForm';

export function AgentsApp({ page }: { page: AgentsPage }) {
  useRedrawOnEvent(page.onDidChange);
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { failure, form, query, announcement, view } = page.state;
  const groups = view && searchCards(view.cards, query);
  const focusFirstCard = (): void => list.current?.querySelector<HTMLElement>('.agent')?.focus();
  return (
    <main class="agents" aria-busy={view === undefined}>
      <div class="agents-heading">
        <h1>Agents</h1>
        <button type="button" class="button" disabled={form !== undefined} onClick={() => void page.showForm()}>
          <AddIcon /> Add Your Own Agent…
        </button>
      </div>
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
      {failure !== undefined && (
        <div class="agents-notice is-error" role="alert">
          <ErrorIcon />
          <p>{failure}</p>
          <IconButton label="Dismiss" icon={CloseIcon} onClick={() => page.update({ failure: undefined })} />
        </div>
      )}
      {form && <OwnAgentForm key={form.previousName ?? ''} page={page} initial={form} />}
      {view?.isUntrusted && <TrustNotice page={page} />}
      {view && (
        <>
          <div class="agents-search">
            <SearchIcon />
            <input
              ref={search}
              class="text-field"
              type="search"
              aria-label="Search agents"
              placeholder="Search agents"
              value={query}
              onInput={({ currentTarget }) => page.search(currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'ArrowDown' || event.key === 'Enter') {
                  event.preventDefault();
                  focusFirstCard();
                } else if (event.key === 'Escape') page.search('');
              }}
            />
          </div>
          <div ref={list}>
            {groups?.length === 0 ? (
              <p class="agents-none">No agents match “{query.trim()}”.</p>
            ) : (
              <AgentList page={page} groups={groups ?? []} onLeave={() => search.current?.focus()} />
            )}
          </div>
          <RegistryNote page={page} registry={view.registry} />
        </>
      )}
    </main>
  );
}

function TrustNotice({ page }: { page: AgentsPage }) {
  return (
    <div class="agents-notice">
      <ShieldIcon />
      <p>
        Agents don’t start in an untrusted workspace, so none can be installed here.{' '}
        <button type="button" class="link" onClick={() => void page.sendRequest(agentsRequests.manageTrust, {})}>
          Manage Workspace Trust
        </button>
      </p>
    </div>
  );
}

function RegistryNote({ page, registry }: { page: AgentsPage; registry: AgentsView['registry'] }) {
  const { checked, isChecking, problem } = registry;
  return (
    <footer class="agents-registry">
      {problem !== undefined && (
        <div class="agents-notice is-warning">
          <InfoIcon />
          <p>{problem}</p>
        </div>
      )}
      <p>
        <span>{isChecking ? 'Checking the list…' : `${checked}.`}</span>{' '}
        <button
          type="button"
          class="link"
          disabled={isChecking}
          onClick={() => void page.sendRequest(agentsRequests.refresh, {})}
        >
          Refresh
        </button>
      </p>
    </footer>
  );
}
