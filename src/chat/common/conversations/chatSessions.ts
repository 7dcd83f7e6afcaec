import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { BackendError, type CreateSessionOptions, type SessionBackend } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import type { TextSpool } from '../../../transcript/common/entryStore';
import type { WriteObserver } from '../../../editor/common/writeObserver';
import type { ChatFileAccess } from '../chatFileAccess';
import type { AgentWrites } from '../writes/agentWrites';
import { ChatsWriteObserver } from '../writes/chatsWriteObserver';
import { FileTextClaims } from '../writes/fileTextClaims';
import type { Chat, Chats, ExportFormat, FoundConversations, ForkAgent, NewChatOptions } from '../chatPorts';
import { ChatSession, type ChatSessionPorts } from '../conversation/chatSession';
import type { ChatStore, ConversationHead } from '../chatStore';
import type { BackendView, ConversationRow } from '../chatView';
import { sendPromptsWaitingForSignIn } from '../signIn/sendWaitingPrompts';
import { marksInHead } from '../list/conversationMarks';
import { addFork, requireAsks } from '../restore/forkOf';
import { backendView } from './backendView';
import { ConversationRows, isStoredAsFirst, newestFirst } from './conversationRow';
import { exportConversation } from '../log/exportConversation';
import { createSessionOptions, type SessionPlace } from './sessionOptions';
import { IdleChatCloser } from './idleChatCloser';
import { logVersion } from '../conversation/logRecord';
import { PreparedSessions } from './preparedSessions';
import type { AttachmentResolver } from '../conversation/promptDelivery';
import { parseRemoteRowId } from './remoteRows';
import { RemoteSessions, type RemoteSearchOptions } from './remoteSessions';
import type { NewSessionOptionsPort } from './newSessionOptionsPort';
import type { UnsavedFiles } from '../unsaved/promptSaves';
import type { OtherWindows } from '../windows/otherWindows';
import { SharedConversations } from '../windows/sharedConversations';
import { OpenBackends } from './openBackends';

interface ChatSessionsPorts extends Pick<ChatSessionPorts, 'onDidSpeak'> {
  readonly backends: BackendRegistry;
  readonly store: ChatStore;
  readonly files: ChatFileAccess;
  readonly agentWrites?: AgentWrites;
  readonly attachments: AttachmentResolver;
  readonly clock: Clock;
  readonly log: Logger;
  /** Storage for all workspaces, not only for this one. */
  readonly memento: Memento;
  /** Returns a globally unique id that contains only letters, digits and `-`. */
  readonly newId: () => string;
  readonly sessionDefaults: NewSessionOptionsPort;
  readonly unsavedFiles: UnsavedFiles;
  readonly createSpool?: () => TextSpool;
  /** Without it, nothing is known of other windows. */
  readonly windows?: OtherWindows;
}

const loadTimeoutMs = 120_000;

/** The conversations of a window: those that are open, and those stored on disk. */
export class ChatSessions implements Chats, WriteObserver {
  private readonly chats = new Map<string, ChatSession>();
  private readonly openingById = new Map<string, Promise<ChatSession>>();
  private readonly disposables = new DisposableStore();
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('a listener failed', error);
  private readonly onCloseError = (error: unknown): void => this.ports.log.error('cannot close a conversation', error);
  private readonly changeEmitter = this.disposables.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changeEmitter.event;
  private readonly backendsEmitter = this.disposables.add(new Emitter<void>(this.onListenerError));
  readonly onDidChangeBackends = this.backendsEmitter.event;
  private readonly showEmitter = this.disposables.add(new Emitter<string>(this.onListenerError));
  readonly onDidRequestShow = this.showEmitter.event;
  private readonly fileChangesEmitter = this.disposables.add(new Emitter<void>(this.onListenerError));
  readonly onDidChangeFiles = this.fileChangesEmitter.event;
  private readonly writeObserver = new ChatsWriteObserver(() => this.chats.values());
  readonly beforeWrite = this.writeObserver.beforeWrite;
  readonly afterWrite = this.writeObserver.afterWrite;
  readonly afterFailedWrite = this.writeObserver.afterFailedWrite;
  readonly beginCommand = this.writeObserver.beginCommand;
  /** Whether the first checkpoint was prepared. It takes longest, so it is prepared while the user types. */
  private isCheckpointPrepared = false;
  /** The last query, if not all texts could be searched yet. When it is searched again, agents are not asked again. */
  private unfinishedQuery: string | undefined;
  private readonly remoteSessions: RemoteSessions;
  private readonly usedBackends: OpenBackends;
  private readonly idleChatCloser: IdleChatCloser<ChatSession>;
  private readonly preparedSessions: PreparedSessions;
  private readonly sharedConversations: SharedConversations;
  private readonly conversationRows: ConversationRows;
  private readonly chatSessionPorts: ChatSessionPorts;

