import { toDisposable, type Disposable } from '../../src/base/common/disposable';
import { Emitter } from '../../src/base/common/event';
import { withoutUndefined } from '../../src/base/common/withoutUndefined';
import {
  ChatError,
  type ApprovalAnswer,
  type Chat,
  type FileStatesBeforeAndAfter,
  type ChatFileChanges,
  type Chats,
  type ChatVisibility,
  type DiffTexts,
  type RevertOptions,
  type UneditedChangeCounts,
  type TurnTexts,
  type FullContents,
  type DraftTransition,
  type ExportFormat,
  type FoundConversations,
} from '../../src/chat/common/chatPorts';
import type { ConversationMarks } from '../../src/chat/common/list/conversationMarks';
import type { ChatRestores } from '../../src/chat/common/restore/restorePorts';
import type {
  BackendView,
  Draft,
  DraftAttachment,
  ConversationRow,
  ConversationView,
} from '../../src/chat/common/chatView';
import { emptyDraft, joinDrafts } from '../../src/chat/common/conversation/drafts';
import type { Entry, Part } from '../../src/transcript/common/entries';
import { TranscriptDocument } from '../../src/transcript/common/transcriptDocument';

const throwIt = (error: unknown): never => {
  throw error;
};

/** A conversation that says what the test lets it say, and notes what is asked of it. */
export class FakeChat implements Chat {
  readonly transcript = new TranscriptDocument(throwIt);
  readonly sent: Draft[] = [];
  readonly answers: { approvalId: string; option: string; shown?: string; reason?: Draft }[] = [];
  readonly stops: string[] = [];
  /** Ids of the entries whose prompts were sent again. */
  readonly retried: string[] = [];
  lastRecordedAt: number | undefined;
  readonly sentPromptTexts: string[] = [];
  /** What files were before, by path. */
  readonly before = new Map<string, string | null>();
  /** What turns have made of files, by number and path. */
  readonly turns = new Map<string, TurnTexts>();
  separable: UneditedChangeCounts = { separable: 0, total: 1 };
  /** Paths of which only the separable changes were undone. */
  readonly partlyUndone: string[] = [];
  /** What reverting one does; throws to refuse. */
  onRevert: (path: string, force: boolean, options: RevertOptions) => Promise<void> = () => Promise.resolve();
  onSend: () => Promise<void> = () => Promise.resolve();
  onStop: () => void = () => undefined;
  diff: DiffTexts | undefined;
  visibility: ChatVisibility = 'hidden';
  isOutdated = false;
  /** How many hold it. */
  holders = 0;
  draft = emptyDraft;
  private readonly emitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.emitter.event;
  private readonly moves = new Emitter<DraftTransition>(throwIt);
  readonly onDidSendOrRestoreDraft = this.moves.event;
  readonly restores: ChatRestores = {
    remainingChanges: [],
    get: () => undefined,
    last: undefined,
    beginUndo: () => Promise.resolve('undo-1'),
    isAsSaved: () => Promise.resolve(true),
    endUndo: () => Promise.resolve([]),
    gitMovesSinceChanges: () => Promise.resolve([]),
    compareTexts: () => Promise.resolve({ differing: [], changedSince: [] }),
    restoreTexts: () => Promise.resolve(),
    restorePointBefore: () => Promise.reject(new ChatError('notFound', 'It is no longer there.')),
    copyPresentState: () => Promise.resolve({ recordsBefore: [], remoteId: undefined, draft: undefined }),
    copyForAside: () => Promise.resolve({ recordsBefore: [], remoteId: undefined, draft: undefined }),
    discardCopy: () => Promise.resolve(),
    pathsEditedByOthers: () => Promise.resolve(new Set<string>()),
    pathsOfOthersSince: () => Promise.resolve(new Map<string, string>()),
    whenTurnRecorded: () => Promise.resolve(),
    claim: () => Promise.resolve(),
    tellOthers: (_files, write) => write(),
    tellRestored: () => Promise.resolve(),
    replaceChanges: () => Promise.resolve(),
    recordRestore: () => Promise.resolve(),
    recordUndone: () => Promise.resolve(),
  };
  /** By turn (or `all`) and path. */
  readonly states = new Map<string, FileStatesBeforeAndAfter>();
  readonly fileChanges: ChatFileChanges;
  private current: ConversationView;

