import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { useRedraw } from '../../../transcript/browser/transcriptContext';
import { useHostTime } from '../../../webview/browser/hostTime';
import { IconButton } from '../../../webview/browser/iconButton';
import { AddIcon, CloseIcon, ErrorIcon } from '../../../webview/browser/icons';
import { groupConversations } from '../../common/list/groupConversations';
import { listItems, moreRows, rowItems, type ListedGroup } from '../../common/list/listItems';
import type { ConversationRow } from '../../common/chatView';
import { toggledAfter } from '../../common/list/listSettings';
import { conversationsRequests } from '../../common/page/conversationsApi';
import type { ConversationsPage } from './conversationsPage';
import { PageProvider, usePage, usePageState } from './conversationsPageContext';
import { ConversationTree } from './tree/conversationTree';
import { EmptyList } from './emptyList';
import { focusActiveItem } from './tree/focusActiveItem';
import { useConversationSearch, type SearchAnswer } from './useConversationSearch';
import { useStoredGroups } from './useStoredGroups';
import { ViewMenu } from './viewMenu';

/** How often ages are drawn again. */
const ageStepMs = 30_000;

interface ConversationsAppProps {
  readonly page: ConversationsPage;
  /** Whether the page is an editor tab, which has no title bar with commands. */
  readonly isTab: boolean;
}

/** The whole page. */
export function ConversationsApp({ page, isTab }: ConversationsAppProps) {
  return (
    <PageProvider value={page}>
      <Layout isTab={isTab} />
    </PageProvider>
  );
}

function Layout({ isTab }: Pick<ConversationsAppProps, 'isTab'>) {
  const page = usePage();
  const { announcement, isReady } = usePageState();
  const [text, setText] = useState('');
  const query = text.trim();
  const input = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const answer = useConversationSearch(query);
  const focusSearch = (): void => {
    input.current?.focus();
    input.current?.select();
  };
  const leaveSearch = (): void => {
    if (text === '') return;
    setText('');
    input.current?.focus();
  };
  // A button that was pressed may be gone then, and the tree after its last row.
  const hadFocus = whole.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body && !focusActiveItem()) input.current?.focus();
  });
  useLayoutEffect(() => {
    const subscription = page.onDidRunCommand((command) => {
      const hasTree = main.current?.querySelector('[role=tree]') instanceof HTMLElement;
      if (command === 'search' || !hasTree) focusSearch();
    });
    return () => subscription.dispose();
  }, [page]);

  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { altKey, ctrlKey, metaKey, shiftKey, target } = event;
      const isModified = ctrlKey || metaKey;
      const isFind = isModified && !shiftKey && event.key.toLowerCase() === 'f';
      const isSlash = !isModified && event.key === '/' && !(target instanceof HTMLInputElement);
      if (altKey || (!isFind && !isSlash)) return;
      event.preventDefault();
      event.stopPropagation();
      focusSearch();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const onSearchKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape' && text !== '') {
      event.preventDefault();
      leaveSearch();
    } else if (event.key === 'ArrowDown') {
      if (focusActiveItem()) event.preventDefault();
    } else if (event.key === 'Enter') {
      const [best] = answer?.query === query ? answer.found : [];
      if (!best) return;
      const sessionId = best.row.id;
      void page.requestFor([sessionId], conversationsRequests.open, { sessionId, entryId: best.entryId });
    }
  };

  return (
    <div ref={whole} class="conversations page">
      <header class="conversations-head">
        <input
          ref={input}
          class="text-field"
          type="search"
          placeholder="Search conversations"
          aria-label="Search conversations"
          aria-keyshortcuts="/ Control+F"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onSearchKeyDown}
        />
        <ViewMenu />
        {isTab && (
          <IconButton
            label="New Conversation"
            icon={AddIcon}
            onClick={() => void page.request(conversationsRequests.create, {})}
          />
        )}
      </header>
      <PageFailure />
      <main ref={main} class="conversations-main" aria-busy={!isReady}>
        {isReady &&
          (query === '' ? <GroupedList /> : <FoundList query={query} answer={answer} onLeave={leaveSearch} />)}
      </main>
      <ArchivedNote />
      <div class="visually-hidden" role="status">
        {announcement}
      </div>
    </div>
  );
}

/** The current time by the host's clock, in steps. The component is drawn again with each. */
function useCoarseTime(): number {
  const time = useHostTime();
  const redraw = useRedraw();
  useEffect(() => {
    const timer = window.setInterval(redraw, ageStepMs);
    return () => window.clearInterval(timer);
  }, []);
  return Math.floor(time.now() / ageStepMs) * ageStepMs;
}

