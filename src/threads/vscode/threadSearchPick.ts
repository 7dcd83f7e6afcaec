import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { LiveItems } from '../../platform/vscode/quickPickItems';
import { LiveSearch, type LiveSearchPorts, type SearchView } from '../common/search/liveSearch';
import { namedThreads } from '../common/model/threadLinks';
import { textKindWords } from '../common/query/searchedText';
import type { ThreadHead, ThreadHit } from '../common/threadPorts';
import { threadRow, titleOf } from '../common/tree/threadRow';

interface ThreadSearchPickOptions extends LiveSearchPorts {
  /** Resolves when there is a list. */
  readonly ready: () => Promise<void>;
  readonly heads: () => readonly ThreadHead[];
  /** The thread that Amp would continue. */
  readonly current: () => Promise<string | undefined>;
  /** Somebody looks, until the result is disposed. */
  readonly look: () => Disposable;
  /** `entryId` is where the query was found. */
  readonly open: (threadId: string, entryId: string | undefined) => void;
}

interface ThreadItem extends vscode.QuickPickItem {
  readonly threadId: string;
  readonly entryId: string | undefined;
}

const maxShown = 100;

/** Finds threads by title and text while the user types; the newest ones before. */
export class ThreadSearchPick {
  constructor(private readonly options: ThreadSearchPickOptions) {}

  /** Resolves when the pick is closed. */
  async show(title: string): Promise<void> {
    const { look, open } = this.options;
    const store = new DisposableStore();
    store.add(look());
    const pick = store.add(vscode.window.createQuickPick<ThreadItem>());
    pick.title = title;
    pick.placeholder = 'Words, "a phrase", a path, a command, or the id or link of a thread';
    pick.matchOnDetail = true;
    pick.matchOnDescription = true;
    const shownItems = store.add(new LiveItems(pick, isSame));
    let asked: string | undefined;
    let shown: string | undefined;
    const show = ({ found, isBusy, notes }: SearchView): void => {
      const nowMs = this.options.clock.now();
      const named = this.named(pick.value);
      const others = found.filter(({ head, hit }) => hit.entryId !== undefined || !isAmong(head, named));
      const items = [...named, ...others.map(({ head, hit }) => itemOf(head, hit.entryId, detailOf(hit), nowMs))];
      if (shown === asked) shownItems.replace(items, { keepsFirst: false });
      else shownItems.reset(items);
      shown = asked;
      pick.busy = isBusy;
      pick.title = notes.length === 0 ? title : `${title}: ${notes.join(' ')}`;
    };
    const live = store.add(new LiveSearch(this.options, show));
    live.start();
    const find = async (): Promise<void> => {
      const query = pick.value.trim();
      if (query === asked) return;
      asked = query;
      pick.busy = true;
      live.change(query);
      const named = this.named(query);
      if (named.length > 0) {
        shownItems.reset(named);
        shown = query;
      }
      if (query !== '') return;
      const items = await this.newest();
      if (pick.value.trim() !== '' || store.isDisposed) return;
      shownItems.reset(items);
      shown = query;
      pick.busy = false;
      pick.title = title;
    };
    store.add(pick.onDidChangeValue(() => void find()));
    const closed = new Promise<void>((resolve) => {
      store.add(pick.onDidHide(() => resolve()));
    });
    store.add(
      pick.onDidAccept(() => {
        const [picked] = pick.selectedItems;
        pick.hide();
        if (picked) open(picked.threadId, picked.entryId);
      }),
    );
    pick.show();
    void find();
    await closed;
    store.dispose();
  }

  private named(query: string): ThreadItem[] {
    const nowMs = this.options.clock.now();
    return namedThreads(query, this.options.heads()).map(({ threadId, head }) =>
      head
        ? itemOf(head, undefined, threadId, nowMs)
        : {
            label: `Open ${threadId}`,
            description: 'not in the list of threads',
            iconPath: new vscode.ThemeIcon('link'),
            alwaysShow: true,
            threadId,
            entryId: undefined,
          },
    );
  }

  /** The one that Amp would continue comes before all others. */
  private async newest(): Promise<ThreadItem[]> {
    const { clock, current: currentHint, heads: headsNow, ready } = this.options;
    await ready();
    const current = await currentHint();
    const nowMs = clock.now();
    const heads = headsNow();
    const first = heads.find(({ id }) => id === current);
    const others = heads.filter((head) => head !== first).slice(0, maxShown);
    const items = others.map((head) => itemOf(head, undefined, head.firstPrompt, nowMs));
    if (!first) return items;
    const item = itemOf(first, undefined, first.firstPrompt, nowMs);
    return [{ ...item, description: `current · ${item.description ?? ''}` }, ...items];
  }
}

/** What was found, and what it is of. */
function detailOf({ kind, snippet }: ThreadHit): string {
  return kind === 'title' || snippet === '' ? snippet : `${textKindWords[kind]}: ${snippet}`;
}

function isAmong({ id }: ThreadHead, items: readonly ThreadItem[]): boolean {
  return items.some(({ threadId }) => threadId === id);
}

function isSame(one: ThreadItem, other: ThreadItem): boolean {
  return one.threadId === other.threadId && one.entryId === other.entryId;
}

function itemOf(head: ThreadHead, entryId: string | undefined, detail: string | undefined, nowMs: number): ThreadItem {
  const node = { kind: 'thread', id: head.id, parent: undefined, children: [], head, tie: undefined } as const;
  const row = threadRow({ ...node, isUnread: false }, nowMs);
  const shown = detail === titleOf(head) ? '' : (detail ?? '');
  return {
    label: row.label,
    description: row.description,
    ...(shown === '' ? {} : { detail: shown }),
    iconPath: new vscode.ThemeIcon(row.icon),
    // What was found is found by its words, not by VS Code's letters in a row.
    alwaysShow: true,
    threadId: head.id,
    entryId,
  };
}
