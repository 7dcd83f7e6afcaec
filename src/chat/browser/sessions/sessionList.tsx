import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useHostTime } from '../../../webview/browser/hostTime';
import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon } from '../../../webview/browser/icons';
import { indexAfterKey } from '../../../webview/browser/listKeys';
import { chatRequests } from '../../common/page/chatApi';
import type { ConversationRow } from '../../common/chatView';
import { AgentSessionListingControls } from './agentSessionListingControls';
import { usePage, usePageState } from '../chatPageContext';
import { SessionListItem } from './sessionListItem';
import { uniqueSessions } from '../../common/conversations/remoteRows';
import { listedRows, useAgentSessionListings } from './useAgentSessionListings';
import { ageGroup } from '../../common/list/ageGroup';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';

const searchDelayMs = 200;

/** Shows the list of conversations above the transcript. The user can search, open, rename, export and delete them. */
export function SessionList() {
  const page = usePage();
  const time = useHostTime();
  const { sessions } = usePageState();
  const [query, setQuery] = useState('');
  const found = useSessionSearch(query);
  const remoteSearch = useAgentSessionListings({
    list: async (backendId) => (await page.request(chatRequests.listRemoteSessions, { backendId }))?.sessions,
    cancel: () => void page.request(chatRequests.cancelListing, {}),
  });
  const panel = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const followFocus = useFocusAfterRemoval(panel);

  const close = (): void => {
    page.store.update({ isSessionListShown: false });
    page.runCommand('focusComposer');
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      if (query === '') close();
      else setQuery('');
      return;
    }
    const rows = [...(panel.current?.querySelectorAll<HTMLElement>('.session-open') ?? [])];
    const at = rows.findIndex((row) => row === document.activeElement);
    if (at < 0 && event.key !== 'ArrowDown') return;
    const next = indexAfterKey(event.key, at, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    rows[next]?.focus();
  };

  const groups =
    query === ''
      ? groupRows(sessions, uniqueRows([...(found ?? []), ...listedRows(remoteSearch)]), time.now())
      : [{ name: '', rows: found ?? [] }];
  const isEmpty = groups.every(({ rows }) => rows.length === 0);
  return (
    <section ref={panel} class="sessions" aria-label="Conversations" onKeyDown={onKeyDown} onFocusCapture={followFocus}>
      <div class="sessions-head">
        <input
          ref={input}
          class="text-field"
          type="search"
          placeholder="Search conversations"
          aria-label="Search conversations"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <IconButton label="Close" hint="Escape" icon={CloseIcon} onClick={close} />
      </div>
      <div class="sessions-rows">
        {groups.map(({ name, rows }) => (
          <SessionGroup key={name} name={name} rows={rows} />
        ))}
        {isEmpty && <EmptySessionList query={query} isSearching={query !== '' && found === undefined} />}
        {query === '' && <AgentSessionListingControls listings={remoteSearch} />}
      </div>
    </section>
  );
}

/** When the focused row is deleted, the next row gets the focus, or else the search field. */
function useFocusAfterRemoval(panel: RefObject<HTMLElement | null>): (event: FocusEvent) => void {
  const last = useRef<{ readonly row: Element; readonly index: number } | undefined>(undefined);
  useLayoutEffect(() => {
    if (!last.current || last.current.row.isConnected || document.activeElement !== document.body) return;
    const others = [...(panel.current?.querySelectorAll<HTMLElement>('.session-open') ?? [])];
    const next = others[Math.min(last.current.index, others.length - 1)];
    (next ?? panel.current?.querySelector('input'))?.focus();
  });
  return ({ target }) => {
    const row = target instanceof Element ? target.closest('.session') : null;
    const all = [...(panel.current?.querySelectorAll('.session') ?? [])];
    last.current = row ? { row, index: all.indexOf(row) } : undefined;
  };
}

function SessionGroup({ name, rows }: { name: string; rows: readonly ConversationRow[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      {name !== '' && <h2>{name}</h2>}
      <ul>
        {rows.map((row) => (
          <SessionListItem key={row.id} row={row} />
        ))}
      </ul>
    </>
  );
}

function EmptySessionList({ query, isSearching }: { query: string; isSearching: boolean }) {
  if (isSearching) return <p class="sessions-none">Searching…</p>;
  if (query !== '') return <p class="sessions-none">No conversations match “{query}”.</p>;
  return (
    <div class="sessions-none">
      <p>No conversations yet.</p>
      <p>Your conversations are kept here until you delete them. You can continue them at any time.</p>
    </div>
  );
}

/**
 * Returns the results from the host. For an empty query, these are the conversations that running agents store.
 * Undefined until the first result arrives.
 */
function useSessionSearch(query: string): readonly ConversationRow[] | undefined {
  const page = usePage();
  const { backends } = usePageState();
  const running = backends
    .filter(({ state }) => state === 'ready')
    .map(({ id }) => id)
    .join();
  const [found, setFound] = useState<{ query: string; rows: readonly ConversationRow[] }>();
  useEffect(() => {
    let isCurrent = true;
    const search = async (): Promise<void> => {
      const answer = await page.request(chatRequests.searchSessions, { query });
      if (isCurrent) setFound({ query, rows: answer?.sessions ?? [] });
    };
    const timer = window.setTimeout(() => void search(), query === '' ? 0 : searchDelayMs);
    return () => {
      isCurrent = false;
      window.clearTimeout(timer);
    };
    // The search is repeated when the number of running agents changes.
  }, [page, query, running]);
  // Earlier results stay until new results arrive, so that the list does not flicker.
  return found && (query === '') === (found.query === '') ? found.rows : undefined;
}

function uniqueRows(rows: readonly ConversationRow[]): ConversationRow[] {
  return uniqueSessions([...new Map(rows.map((row) => [row.id, row])).values()]);
}

/**
 * Groups what needs the user and what works, then Backline's other conversations by age, those of other workspaces by folder,
 * and conversations that agents store by agent.
 */
function groupRows(
  ours: readonly ConversationRow[],
  found: readonly ConversationRow[],
  now: number,
): { name: string; rows: ConversationRow[] }[] {
  const here = new Set(ours.map(({ id }) => id));
  const remote = found.filter((row) => row.remote === true && !here.has(row.id));
  const byName = new Map<string, ConversationRow[]>();
  for (const row of [...ours, ...remote]) {
    const name = groupOf(row, now);
    byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  return [...byName].map(([name, rows]) => ({ name, rows }));
}

function groupOf({ backendTitle, elsewhere, remote, state, updatedAt }: ConversationRow, now: number): string {
  if (state === 'waiting') return 'Needs your input';
  if (state === 'busy') return 'Working';
  if (remote) return `Stored by ${backendTitle}`;
  if (!elsewhere) return ageGroup(updatedAt, now).title;
  if (elsewhere.folder === undefined) return 'Without a folder';
  const folder = showHiddenCharacters(elsewhere.folder);
  return elsewhere.isGone ? `${folder} (not found)` : folder;
}