  constructor(private readonly ports: ChatSessionsPorts) {
    const { backends, clock, log, memento } = ports;
    this.sharedConversations = new SharedConversations(
      ports.windows,
      this.chats,
      (id) => this.showEmitter.fire(id),
      (id) => this.idleChatCloser.closeForOther(id),
    );
    this.conversationRows = new ConversationRows(ports.store, this.sharedConversations);
    this.remoteSessions = new RemoteSessions(backends, clock, log, memento, (id) => this.usedBackends.get(id));
    const backendEvents = {
      onReady: (backend: SessionBackend) => void this.remoteSessions.catchUp(backend),
      onChange: () => this.backendsEmitter.fire(),
    };
    this.usedBackends = this.disposables.add(new OpenBackends(backends, clock, log, backendEvents));
    const onClosing = (id: string): void => {
      this.sharedConversations.remove(id);
      this.fileChangesEmitter.fire();
    };
    const closing = { clock, chats: this.chats, onClosing, onError: this.onCloseError };
    this.idleChatCloser = this.disposables.add(new IdleChatCloser(closing));
    const createOptions = (place: SessionPlace): CreateSessionOptions =>
      createSessionOptions(place, ports.files.editor, ports.sessionDefaults);
    this.preparedSessions = this.disposables.add(
      new PreparedSessions({
        ...ports,
        open: (id) => this.usedBackends.open(id),
        createOptions,
        forget: (backendId, id) => this.remoteSessions.hideAndDelete(backendId, id),
      }),
    );
    this.chatSessionPorts = {
      ...ports,
      claims: new FileTextClaims(),
      readStored: (id) => ports.store.read(id),
      createOptions,
      createSession: (backend, options, signal) => this.preparedSessions.takeOrCreate(backend, options, signal),
      onBackendOpened: (backend) => this.usedBackends.add(backend),
      closeFork: (backendId, id) => this.usedBackends.closeFork(backendId, id),
      discardFork: (backendId, remoteId) => this.hideAndDeleteRemoteSession({ backendId, remoteId }),
    };
  }

  /** Reads the list and starts watching for changes by other windows. */
  async start(): Promise<void> {
    const { backends, store, windows } = this.ports;
    const listeners = [
      ...(windows ? [windows.onDidChange(() => this.noteChange())] : []),
      store.onDidChange(() => this.noteChange()),
      backends.onDidChange(() => this.backendsEmitter.fire()),
      ...(backends.onDidSignIn ? [backends.onDidSignIn((id) => void this.sendPromptsWaitingForSignIn(id))] : []),
    ];
    for (const listener of listeners) this.disposables.add(listener);
    this.idleChatCloser.start();
    await store.start();
  }

  get openChats(): readonly ChatSession[] {
    return [...this.chats.values()];
  }

  get repositories(): readonly string[] {
    return this.conversationRows.repositories;
  }

  get rows(): readonly ConversationRow[] {
    return this.conversationRows.all;
  }

  async search(query: string, signal?: AbortSignal): Promise<FoundConversations> {
    const asked = query === this.unfinishedQuery ? [] : this.usedBackends.runningBackends;
    if (query !== this.unfinishedQuery) void this.usedBackends.connectRunningServers();
    const [{ found, left }, remote] = await Promise.all([
      this.ports.store.search(query, signal),
      this.remoteSessions.search(asked, query, this.remoteSearchOptions(signal)),
    ]);
    this.unfinishedQuery = left && query;
    const rows = [...this.conversationRows.found(found), ...remote.map((row) => ({ row }))];
    return { found: rows, ...withoutUndefined({ left }) };
  }

  async listRemoteSessions(backendId: string, signal: AbortSignal): Promise<readonly ConversationRow[]> {
    const backend = await this.usedBackends.open(backendId);
    return [...(await this.remoteSessions.listSessions(backend, this.remoteSearchOptions(signal)))].sort(newestFirst);
  }

  async backends(): Promise<readonly BackendView[]> {
    const entries = await this.ports.backends.list();
    return entries.map((entry) => backendView(entry, this.usedBackends.stateOf(entry.id)));
  }

  prepare(backendId: string, folder?: string): void {
    this.preparedSessions.prepare(backendId, folder);
  }

