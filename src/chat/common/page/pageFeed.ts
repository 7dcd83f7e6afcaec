import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { TranscriptFeed } from '../../../transcript/common/transcriptFeed';
import type { ChatUpdate } from './chatApi';
import type { Chat, Chats, DraftMove } from '../chatPorts';
import type { AttachedFiles } from '../mentions/attachedFiles';
import type { ContextChipView, Draft, SessionRow } from '../chatView';
import type { HeldDraft } from '../conversation/heldDraft';
import type { BackendChoice } from './backendChoice';
import type { NewOptions } from './newOptions';
import type { PageChips } from './pageChips';

interface PageFeedPorts {
  readonly chats: Pick<Chats, 'rows' | 'onDidChange'>;
  readonly backends: Pick<BackendChoice, 'views' | 'chosen' | 'onDidChange'>;
  readonly chips: Pick<PageChips, 'of' | 'onDidChange'>;
  readonly attached: Pick<AttachedFiles, 'missing' | 'onDidChange'>;
  readonly keyChords: { readonly beginnings: readonly string[]; readonly onDidChange: Event<void> };
  readonly newOptions: Pick<NewOptions, 'of' | 'seen' | 'commandsOf' | 'keepCommands' | 'onDidChange'>;
  readonly folders: () => readonly string[];
  readonly isTrusted: () => boolean;
  /** The draft of the empty page. */
  readonly newDraft: Pick<HeldDraft, 'value' | 'onDidMove'>;
  readonly post: (update: ChatUpdate) => void;
  /** Called when the displayed conversation must be reopened. */
  readonly onOutdated: (chat: Chat) => void;
  readonly clock: Clock;
}

/** One frame of a screen. */
const frameMs = 16;
const rowsMs = 250;
/** More rows are found by searching. */
const maxRows = 200;
/** Number of entries first sent to a page. */
const tail = 40;

type Part = Exclude<keyof ChatUpdate, 'transcript' | 'sent' | 'refused' | 'keepsComposer' | 'seenUnattended'>;
const everything: readonly Part[] = [
  'session',
  'sessions',
  'backends',
  'chosenBackend',
  'newOptions',
  'newCommands',
  'chips',
  'keyChords',
  'folders',
  'draft',
  'missing',
  'history',
  'untrusted',
];

/** Posts changes to one page, at most once per frame. Posts nothing while there is no page; a new page gets everything. */
export class PageFeed implements Disposable {
  private readonly store = new DisposableStore();
  private readonly frame: Coalescer;
  private readonly rowsLater: Coalescer;
  private readonly dirty = new Set<Part>();
  private current: { readonly chat: Chat; readonly feed: TranscriptFeed; readonly store: DisposableStore } | undefined;
  private historyLength = 0;
  /** Changes to the draft since the last post. */
  private moves: Pick<ChatUpdate, 'sent' | 'refused' | 'keepsComposer'> = {};
  private chips: ContextChipView[] = [];
  private chipsAsked = 0;
  private missing: readonly string[] = [];
  private missingAsked = 0;
  private isListening = false;

  constructor(private readonly ports: PageFeedPorts) {
    this.frame = this.store.add(new Coalescer(ports.clock, frameMs, () => this.flush()));
    this.rowsLater = this.store.add(new Coalescer(ports.clock, rowsMs, () => this.changed('sessions')));
  }

  start(): void {
    const { attached, chats, backends, chips, keyChords, newDraft, newOptions } = this.ports;
    this.store.add(chats.onDidChange(() => this.rowsLater.schedule()));
    this.store.add(
      backends.onDidChange(() => {
        this.changed('backends', 'chosenBackend', 'newOptions', 'newCommands');
        this.refreshChips();
      }),
    );
    this.store.add(newOptions.onDidChange(() => this.changed('newOptions', 'newCommands')));
    this.store.add(keyChords.onDidChange(() => this.changed('keyChords')));
    this.store.add(chips.onDidChange(() => this.refreshChips()));
    this.store.add(attached.onDidChange(() => this.refreshMissing()));
    this.store.add(newDraft.onDidMove((move) => this.current ?? this.draftMoved(move)));
  }

  get chat(): Chat | undefined {
    return this.current?.chat;
  }

  get hasPage(): boolean {
    return this.isListening;
  }

  /** Shows a conversation, or an empty page. With `keepsComposer`, the composer's contents move to it. */
  show(chat: Chat | undefined, keepsComposer = false): void {
    this.current?.store.dispose();
    this.current = undefined;
    this.moves = keepsComposer ? { keepsComposer } : {};
    if (chat) {
      const store = new DisposableStore();
      const feed = store.add(chat.transcript.feed(tail));
      store.add(chat.hold());
      store.add(
        chat.onDidChange(() => {
          this.changed('session');
          if (chat.isOutdated) this.ports.onOutdated(chat);
        }),
      );
      store.add(chat.onDidMoveDraft((move) => this.draftMoved(move)));
      store.add(chat.transcript.onDidChange(() => this.schedule()));
      this.current = { chat, feed, store };
    }
    this.changed('session', 'newOptions', 'draft', 'history');
    this.refreshChips();
    this.refreshMissing();
  }

