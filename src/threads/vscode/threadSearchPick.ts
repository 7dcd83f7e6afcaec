import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { LiveQuickPickItems } from '../../platform/vscode/liveQuickPickItems';
import { LiveSearch, type LiveSearchDeps, type LiveSearchState } from '../common/search/liveSearch';
import { findThreadsByIdIn } from '../common/model/threadLinks';
import { textKindLabels } from '../../texts/common/searchableText';
import type { ThreadHead, ThreadHit } from '../common/threadPorts';
import { threadRow, titleOf } from '../common/tree/threadRow';

interface ThreadSearchPickDeps extends LiveSearchDeps {
  /** Resolves when the list was loaded. */
  readonly ready: () => Promise<void>;
  readonly heads: () => readonly ThreadHead[];
  /** Returns the id of the thread that Amp would continue. */
  readonly currentThreadId: () => Promise<string | undefined>;
  /** Keeps the list up to date until the result is disposed. */
  readonly keepUpToDate: () => Disposable;
  /** Opens a thread. `entryId` is the entry that contains the match. */
  readonly open: (threadId: string, entryId: string | undefined) => void;
}

interface ThreadItem extends vscode.QuickPickItem {
  readonly threadId: string;
  readonly entryId: string | undefined;
}

const maxShown = 100;

/** A quick pick that searches threads while the user types. For an empty query, shows the newest threads. */
export class ThreadSearchPick {
  constructor(private readonly deps: ThreadSearchPickDeps) {}

  /** Shows the quick pick. Resolves when it is closed. */
  async showPick(title: string): Promise<void> {
    const { keepUpToDate, open } = this.deps;
    const disposables = new DisposableStore();
    disposables.add(keepUpToDate());
    const pick = disposables.add(vscode.window.createQuickPick<ThreadItem>());
    pick.title = title;
    pick.placeholder = 'Words, "a phrase", a path, a command, or a thread ID or link';
    pick.matchOnDetail = true;
    pick.matchOnDescription = true;
    const liveItems = disposables.add(new LiveQuickPickItems(pick, isSameItem));
    let currentQuery: string | undefined;
    let shownQuery: string | undefined;
    const show = ({ found, isBusy, notes }: LiveSearchState): void => {
      const nowMs = this.deps.clock.now();
      const named = this.itemsByThreadId(pick.value);
      const others = found.filter(({ head, hit }) => hit.entryId !== undefined || !isAmong(head, named));
      const items = [...named, ...others.map(({ head, hit }) => itemOf(head, hit.entryId, detailOf(hit), nowMs))];
      if (shownQuery === currentQuery) liveItems.replace(items, { keepsHighlightOnFirstItem: false });
      else liveItems.replaceAndHighlightFirst(items);
      shownQuery = currentQuery;
      pick.busy = isBusy;
      pick.title = notes.length === 0 ? title : `${title}: ${notes.join(' ')}`;
    };
    const search = disposables.add(new LiveSearch(this.deps, show));
    search.start();
    const update = async (): Promise<void> => {
      const query = pick.value.trim();
      if (query === currentQuery) return;
      currentQuery = query;
      pick.busy = true;
      search.setQuery(query);
      const named = this.itemsByThreadId(query);
      if (named.length > 0) {
        liveItems.replaceAndHighlightFirst(named);
        shownQuery = query;
      }
      if (query !== '') return;
      const items = await this.newestItems();
      if (pick.value.trim() !== '' || disposables.isDisposed) return;
      liveItems.replaceAndHighlightFirst(items);
      shownQuery = query;
      pick.busy = false;
      pick.title = title;
    };
    disposables.add(pick.onDidChangeValue(() => void update()));
    const closed = new Promise<void>((resolve) => {
      disposables.add(pick.onDidHide(() => resolve()));
    });
    liveItems.onDidAccept(({ threadId, entryId }) => {
      pick.hide();
      open(threadId, entryId);
    });
    pick.show();
    void update();
    await closed;
    disposables.dispose();
  }

  private itemsByThreadId(query: string): ThreadItem[] {
    const nowMs = this.deps.clock.now();
    return findThreadsByIdIn(query, this.deps.heads()).map(({ threadId, head }) =>
      head
        ? itemOf(head, undefined, threadId, nowMs)
        : {
            label: `Open ${threadId}`,
            description: 'not in the list',
            iconPath: new vscode.ThemeIcon('link'),
            alwaysShow: true,
            threadId,
            entryId: undefined,
          },
    );
  }

  /** Returns items for the current thread and the newest threads. */
  private async newestItems(): Promise<ThreadItem[]> {
    const { clock, currentThreadId, ready } = this.deps;
    await ready();
    const currentId = await currentThreadId();
    const nowMs = clock.now();
    const heads = this.deps.heads();
    const first = heads.find(({ id }) => id === currentId);
    const others = heads.filter((head) => head !== first).slice(0, maxShown);
    const items = others.map((head) => itemOf(head, undefined, head.firstPrompt, nowMs));
    if (!first) return items;
    const item = itemOf(first, undefined, first.firstPrompt, nowMs);
    return [{ ...item, description: `current · ${item.description ?? ''}` }, ...items];
  }
}

/** Returns the snippet and the kind of its text. */
function detailOf({ kind, snippet }: ThreadHit): string {
  return kind === 'title' || snippet === '' ? snippet : `${textKindLabels[kind]}: ${snippet}`;
}

function isAmong({ id }: ThreadHead, items: readonly ThreadItem[]): boolean {
  return items.some(({ threadId }) => threadId === id);
}

function isSameItem(one: ThreadItem, other: ThreadItem): boolean {
  return one.threadId === other.threadId && one.entryId === other.entryId;
}

function itemOf(head: ThreadHead, entryId: string | undefined, detail: string | undefined, nowMs: number): ThreadItem {
  const node = { kind: 'thread', id: head.id, parent: undefined, children: [], head, relation: undefined } as const;
  const row = threadRow({ ...node, isUnread: false }, nowMs);
  const shown = detail === titleOf(head) ? '' : (detail ?? '');
  return {
    label: row.label,
    description: row.description,
    ...(shown === '' ? {} : { detail: shown }),
    iconPath: new vscode.ThemeIcon(row.icon),
    // Prevents VS Code from also filtering the results.
    alwaysShow: true,
    threadId: head.id,
    entryId,
  };
}