  readonly closePreparedExcept: Chats['closePreparedExcept'] = (id) => this.preparedSessions.discardExcept(id);

  setPromptExpected(isExpected: boolean): void {
    this.preparedSessions.setPromptExpected(isExpected);
    if (!isExpected || this.isCheckpointPrepared) return;
    this.isCheckpointPrepared = true;
    void this.ports.files.checkpoints?.prepare();
  }

  readonly isStartedBy = (promptId: string): Promise<boolean> => isStoredAsFirst(this.ports.store, promptId);

  async create(backendId: string, options: NewChatOptions = {}, title = 'New conversation'): Promise<ChatSession> {
    const entry = (await this.ports.backends.list()).find((candidate) => candidate.id === backendId);
    if (!entry) throw new BackendError('notFound', 'This agent no longer exists. Choose another one.');
    if (options.aside) await requireAsks({ backendId }, this.ports);
    const now = this.ports.clock.now();
    const head: ConversationHead = {
      version: logVersion,
      id: this.ports.newId(),
      title,
      titledBy: 'prompt',
      backendId,
      backendTitle: entry.title,
      ...withoutUndefined(options),
      createdAt: now,
      updatedAt: now,
      state: 'idle',
    };
    return this.addChat(new ChatSession(this.ports.store.create(head), this.chatSessionPorts));
  }

  async open(sessionId: string): Promise<Chat> {
    const open = this.chats.get(sessionId);
    if (open && !open.isOutdated) {
      await open.catchUp();
      return open;
    }
    await this.idleChatCloser.whenClosed(sessionId);
    // Concurrent calls for the same conversation share one result.
    const opening =
      this.openingById.get(sessionId) ?? this.openChat(sessionId).finally(() => this.openingById.delete(sessionId));
    this.openingById.set(sessionId, opening);
    return await opening;
  }

  readonly compact: Chats['compact'] = (id) => this.ports.store.compact(id);
  async fork(sessionId: string, entryId?: string, how?: ForkAgent | 'aside'): Promise<Chat> {
    const { draft, id } = await addFork(await this.open(sessionId), entryId, this.ports, how);
    const chat = await this.open(id);
    if (draft) chat.saveDraft(draft);
    return chat;
  }

  async locateFolder(from: string, to: string): Promise<() => Promise<void>> {
    const undo = await this.ports.store.locateFolder(from, to);
    const forgetPaths = async (): Promise<void> => {
      for (const chat of this.openChats) if (chat.canClose) this.idleChatCloser.close(chat);
      await this.idleChatCloser.whenClosed();
    };
    await forgetPaths();
    return () => undo().then(forgetPaths);
  }

  readonly answerFromRow: Chats['answerFromRow'] = (id, answer) => this.sharedConversations.answer(id, answer);
  readonly claimNotice = async (event: string): Promise<boolean> =>
    (await this.ports.windows?.claimNotice(event)) ?? true;
  readonly showInItsWindow = async (id: string): Promise<void> => await this.ports.windows?.ask(id, { kind: 'show' });

  get openAsides(): Chats['openAsides'] {
    return this.conversationRows.openAsides;
  }

  get deleted(): Chats['deleted'] {
    return this.conversationRows.deleted;
  }

  titleOf(sessionId: string): string | undefined {
    const row = this.rows.find(({ id }) => id === sessionId);
    return row?.title ?? this.chats.get(sessionId)?.view.title ?? this.remoteSessions.titleOfRow(sessionId);
  }

  readonly stopTurn = (sessionId: string): Promise<void> => this.sharedConversations.stop(sessionId);

  closeUnused(sessionId: string): void {
    const chat = this.chats.get(sessionId);
    if (chat?.canClose) this.idleChatCloser.close(chat);
  }

  readonly setMarks: Chats['setMarks'] = (id, marks) =>
    this.ports.store.updateHead(id, marksInHead(marks, this.ports.clock));

  async rename(sessionId: string, title: string): Promise<void> {
    const chat = this.chats.get(sessionId);
    if (chat && !chat.isOutdated) chat.rename(title);
    else await this.ports.store.updateHead(sessionId, { title, titledBy: 'user' });
    const head = this.ports.store.heads.find(({ id }) => id === sessionId);
    void this.remoteSessions.rename(head, title);
    this.noteChange();
  }

