import { Coalescer, type Clock } from '../../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../../base/common/disposable';
import type { Event } from '../../../../base/common/event';
import type { ReviewCounts, ReviewProgress } from '../../../../changes/common/review/reviewedMarks';
import type { EnterDuringTurn } from '../../../../platform/common/settings';
import type { LoadAnswer, LoadRequest } from '../../../../transcript/common/loadRequest';
import { initialEntryCount, type TranscriptFeed } from '../../../../transcript/common/transcriptFeed';
import type { ChatUpdate } from '../chatApi';
import type { Chat, Chats, DraftTransition } from '../../chatPorts';
import { insertDraft } from '../../conversation/drafts';
import type { MissingAttachments } from '../../mentions/missingAttachments';
import type { ContextChipView, Draft, MentionRow } from '../../chatView';
import { isArchivedAway } from '../../list/rowState';
import type { PageNotices } from '../../marks/pageNotices';
import type { OfferedContext } from '../../mentions/offeredContext';
import type { SharedDraft } from '../../conversation/sharedDraft';
import type { BackendChoice } from '../backendChoice';
import type { NewSessionOptions } from '../newSessionOptions';
import type { PageChips } from '../pageChips';
import type { Presets } from '../../prompts/presets';
import { PagePace } from './pagePace';

/** How many comments were not sent. */
export interface DraftComments {
  readonly value: number;
  readonly onDidChange: Event<void>;
}

interface PageFeedPorts {
  readonly chats: Pick<Chats, 'rows' | 'onDidChange'>;
  readonly backends: Pick<BackendChoice, 'backendViews' | 'chosenBackend' | 'onDidChange'>;
  readonly chips: Pick<PageChips, 'chipsFor' | 'onDidChange'>;
  readonly offered: Pick<OfferedContext, 'currentRow' | 'onDidChange'>;
  readonly attached: Pick<MissingAttachments, 'findMissing' | 'onDidChange'>;
  readonly keyChords: { readonly prefixes: readonly string[]; readonly onDidChange: Event<void> };
  readonly enterDuringTurn: { readonly value: EnterDuringTurn; readonly onDidChange: Event<void> };
  readonly newOptions: Pick<NewSessionOptions, 'of' | 'commandsFor' | 'rememberCommands' | 'onDidChange'>;
  readonly presets: Pick<Presets, 'onDidChange' | 'presetFor' | 'viewFor'>;
  readonly notices: Pick<PageNotices, 'views' | 'onDidChange'>;
  readonly reviewed: Pick<ReviewProgress, 'countsOf' | 'onDidChange'>;
  readonly draftComments: DraftComments;
  readonly folders: () => readonly string[];
  readonly isTrusted: () => boolean;
  readonly newDraft: Pick<SharedDraft, 'value' | 'onDidSendOrRestore'>;
  readonly post: (update: ChatUpdate) => void;
  /** Called when the displayed conversation must be opened again. */
  readonly onOutdated: (chat: Chat) => void;
  readonly clock: Clock;
}

const rowsMs = 250;
/** Maximum number of rows that are sent. The user can search for others. */
const maxRows = 200;

type UpdatePart = Exclude<
  keyof ChatUpdate,
  'transcript' | 'heardAt' | 'sent' | 'refused' | 'keepsComposer' | 'seenUnattended'
>;
const allParts: readonly UpdatePart[] = [
  'session',
  'sessions',
  'backends',
  'chosenBackend',
  'newOptions',
  'newCommands',
  'standing',
  'chips',
  'offered',
  'keyChords',
  'enterDuringTurn',
  'folders',
  'draft',
  'missing',
  'history',
  'notices',
  'reviewed',
  'draftComments',
  'untrusted',
];