function GroupedList() {
  const page = usePage();
  const { repositories, rows, settings } = usePageState();
  const now = useCoarseTime();
  const [addedRows, setAddedRows] = useState<ReadonlyMap<string, number>>(new Map());
  const { grouping, scope, showsArchived, toggledGroups } = settings;
  const { archivedCount, groups, outOfScopeCount } = useMemo(
    () => groupConversations({ rows: rows.values(), grouping, scope, showsArchived, repositories, now }),
    [rows, grouping, scope, showsArchived, repositories, now],
  );
  const stored = useStoredGroups();
  const listed: ListedGroup[] = groups.map((group) => ({
    ...group,
    count: group.rows.length,
    isExpanded: !toggledGroups.includes(group.key),
  }));
  const all = [...listed, ...stored.groups];
  const items = listItems(all, addedRows);
  const toggle = (groupKey: string): void => {
    const keys = all.map(({ key }) => key);
    page.changeSettings({ toggledGroups: toggledAfter(toggledGroups, groupKey, keys) });
    stored.onToggle(groupKey);
  };
  return (
    <>
      {groups.length === 0 && <EmptyList archivedCount={archivedCount} outOfScopeCount={outOfScopeCount} />}
      {items.length > 0 && (
        <ConversationTree
          label="Conversations"
          items={items}
          query=""
          now={now}
          entryIdOf={() => undefined}
          groupButton={stored.buttonOf}
          onGroupButton={stored.onButton}
          onToggle={toggle}
          onMore={(groupKey) =>
            setAddedRows((before) => new Map(before).set(groupKey, (before.get(groupKey) ?? 0) + moreRows))
          }
        />
      )}
    </>
  );
}

const nothing: SearchAnswer['found'] = [];

interface FoundListProps {
  readonly query: string;
  readonly answer: SearchAnswer | undefined;
  readonly onLeave: () => void;
}

function FoundList({ query, answer, onLeave }: FoundListProps) {
  const { rows } = usePageState();
  const now = useCoarseTime();
  const [maxRows, setMaxRows] = useState(moreRows);
  const found = answer?.found ?? nothing;
  const items = useMemo(() => {
    const left = found.flatMap(({ row }) => rowNow(row, rows.get(row.id)) ?? []);
    return rowItems(left, maxRows, { groupKey: '', level: 1, size: left.length });
  }, [found, rows, maxRows]);
  const entries = new Map(found.map(({ row, entryId }) => [row.id, entryId]));
  return (
    <>
      <p class="found-count" role="status" aria-live={answer?.left ? 'off' : 'polite'}>
        {foundText(query, answer)}
      </p>
      {items.length > 0 && (
        <ConversationTree
          label="Found conversations"
          items={items}
          query={answer?.query ?? query}
          now={now}
          entryIdOf={(rowId) => entries.get(rowId)}
          groupButton={() => undefined}
          onGroupButton={() => undefined}
          onToggle={() => undefined}
          onMore={() => setMaxRows(maxRows + moreRows)}
          onLeave={onLeave}
        />
      )}
    </>
  );
}

/** The row as the list knows it by now. Undefined if the conversation is gone. */
function rowNow(found: ConversationRow, live: ConversationRow | undefined): ConversationRow | undefined {
  if (!live) return found.remote === true || found.source !== undefined ? found : undefined;
  return { ...live, ...(found.snippet !== undefined && { snippet: found.snippet }) };
}

function foundText(query: string, answer: SearchAnswer | undefined): string {
  if (answer?.query !== query) return 'Searching…';
  const { found, hasFailed, left } = answer;
  if (hasFailed) return 'The search has failed.';
  if (left) return `Still searching ${left.done} of ${countWithNoun(left.total, 'conversation')}`;
  if (found.length === 0) return `No conversations match “${query}”.`;
  return `${countWithNoun(found.length, 'conversation')} found`;
}

/** A request that is not for one conversation has failed. */
function PageFailure() {
  const { store } = usePage();
  const { failure } = usePageState();
  if (failure === undefined) return null;
  return (
    <div class="row-failure page-failure" role="alert">
      <ErrorIcon />
      <span>
        <UntrustedText text={failure} />
      </span>
      <IconButton label="Dismiss" icon={CloseIcon} onClick={() => store.update({ failure: undefined })} />
    </div>
  );
}

/** Says that nothing was deleted, and takes it back. */
function ArchivedNote() {
  const page = usePage();
  const { justArchived } = usePageState();
  if (justArchived.length === 0) return null;
  const undo = async (): Promise<void> => {
    const params = { sessionIds: [...justArchived], isArchived: false };
    const isDone = (await page.request(conversationsRequests.setArchived, params)) !== undefined;
    if (isDone && page.store.state.justArchived === justArchived) page.store.update({ justArchived: [] });
  };
  return (
    <div class="archived-note">
      <span role="status">{`Archived ${countWithNoun(justArchived.length, 'conversation')}. Nothing was deleted.`}</span>
      <button type="button" class="link-button" onClick={() => void undo()}>
        Undo
      </button>
      <IconButton label="Dismiss" icon={CloseIcon} onClick={() => page.store.update({ justArchived: [] })} />
    </div>
  );
}