  constructor(readonly id: string) {
    const listOf = () => this.current.changes;
    this.fileChanges = {
      get list() {
        return listOf();
      },
      onDidChange: new Emitter<void>(throwIt).event,
      filesOfTurns: ({ first, last }) =>
        [...this.turns].flatMap(([key, { path }]) => {
          const turn = Number.parseInt(key, 10);
          return turn >= first && turn <= last ? [{ path }] : [];
        }),
      textsOfTurns: (path, { first }) => {
        const { before, after } = this.turns.get(`${first} ${path}`) ?? {};
        return Promise.resolve({ before, after, isCurrent: before !== undefined && after === undefined });
      },
      textBefore: (path) => Promise.resolve(this.before.get(path)),
      turnTexts: (path, turn) => Promise.resolve(this.turns.get(`${turn} ${path}`)),
      statesOf: (path, turn) => this.states.get(`${turn ?? 'all'} ${path}`),
      countUneditedChanges: () => Promise.resolve(this.separable),
      undoUneditedChanges: (path) => {
        this.partlyUndone.push(path);
        return Promise.resolve(this.separable);
      },
      baseline: (path) => Promise.resolve(this.before.get(path)),
      texts: (path) => Promise.resolve({ baseline: this.before.get(path), text: undefined }),
      keepHunk: () => Promise.resolve(),
      undoHunk: () => Promise.resolve(),
      refresh: () => Promise.resolve(),
    };
    this.current = {
      id,
      title: `Chat ${id}`,
      backendId: 'demo-agent',
      backendTitle: 'Demo agent',
      status: 'idle',
      approvals: [],
      queue: [],
      options: [],
      commands: [],
      takesImages: false,
      changes: [],
    };
  }

  get view(): ConversationView {
    return this.current;
  }

  setVisibility(visibility: ChatVisibility): void {
    this.visibility = visibility;
  }

  keepOpen(): Disposable {
    this.holders++;
    return toDisposable(() => {
      this.holders--;
    });
  }

  change(view: Partial<ConversationView>): void {
    this.current = { ...this.current, ...view };
    this.emitter.fire();
  }

  say(entry: Entry): void {
    this.transcript.put(entry);
  }

  restoreLost(draft: Draft): void {
    this.draft = joinDrafts(draft, this.draft);
  }

  saveDraft(draft: Draft): void {
    this.draft = draft;
  }

  async send(draft: Draft, along: readonly DraftAttachment[] = []): Promise<void> {
    this.draft = emptyDraft;
    this.moves.fire({ kind: 'sent', draft });
    try {
      await this.onSend();
    } catch (error) {
      this.draft = joinDrafts(draft, this.draft);
      this.moves.fire({ kind: 'refused', draft });
      throw error;
    }
    this.sent.push({ ...draft, attachments: [...draft.attachments, ...along] });
    this.sentPromptTexts.push(draft.text);
    this.emitter.fire();
  }

  unqueue(id: string): Promise<Draft> {
    const found = this.current.queue.find((queued) => queued.id === id);
    if (!found) return Promise.reject(new ChatError('notFound', 'It was sent already.'));
    this.change({ queue: this.current.queue.filter((queued) => queued !== found) });
    return Promise.resolve({ text: found.text, attachments: found.attachments });
  }

  /** Ids of the queued prompts that were to join the turn, or for which it was to be stopped. */
  readonly steered: string[] = [];
  readonly sentNext: string[] = [];

  steerQueued(id: string): Promise<void> {
    this.steered.push(id);
    return Promise.resolve();
  }

  stopAndSend(id: string): Promise<void> {
    this.sentNext.push(id);
    return Promise.resolve();
  }

  sendFirstQueuedPrompt(): Promise<void> {
    return Promise.resolve();
  }

  retry(entryId: string): Promise<void> {
    this.retried.push(entryId);
    return Promise.resolve();
  }

