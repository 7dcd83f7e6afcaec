import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { FoundThread } from '../common/threadSearch';
import type { ThreadHead } from '../common/threadPorts';
import { threadRow, titleOf } from '../common/tree/threadRow';

export interface ThreadSearchPickOptions {
  /** Resolves when there is a list. */
  readonly ready: () => Promise<void>;
  readonly heads: () => readonly ThreadHead[];
  /** The thread that Amp would continue. */
  readonly current: () => Promise<string | undefined>;
  /** Best first. @throws ThreadError */
  readonly search: (query: string) => Promise<readonly FoundThread[]>;
  /** `entryId` is where the query was found. */
  readonly open: (head: ThreadHead, entryId: string | undefined) => void;
  readonly clock: Clock;
}

interface ThreadItem extends vscode.QuickPickItem {
  readonly head: ThreadHead;
  readonly entryId: string | undefined;
}

const typingMs = 120;
const maxShown = 100;

/** Finds threads by title and text while the user types; the newest ones before. Answers that come too late are dropped. */
export class ThreadSearchPick {
  constructor(private readonly options: ThreadSearchPickOptions) {}

  /** Resolves when the pick is closed. */
  async show(title: string): Promise<void> {
    const { clock, open } = this.options;
    const store = new DisposableStore();
    const pick = store.add(vscode.window.createQuickPick<ThreadItem>());
    pick.title = title;
    pick.placeholder = 'Words, or "a phrase", in titles, prompts and answers';
    pick.matchOnDetail = true;
    pick.matchOnDescription = true;
    let asked = 0;
    const find = async (): Promise<void> => {
      const mine = ++asked;
      pick.busy = true;
      const items = await this.itemsFor(pick.value.trim());
      if (mine !== asked || store.isDisposed) return;
      pick.busy = false;
      if (Array.isArray(items)) pick.items = items;
      else pick.title = `${title}: ${items}`;
    };
    const later = store.add(new Coalescer(clock, typingMs, () => void find()));
    store.add(pick.onDidChangeValue(() => later.schedule()));
    const closed = new Promise<void>((resolve) => {
      store.add(pick.onDidHide(() => resolve()));
    });
    store.add(
      pick.onDidAccept(() => {
        const [picked] = pick.selectedItems;
        pick.hide();
        if (picked) open(picked.head, picked.entryId);
      }),
    );
    pick.show();
    void find();
    await closed;
    store.dispose();
  }

  /** What went wrong, when it is no list. */
  private async itemsFor(query: string): Promise<ThreadItem[] | string> {
    const { ready, search, clock } = this.options;
    await ready();
    const nowMs = clock.now();
    if (query === '') return await this.newest(nowMs);
    try {
      const found = await search(query);
      return found.map(({ head, hit }) => itemOf(head, hit.entryId, hit.snippet, nowMs));
    } catch (error) {
      return messageOf(error);
    }
  }

  /** The one that Amp would continue comes before all others. */
  private async newest(nowMs: number): Promise<ThreadItem[]> {
    const heads = this.options.heads();
    const current = await this.options.current();
    const first = heads.find(({ id }) => id === current);
    const others = heads.filter((head) => head !== first).slice(0, maxShown);
    const items = others.map((head) => itemOf(head, undefined, head.firstPrompt, nowMs));
    if (!first) return items;
    const item = itemOf(first, undefined, first.firstPrompt, nowMs);
    return [{ ...item, description: `current · ${item.description ?? ''}` }, ...items];
  }
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
    head,
    entryId,
  };
}