  async delete(sessionId: string): Promise<void> {
    const chat = this.chats.get(sessionId);
    const remote = parseRemoteRowId(sessionId);
    const head = this.ports.store.heads.find(({ id }) => id === sessionId);
    const forget = async (): Promise<void> => {
      await chat?.endSession();
      await this.hideAndDeleteRemoteSession(remote ?? head);
    };
    await (remote ? forget() : this.ports.store.remove(sessionId, forget));
    this.chats.delete(sessionId);
    this.sharedConversations.remove(sessionId);
    chat?.dispose();
    this.noteChange();
    this.fileChangesEmitter.fire();
  }

  async export(sessionId: string, format: ExportFormat): Promise<string> {
    const open = parseRemoteRowId(sessionId) ? await this.open(sessionId) : this.chats.get(sessionId);
    return await exportConversation(this.ports.store, open ?? sessionId, format);
  }

  async stop(): Promise<void> {
    this.preparedSessions.dispose();
    await this.idleChatCloser.whenClosed();
    await Promise.all(this.openChats.map((chat) => chat.close().catch(this.onCloseError)));
    await this.ports.store.stop();
  }

  dispose(): void {
    this.disposables.dispose();
    for (const chat of this.chats.values()) chat.dispose();
    this.chats.clear();
  }

  private async sendPromptsWaitingForSignIn(backendId: string): Promise<void> {
    const open = async (id: string): Promise<ChatSession | undefined> => {
      await this.open(id);
      return this.chats.get(id);
    };
    await sendPromptsWaitingForSignIn(backendId, { ...this.ports, open });
  }

  private async openChat(sessionId: string): Promise<ChatSession> {
    const remote = parseRemoteRowId(sessionId);
    if (remote) return await this.importRemoteSession(remote.backendId, remote.remoteId);
    const old = this.chats.get(sessionId);
    const file = await this.ports.store.open(sessionId);
    for (const { from, to } of file.moves) await this.ports.files.checkpoints?.adopt(from, to);
    const chat = new ChatSession(file, this.chatSessionPorts);
    try {
      await chat.restore(() => {
        old?.disposeWhenReleased();
        this.addChat(chat);
      });
    } catch (error) {
      // A conversation that could not be read was not added.
      if (this.chats.get(sessionId) !== chat) await chat.close().then(() => chat.dispose());
      throw error;
    }
    if (await this.usedBackends.isServer(file.head.backendId)) chat.resumeTurn();
    return chat;
  }

  private async importRemoteSession(backendId: string, remoteId: string): Promise<ChatSession> {
    const head = this.ports.store.heads.find((known) => known.backendId === backendId && known.remoteId === remoteId);
    if (head) return this.chats.get(head.id) ?? (await this.openChat(head.id));
    const chat = await this.create(backendId, {}, this.remoteSessions.listedTitleOf(backendId, remoteId));
    try {
      const load = (signal: AbortSignal): Promise<void> => chat.importSession(remoteId, signal);
      const progress = (): unknown => chat.transcript.size;
      await withDeadline(this.ports.clock, 'Loading the conversation', loadTimeoutMs, load, { progress });
      return chat;
    } catch (error) {
      await chat.close();
      this.chats.delete(chat.id);
      this.sharedConversations.remove(chat.id);
      await this.ports.store.remove(chat.id).catch(() => undefined);
      chat.dispose();
      throw error;
    }
  }

  private addChat(chat: ChatSession): ChatSession {
    this.chats.set(chat.id, chat);
    chat.fileChanges.onDidChange(() => this.fileChangesEmitter.fire());
    const update = (): boolean => this.chats.get(chat.id) === chat && this.sharedConversations.update(chat);
    if (update()) this.conversationRows.invalidate();
    chat.onDidChange(() => {
      if (update()) this.noteChange();
    });
    return chat;
  }

  private remoteSearchOptions(signal: AbortSignal | undefined): RemoteSearchOptions {
    const known = new Set(this.ports.store.heads.map(({ backendId, remoteId }) => `${backendId}:${remoteId ?? ''}`));
    const cwd = this.ports.files.editor.folders[0]?.path;
    return {
      isKnown: (backendId, remoteId) =>
        known.has(`${backendId}:${remoteId}`) || this.preparedSessions.has(backendId, remoteId),
      ...withoutUndefined({ cwd, signal }),
    };
  }

  private async hideAndDeleteRemoteSession({ backendId, remoteId }: Partial<ConversationHead> = {}): Promise<void> {
    if (backendId === undefined || remoteId === undefined) return;
    await this.usedBackends.closeFork(backendId, remoteId);
    await this.remoteSessions.hideAndDelete(backendId, remoteId);
  }

  private noteChange(): void {
    this.conversationRows.invalidate();
    this.changeEmitter.fire();
  }
}