  sendContinue(): Promise<void> {
    this.sent.push({ text: 'Continue', attachments: [] });
    return Promise.resolve();
  }

  stopCall(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.stops.push(this.id);
    this.onStop();
    return Promise.resolve();
  }

  answerApproval({ approvalId, option, shown }: ApprovalAnswer, reason?: Draft): Promise<void> {
    this.answers.push({ approvalId, option, ...withoutUndefined({ shown, reason }) });
    this.change({ approvals: this.current.approvals.filter(({ id }) => id !== approvalId) });
    return Promise.resolve();
  }

  setOption(): Promise<void> {
    return Promise.resolve();
  }

  readonly fullEntries: FullContents<Entry> = {
    fullContent: (entryId) => this.transcript.get(entryId),
    diffTexts: () => this.diff,
  };

  readonly fullApprovals: FullContents<Part[]> = {
    fullContent: (approvalId) => this.view.approvals.find(({ id }) => id === approvalId)?.parts,
    diffTexts: () => this.diff,
  };

  /** The restore with which a file without text was reverted. */
  restoreId: string | undefined;

  async revert(path: string, options: RevertOptions = {}): Promise<string | undefined> {
    await this.onRevert(path, options.force ?? false, options);
    this.change({ changes: this.current.changes.filter((change) => change.path !== path) });
    return this.restoreId;
  }

  keepChanges(path?: string): Promise<void> {
    this.change({ changes: path === undefined ? [] : this.current.changes.filter((change) => change.path !== path) });
    return Promise.resolve();
  }
}

/** Conversations in memory, with a demo agent and one that is not ready. */
export class FakeChats implements Chats {
  readonly opened = new Map<string, FakeChat>();
  /** Ids of the conversations that were removed for all. */
  readonly removed: string[] = [];
  /** When conversations are marked as deleted. */
  nowMs = 0;
  /** What sending does in those that begin from now on. */
  onSend: (() => Promise<void>) | undefined;
  /** Awaited before one is there that is begun or opened. */
  beforeOpening: () => Promise<void> = () => Promise.resolve();
  rows: readonly ConversationRow[] = [];
  repositories: readonly string[] = [];
  views: readonly BackendView[] = [
    backendView('demo-agent', 'demo', 'stopped'),
    backendView('other', 'found', 'ready'),
  ];
  private readonly emitter = new Emitter<void>(throwIt);
  private readonly backendsEmitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.emitter.event;
  readonly onDidChangeBackends = this.backendsEmitter.event;
  private readonly filesEmitter = new Emitter<void>(throwIt);
  readonly onDidChangeFiles = this.filesEmitter.event;

  private readonly showEmitter = new Emitter<string>(throwIt);
  readonly onDidRequestShow = this.showEmitter.event;

  showInItsWindow(): Promise<void> {
    return Promise.resolve();
  }

  /** Puts a conversation into the list. */
  add(id: string, state: ConversationRow['state'] = 'idle'): FakeChat {
    const chat = this.opened.get(id) ?? new FakeChat(id);
    this.opened.set(id, chat);
    const row: ConversationRow = {
      id,
      title: chat.view.title,
      backendId: 'demo',
      backendTitle: 'Demo agent',
      updatedAt: 0,
      state,
    };
    this.rows = [row, ...this.rows.filter((known) => known.id !== id)];
    this.emitter.fire();
    return chat;
  }

  changeBackends(views: readonly BackendView[]): void {
    this.views = views;
    this.backendsEmitter.fire();
  }

  search(query: string): Promise<FoundConversations> {
    const rows = this.rows.filter(({ title }) => title.includes(query));
    return Promise.resolve({ found: rows.map((row) => ({ row })) });
  }

  listRemoteSessions(): Promise<readonly ConversationRow[]> {
    return Promise.resolve([]);
  }

  backends(): Promise<readonly BackendView[]> {
    return Promise.resolve(this.views);
  }

  readonly prepared: string[] = [];