/** Sends changes to one page, as fast as the page can show them. Sends nothing without a page. A new page gets everything. */
export class PageFeed implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly pace: PagePace;
  private readonly rowsCoalescer: Coalescer;
  private readonly dirtyParts = new Set<UpdatePart>();
  private shownChat:
    { readonly chat: Chat; readonly feed: TranscriptFeed; readonly store: DisposableStore } | undefined;
  private sentPromptCount = 0;
  /** Changes to the draft that were not sent yet. */
  private draftUpdate: Pick<ChatUpdate, 'sent' | 'refused' | 'keepsComposer'> = {};
  private readonly chipsReading = new LatestReading<readonly ContextChipView[]>([]);
  private readonly offeredReading = new LatestReading<MentionRow | undefined>(undefined);
  private readonly missingReading = new LatestReading<readonly string[]>([]);
  private isPageConnected = false;

  constructor(private readonly ports: PageFeedPorts) {
    this.pace = this.disposables.add(new PagePace(ports.clock, () => this.postUpdate()));
    this.rowsCoalescer = this.disposables.add(new Coalescer(ports.clock, rowsMs, () => this.markDirty('sessions')));
  }

  start(): void {
    const {
      attached,
      chats,
      backends,
      chips,
      draftComments,
      enterDuringTurn,
      keyChords,
      newDraft,
      newOptions,
      notices,
      offered,
      presets,
      reviewed,
    } = this.ports;
    this.disposables.add(chats.onDidChange(() => this.rowsCoalescer.schedule()));
    this.disposables.add(
      backends.onDidChange(() => {
        this.markDirty('backends', 'chosenBackend', 'newOptions', 'newCommands', 'standing');
        this.refreshChips();
      }),
    );
    this.disposables.add(newOptions.onDidChange(() => this.markDirty('newOptions', 'newCommands')));
    this.disposables.add(presets.onDidChange(() => this.markDirty('standing')));
    this.disposables.add(notices.onDidChange(() => this.markDirty('notices')));
    this.disposables.add(keyChords.onDidChange(() => this.markDirty('keyChords')));
    this.disposables.add(enterDuringTurn.onDidChange(() => this.markDirty('enterDuringTurn')));
    this.disposables.add(draftComments.onDidChange(() => this.markDirty('draftComments')));
    this.disposables.add(reviewed.onDidChange(() => this.markDirty('reviewed')));
    this.disposables.add(chips.onDidChange(() => this.refreshChips()));
    this.disposables.add(offered.onDidChange(() => this.refreshOffered()));
    this.disposables.add(attached.onDidChange(() => this.refreshMissingAttachments()));
    this.disposables.add(newDraft.onDidSendOrRestore((move) => this.shownChat ?? this.handleDraftTransition(move)));
  }

  get chat(): Chat | undefined {
    return this.shownChat?.chat;
  }

  get hasPage(): boolean {
    return this.isPageConnected;
  }

  /** Shows a conversation or an empty page. `keepsComposer`: the composer's content moves to the conversation. */
  show(chat: Chat | undefined, keepsComposer = false): void {
    // It was opened for a page that was closed meanwhile, which would keep it open.
    if (this.disposables.isDisposed) return;
    this.shownChat?.store.dispose();
    this.shownChat = undefined;
    this.draftUpdate = keepsComposer ? { keepsComposer } : {};
    if (chat) {
      const store = new DisposableStore();
      const feed = store.add(chat.transcript.createFeed(initialEntryCount));
      store.add(chat.keepOpen('page'));
      store.add(
        chat.onDidChange(() => {
          this.markDirty('session');
          if (chat.isOutdated) this.ports.onOutdated(chat);
        }),
      );
      store.add(chat.onDidSendOrRestoreDraft((move) => this.handleDraftTransition(move)));
      store.add(chat.transcript.onDidChange(() => this.scheduleFrame()));
      this.shownChat = { chat, feed, store };
    }
    this.markDirty('session', 'newOptions', 'standing', 'draft', 'history', 'reviewed');
    this.refreshChips();
    this.refreshMissingAttachments();
  }

  /** Starts sending to a new page. The first message contains everything. */
  connectPage(): void {
    this.isPageConnected = true;
    this.pace.dispose();
    this.shownChat?.feed.restart(initialEntryCount);
    this.markDirty(...allParts);
    this.pace.flushNow();
    this.refreshChips();
    this.refreshOffered();
    this.refreshMissingAttachments();
  }

  /** Stops sending, because the page is hidden or closed. */
  disconnectPage(): void {
    this.isPageConnected = false;
    this.pace.dispose();
    // This state is no longer needed, because the next page gets everything.
    this.shownChat?.feed.restart(initialEntryCount);
  }

  /** Sends pending changes without waiting for the next frame or for the page. */
  flushNow(): void {
    if (this.isPageConnected) this.pace.flushNow();
  }

  /** The page has shown one of the updates. */
  onShown(): void {
    if (this.isPageConnected) this.pace.onShown();
  }

  /** The page responds, so that none of its answers is waited for any longer. */
  onAlive(): void {
    if (this.isPageConnected) this.pace.forgetUnshown();
  }

  /** Sends the entries at once, so that the page has them before the answer. */
  load(request: LoadRequest): LoadAnswer {
    const answer = this.shownChat?.feed.load(request);
    this.scheduleFrame();
    this.flushNow();
    return answer ?? { isFound: false };
  }

  checkForMissingAttachments(): void {
    this.refreshMissingAttachments();
  }

  markDirty(...parts: readonly UpdatePart[]): void {
    for (const part of parts) this.dirtyParts.add(part);
    this.scheduleFrame();
  }

  dispose(): void {
    this.isPageConnected = false;
    this.shownChat?.store.dispose();
    this.shownChat = undefined;
    this.disposables.dispose();
  }

  private refreshChips(): void {
    const backendId = this.shownChat?.chat.view.backendId ?? this.ports.backends.chosenBackend?.id;
    this.refresh(this.chipsReading, 'chips', async () =>
      backendId === undefined ? [] : await this.ports.chips.chipsFor(backendId),
    );
  }

  private refreshOffered(): void {
    this.refresh(this.offeredReading, 'offered', () => this.ports.offered.currentRow());
  }

  private refreshMissingAttachments(): void {
    this.refresh(this.missingReading, 'missing', () => this.ports.attached.findMissing(this.draft.attachments));
  }

  private refresh<Value>(reading: LatestReading<Value>, part: UpdatePart, read: () => Promise<Value>): void {
    if (!this.isPageConnected) return;
    void reading.read(read).then((hasChanged) => {
      if (hasChanged && !this.disposables.isDisposed) this.markDirty(part);
    });
  }

  private get draft(): Draft {
    return this.shownChat?.chat.draft ?? this.ports.newDraft.value;
  }

  private handleDraftTransition({ after, draft, kind }: DraftTransition): void {
    this.refreshMissingAttachments();
    const { keepsComposer } = this.draftUpdate;
    // When the prompt is sent again, an earlier refusal no longer matters.
    if (kind === 'sent') this.draftUpdate = { ...(keepsComposer && { keepsComposer }), sent: draft };
    else {
      // The page adds it to what the user has typed, so an earlier one that it does not have yet must not be lost.
      const { refused } = this.draftUpdate;
      this.draftUpdate = { ...this.draftUpdate, refused: refused ? insertDraft(refused, draft, after) : draft };
    }
    if (kind === 'refused') this.markDirty('draft');
    else this.scheduleFrame();
  }

  private get reviewedCounts(): ReviewCounts | undefined {
    const changed = this.chat?.fileChanges.list.map(({ path }) => path) ?? [];
    return this.ports.reviewed.countsOf(changed);
  }

  private scheduleFrame(): void {
    if (this.isPageConnected) this.pace.schedule();
  }

  private postUpdate(): void {
    const { post, chats, backends, enterDuringTurn, keyChords, newOptions, notices, presets, folders, isTrusted } =
      this.ports;
    const { chat, feed } = this.shownChat ?? {};
    const history = chat?.sentPromptTexts ?? [];
    if (history.length !== this.sentPromptCount) this.dirtyParts.add('history');
    this.sentPromptCount = history.length;
    const isDirty = (part: UpdatePart): boolean => this.dirtyParts.has(part);
    const chosen = backends.chosenBackend?.id;
    const backendId = chat?.view.backendId ?? chosen;
    const options = backendId === undefined ? undefined : newOptions.of(backendId);
    const update: ChatUpdate = {
      ...(isDirty('session') ? { session: chat?.view ?? null } : {}),
      ...(feed?.hasChanges ? { transcript: feed.takePatch() } : {}),
      ...(isDirty('sessions') ? { sessions: chats.rows.filter((row) => !isArchivedAway(row)).slice(0, maxRows) } : {}),
      ...(isDirty('backends') ? { backends: [...backends.backendViews] } : {}),
      ...(isDirty('chosenBackend') && chosen !== undefined ? { chosenBackend: chosen } : {}),
      ...(isDirty('newOptions') ? { newOptions: options?.options ?? [] } : {}),
      ...(isDirty('newOptions') ? { seenUnattended: options?.observedUnattendedAction ?? null } : {}),
      ...(isDirty('newCommands') ? { newCommands: [...newOptions.commandsFor(chosen)] } : {}),
      ...(isDirty('standing')
        ? { standing: presets.viewFor(chat ? chat.view.preset : presets.presetFor(chosen)) }
        : {}),
      ...(isDirty('chips') ? { chips: [...this.chipsReading.value] } : {}),
      ...(isDirty('offered') ? { offered: this.offeredReading.value ?? null } : {}),
      ...(isDirty('keyChords') ? { keyChords: [...keyChords.prefixes] } : {}),
      ...(isDirty('enterDuringTurn') ? { enterDuringTurn: enterDuringTurn.value } : {}),
      ...(isDirty('folders') ? { folders: [...folders()] } : {}),
      ...this.draftUpdate,
      ...(isDirty('draft') ? { draft: this.draft } : {}),
      ...(isDirty('missing') ? { missing: [...this.missingReading.value] } : {}),
      ...(isDirty('history') ? { history: [...history] } : {}),
      ...(isDirty('notices') ? { notices: [...notices.views] } : {}),
      ...(isDirty('draftComments') ? { draftComments: this.ports.draftComments.value } : {}),
      ...(isDirty('reviewed') ? { reviewed: this.reviewedCounts ?? null } : {}),
      ...(isDirty('untrusted') ? { untrusted: !isTrusted() } : {}),
    };
    this.dirtyParts.clear();
    this.draftUpdate = {};
    if (chat) newOptions.rememberCommands(chat.view.backendId, chat.view.commands);
    const heardAt = chat?.lastRecordedAt;
    const isAboutChat = update.session !== undefined || update.transcript !== undefined;
    if (Object.keys(update).length === 0) return;
    this.pace.onPosted();
    post({ ...update, ...(isAboutChat && heardAt !== undefined && { heardAt }) });
  }
}

/** A value that is read again whenever it may have changed. Of readings that overlap, only the last one counts. */
class LatestReading<Value> {
  private readingCount = 0;

  constructor(private currentValue: Value) {}

  get value(): Value {
    return this.currentValue;
  }

  /** Returns whether the value has changed. Values are compared by their JSON. Rejects if `read` does. */
  async read(read: () => Promise<Value>): Promise<boolean> {
    const reading = ++this.readingCount;
    const value = await read();
    if (reading !== this.readingCount || JSON.stringify(value) === JSON.stringify(this.currentValue)) return false;
    this.currentValue = value;
    return true;
  }
}