  /** Starts posting to a new page, beginning with everything. */
  pageCame(): void {
    this.isListening = true;
    this.current?.feed.restart(tail);
    this.changed(...everything);
    this.frame.flushNow();
    this.refreshChips();
    this.refreshMissing();
  }

  /** Stops posting because the page is hidden or closed. */
  pageLeft(): void {
    this.isListening = false;
    this.frame.dispose();
    // The next page gets everything anyway.
    this.current?.feed.restart(tail);
  }

  /** Posts pending changes without waiting for the next frame. */
  flushNow(): void {
    if (this.isListening) this.frame.flushNow();
  }

  /** Adds about `count` older entries to what the page has. */
  loadOlder(count: number): void {
    this.current?.feed.showOlder(count);
    this.schedule();
  }

  draftSaved(): void {
    this.refreshMissing();
  }

  changed(...parts: readonly Part[]): void {
    for (const part of parts) this.dirty.add(part);
    this.schedule();
  }

  dispose(): void {
    this.isListening = false;
    this.current?.store.dispose();
    this.current = undefined;
    this.store.dispose();
  }

  /** Only the result of the last call is used. */
  private refreshChips(): void {
    if (!this.isListening) return;
    const asked = ++this.chipsAsked;
    const backendId = this.current?.chat.view.backendId ?? this.ports.backends.chosen?.id;
    const told = backendId === undefined ? Promise.resolve([]) : this.ports.chips.of(backendId);
    void told.then((chips) => {
      if (asked !== this.chipsAsked || this.store.isDisposed) return;
      this.chips = chips;
      this.changed('chips');
    });
  }

  private refreshMissing(): void {
    if (!this.isListening) return;
    const asked = ++this.missingAsked;
    void this.ports.attached.missing(this.draft.attachments).then((missing) => {
      if (asked !== this.missingAsked || this.store.isDisposed) return;
      if (missing.join('\n') === this.missing.join('\n')) return;
      this.missing = missing;
      this.changed('missing');
    });
  }

  private get draft(): Draft {
    return this.current?.chat.draft ?? this.ports.newDraft.value;
  }

  private draftMoved({ draft, kind }: DraftMove): void {
    this.refreshMissing();
    const { keepsComposer } = this.moves;
    // Sending again clears an earlier refusal.
    if (kind === 'sent') this.moves = { ...(keepsComposer && { keepsComposer }), sent: draft };
    else this.moves = { ...this.moves, refused: draft };
    if (kind === 'refused') this.changed('draft');
    else this.schedule();
  }

  private schedule(): void {
    if (this.isListening) this.frame.schedule();
  }

  private flush(): void {
    const { post, chats, backends, keyChords, newOptions, folders, isTrusted } = this.ports;
    const { chat, feed } = this.current ?? {};
    const history = chat?.history ?? [];
    if (history.length !== this.historyLength) this.dirty.add('history');
    this.historyLength = history.length;
    const isDirty = (part: Part): boolean => this.dirty.has(part);
    const chosen = backends.chosen?.id;
    const update: ChatUpdate = {
      ...(isDirty('session') ? { session: chat?.view ?? null } : {}),
      ...(feed?.hasNews ? { transcript: feed.take() } : {}),
      ...(isDirty('sessions') ? { sessions: chats.rows.slice(0, maxRows) } : {}),
      ...(isDirty('backends') ? { backends: [...backends.views] } : {}),
      ...(isDirty('chosenBackend') && chosen !== undefined ? { chosenBackend: chosen } : {}),
      ...(isDirty('newOptions') ? { newOptions: newOptions.of(chat?.view.backendId ?? chosen) } : {}),
      ...(isDirty('newOptions') ? { seenUnattended: newOptions.seen(chat?.view.backendId ?? chosen) ?? null } : {}),
      ...(isDirty('newCommands') ? { newCommands: [...newOptions.commandsOf(chosen)] } : {}),
      ...(isDirty('chips') ? { chips: this.chips } : {}),
      ...(isDirty('keyChords') ? { keyChords: [...keyChords.beginnings] } : {}),
      ...(isDirty('folders') ? { folders: [...folders()] } : {}),
      ...this.moves,
      ...(isDirty('draft') ? { draft: this.draft } : {}),
      ...(isDirty('missing') ? { missing: [...this.missing] } : {}),
      ...(isDirty('history') ? { history: [...history] } : {}),
      ...(isDirty('untrusted') ? { untrusted: !isTrusted() } : {}),
    };
    this.dirty.clear();
    this.moves = {};
    if (chat) newOptions.keepCommands(chat.view.backendId, chat.view.commands);
    if (Object.keys(update).length > 0) post(update);
  }
}

/** Returns the conversations with a pending approval. */
export function waitingRows(rows: readonly SessionRow[]): readonly SessionRow[] {
  return rows.filter(({ state }) => state === 'waiting');
}