  get openChats(): readonly FakeChat[] {
    return [...this.opened.values()];
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  /** Events that another window has told. */
  readonly toldElsewhere = new Set<string>();

  claimNotice(event: string): Promise<boolean> {
    return Promise.resolve(!this.toldElsewhere.has(event));
  }

  async answerFromRow(sessionId: string, answer: ApprovalAnswer): Promise<void> {
    await (await this.open(sessionId)).answerApproval(answer);
  }

  prepare(backendId: string): void {
    this.prepared.push(backendId);
  }

  closePreparedExcept(): void {
    // None is made.
  }

  setPromptExpected(): void {
    // None is made.
  }

  async create(backendId: string): Promise<FakeChat> {
    await this.beforeOpening();
    const chat = this.add(`new-${this.opened.size + 1}`);
    chat.change({ backendId });
    if (this.onSend) chat.onSend = this.onSend;
    return chat;
  }

  async open(sessionId: string): Promise<FakeChat> {
    await this.beforeOpening();
    const chat = this.opened.get(sessionId);
    if (!chat) throw new ChatError('notFound', 'It is no longer there.');
    return chat;
  }

  async fork(sessionId: string, _entryId?: string, how?: unknown): Promise<FakeChat> {
    const { title: about } = (await this.open(sessionId)).view;
    if (how !== 'aside') return this.add(`fork-of-${sessionId}`);
    const id = `aside-of-${sessionId}`;
    const chat = new FakeChat(id);
    this.opened.set(id, chat);
    this.openAsides = [{ id, updatedAt: 0, about: 'Chat one' }];
    chat.change({ aside: { about } });
    return chat;
  }

  isStartedBy(): Promise<boolean> {
    return Promise.resolve(false);
  }

  locateFolder(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }

  openAsides: Chats['openAsides'] = [];
  deleted: readonly { readonly id: string; readonly deletedAt: number }[] = [];
  /** Rows of deleted conversations, which come back if that is taken back. */
  private readonly deletedRows = new Map<string, ConversationRow>();

  titleOf(sessionId: string): string | undefined {
    return this.rows.find(({ id }) => id === sessionId)?.title;
  }

  async stopTurn(sessionId: string): Promise<void> {
    await (await this.open(sessionId)).stop();
  }

  closeUnused(): void {
    // None is closed.
  }

  /** What was pinned, archived and deleted, in order. */
  readonly marked: [id: string, marks: ConversationMarks][] = [];

  setMarks(sessionId: string, marks: ConversationMarks): Promise<void> {
    this.marked.push([sessionId, marks]);
    const { isDeleted, keptAside } = marks;
    if (keptAside) {
      this.openAsides = this.openAsides.filter(({ id }) => id !== sessionId);
      this.opened.get(sessionId)?.change({ aside: { ...keptAside, isKept: true } });
    }
    const row = this.rows.find(({ id }) => id === sessionId) ?? this.deletedRows.get(sessionId);
    if (row && isDeleted === true) {
      this.deletedRows.set(sessionId, row);
      this.rows = this.rows.filter(({ id }) => id !== sessionId);
      this.deleted = [...this.deleted, { id: sessionId, deletedAt: this.nowMs }];
    } else if (row && isDeleted === false) {
      this.rows = [row, ...this.rows];
      this.deleted = this.deleted.filter(({ id }) => id !== sessionId);
    }
    this.emitter.fire();
    return Promise.resolve();
  }

  rename(sessionId: string, title: string): Promise<void> {
    this.opened.get(sessionId)?.change({ title });
    return Promise.resolve();
  }

  delete(sessionId: string): Promise<void> {
    this.removed.push(sessionId);
    this.openAsides = this.openAsides.filter(({ id }) => id !== sessionId);
    this.deleted = this.deleted.filter(({ id }) => id !== sessionId);
    this.opened.delete(sessionId);
    this.rows = this.rows.filter(({ id }) => id !== sessionId);
    this.emitter.fire();
    return Promise.resolve();
  }

  export(sessionId: string, format: ExportFormat): Promise<string> {
    return Promise.resolve(`${sessionId} as ${format}`);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.emitter.dispose();
    this.backendsEmitter.dispose();
  }
}

export function backendView(id: string, source: BackendView['source'], state: BackendView['state']): BackendView {
  return { id, title: `The ${id}`, description: id, source, state };
}
