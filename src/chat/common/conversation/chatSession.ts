import { BackendError } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { Entry, Part } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import {
  ChatError,
  type ApprovalAnswer,
  type Chat,
  type ChatVisibility,
  type DraftTransition,
  type RevertOptions,
  type FullContents,
  type PageDraftRevision,
} from '../chatPorts';
import type { ConversationFiles, StoredConversation } from '../chatStore';
import type { Draft, ConversationView } from '../chatView';
import type { LiveConversation } from '../windows/liveConversation';
import { ConversationIdleness } from '../windows/conversationIdleness';
import { Holders, type HolderKind } from '../windows/holders';
import { OtherWindowControl } from '../windows/otherWindowControl';
import { Conversation, type ConversationPorts } from './conversation';
import { emptyDraft, isEmptyDraft } from './drafts';
import { ApprovalAnswerDelivery } from '../approvals/answerDelivery';
import type { ChangeJournal } from '../changes/changeJournal';
import { ReviewableChanges } from '../changes/reviewableChanges';
import { ConversationRestores } from '../restore/conversationRestores';
import type { ChatTranscript } from '../transcript/chatTranscript';
import { answersOfLastTurn, type SpokenTurn } from '../sending/spokenTurn';
import { ConversationPrompts } from '../sending/conversationPrompts';
import { textsOfPrompts } from '../transcript/sentPrompt';
import { PromptSaves, type UnsavedFiles } from '../unsaved/promptSaves';
import type { NewSessionOptionsPort } from '../conversations/newSessionOptionsPort';
import { addOpeningNotices } from '../conversations/openingNotices';
import { createSharedDraft, type SharedDraft } from './sharedDraft';
import { PromptDelivery, type AttachmentResolver } from './promptDelivery';
import { BackendConnection, type BackendConnectionPorts } from './backendConnection';
import { conversationView, liveConversation, type ConversationFacts } from './conversationView';
import { SignInWait } from '../signIn/signInWait';
import { TurnInterruption } from './turnInterruption';
import { TurnRunner } from './turnRunner';

export interface ChatSessionPorts extends BackendConnectionPorts, ConversationPorts {
  readonly attachments: AttachmentResolver;
  readonly sessionDefaults: NewSessionOptionsPort;
  /** Reads a conversation from disk. @throws ChatError */
  readStored(id: string): Promise<StoredConversation>;
  readonly unsavedFiles: UnsavedFiles;
  /** Called when an agent has said something in a turn that has ended. */
  readonly onDidSpeak?: (turn: SpokenTurn) => void;
  newId(): string;
}

const changingKinds: ReadonlySet<string | undefined> = new Set(['edit', 'delete', 'move']);

/** One conversation: its transcript, log, queue and draft, and the connection to its backend. */
export class ChatSession implements Chat {
  readonly onDidChange: Event<void>;
  readonly onDidSendOrRestoreDraft: Event<DraftTransition>;
  readonly transcript: TranscriptDocument;
  readonly fullEntries: FullContents<Entry>;
  readonly fullApprovals: FullContents<Part[]>;
  readonly journal: Pick<ChangeJournal, 'beforeWrite' | 'afterWrite' | 'afterFailedWrite' | 'callActivity'>;
  readonly fileChanges: ReviewableChanges;
  readonly restores: ConversationRestores;
  private readonly conversation: Conversation;
  private readonly chatTranscript: ChatTranscript;
  private readonly connection: BackendConnection;
  private readonly turnRunner: TurnRunner;
  private readonly otherWindow: OtherWindowControl;
  private readonly facts: ConversationFacts;
  readonly signInWait: SignInWait;
  private readonly idleness: ConversationIdleness;
  private readonly sharedDraft: SharedDraft;
  private readonly answerDelivery: ApprovalAnswerDelivery;
  private readonly prompts: ConversationPrompts;
  private isVisible = false;
  private readonly holders = new Holders();
  private isReleased = false;
  private interruption: TurnInterruption | undefined;
  private isWatchingFiles = true;

  constructor(
    private readonly conversationFiles: ConversationFiles,
    private readonly ports: ChatSessionPorts,
  ) {
    const { attachments, clock, log, sessionDefaults, unsavedFiles } = ports;
    const conversation = (this.conversation = new Conversation(conversationFiles, ports));
    this.chatTranscript = conversation.transcript;
    this.onDidChange = conversation.changeEmitter.event;
    this.transcript = conversation.document;
    this.fullEntries = conversation.transcript.writer;
    this.fullApprovals = conversation.transcript.approvals;
    this.journal = conversation.journal;
    const { fileChangesEmitter, journal } = conversation;
    this.answerDelivery = new ApprovalAnswerDelivery(conversation);
    this.sharedDraft = createSharedDraft(conversationFiles, (error) => log.error('a listener failed', error));
    this.onDidSendOrRestoreDraft = this.sharedDraft.onDidSendOrRestore;
    const connection = (this.connection = new BackendConnection(conversationFiles, ports, {
      onEvent: (event) => this.handleEvent(event),
      onGap: () => conversation.addNotice('warning', 'Some messages were lost in transit.'),
      onState: () => conversation.changeEmitter.fire(),
      onEnded: (isRetired) => this.handleSessionLoss(isRetired),
    }));
    const read = () => ports.readStored(this.id);
    const restores = (this.restores = new ConversationRestores(conversationFiles, conversation, read, connection));
    this.fileChanges = new ReviewableChanges(conversationFiles, journal, restores, fileChangesEmitter.event);
    const saves = new PromptSaves(unsavedFiles, () => conversation.changeEmitter.fire());
    const delivery = new PromptDelivery({ conversation, connection, attachments, saves, sessionDefaults, clock });
    const turnRunner = (this.turnRunner = new TurnRunner({
      conversation,
      connection,
      delivery,
      clock,
      log,
      onEnd: () => this.handleTurnEnd(),
      onOthersTurnEnd: () => this.prompts.startSendingQueue(),
      onWithdrawn: (promptId) => this.sharedDraft.restoreRefused(promptId),
    }));
    const { answerDelivery, sharedDraft } = this;
    const claim = (): Promise<void> => this.claimForPrompt();
    const newId = (): string => ports.newId();
    const answering = { delivery, turnRunner, answerDelivery, clock, log };
    const prompts = new ConversationPrompts({ conversation, connection, sharedDraft, claim, newId, ...answering });
    this.prompts = prompts;
    const otherWindow = (this.otherWindow = new OtherWindowControl(conversation, ports.windows));
    this.facts = { connection, conversation, clock, otherWindow, prompts, saves, turnRunner };
    this.signInWait = new SignInWait({ conversation, connection, turnRunner, draft: this.sharedDraft, clock });
    this.idleness = new ConversationIdleness(this.facts, this.sharedDraft, this.holders);
    conversationFiles.onDidChangeState(() => {
      if (conversationFiles.wasTakenOver) void this.stopForOtherWindow();
    });
  }

  get id(): string {
    return this.conversationFiles.head.id;
  }

  get draft(): Draft {
    return this.sharedDraft.value;
  }

  get lastRecordedAt(): number | undefined {
    return this.chatTranscript.writer.recordedAt;
  }

  get sentPromptTexts(): readonly string[] {
    return textsOfPrompts(this.chatTranscript.promptEntries.all);
  }

  setVisibility(visibility: ChatVisibility): void {
    this.conversation.setSeen(visibility === 'seen');
    const isShown = visibility !== 'hidden';
    if (isShown === this.isVisible) return;
    this.isVisible = isShown;
    this.otherWindow.setFollowing(isShown);
    if (isShown) void this.conversation.journal.refresh();
  }

  /** Whether closing loses nothing: the conversation is idle and saved, and the backend can load its session again. */
  get canClose(): boolean {
    if (this.holders.has() || this.isVisible) return false;
    if (this.conversationFiles.readonlyReason !== undefined) return true;
    return this.idleness.canClose;
  }

  get backendId(): string {
    return this.conversationFiles.head.backendId;
  }

  get backendSessionId(): string | undefined {
    return this.connection.session?.id;
  }

  get view(): ConversationView {
    return conversationView(this.facts);
  }

  get isOutdated(): boolean {
    return this.isReleased || this.conversationFiles.wasTakenOver;
  }

  get isIdleWriter(): boolean {
    return this.idleness.isIdleWriter;
  }

  get live(): LiveConversation | undefined {
    return liveConversation(this.facts);
  }

  readonly keepOpen = (why: HolderKind = 'work'): Disposable => this.holders.add(why);

  /** Reads the conversation from disk. Calls `onRead` before it continues. @throws ChatError if it could not be read */
  async restore(onRead: () => void): Promise<void> {
    await this.conversation.restore(onRead);
    await this.sharedDraft.dropIfSent((id) => this.conversation.promptIds.has(id));
    if (this.conversationFiles.readonlyReason !== undefined) return;
    this.conversation.endInterruptedUndos();
    await addOpeningNotices(this.conversation, this.sharedDraft);
  }

  /** Resumes a turn that may still be running in a server after its window was closed. */
  resumeTurn(): void {
    if (this.conversationFiles.readonlyReason === undefined) this.turnRunner.resumeTurnIfStillRunning();
  }

  /** Imports a session that the backend stores, with its history. @throws BackendError */
  async importSession(remoteId: string, signal: AbortSignal): Promise<void> {
    this.conversation.ensureStarted();
    // Replayed tool calls do not change files.
    this.isWatchingFiles = false;
    // Otherwise it would be closed as idle after some minutes.
    const kept = this.keepOpen();
    await this.connection.loadSession(remoteId, true, signal).finally(() => kept.dispose());
    this.conversation.bindSession(remoteId);
  }

  saveDraft(draft: Draft, revision?: PageDraftRevision): void {
    this.sharedDraft.save(draft, revision);
  }

  readonly send: Chat['send'] = (...prompt) => this.prompts.send(...prompt);

  restoreLost(draft: Draft): void {
    this.sharedDraft.restoreLost(draft, this.conversation.promptIds);
  }

  readonly sendContinue = (): Promise<void> => this.prompts.sendContinue();
  readonly retry = (entryId: string): Promise<void> => this.prompts.retry(entryId);
  readonly unqueue = (id: string): Promise<Draft> => this.prompts.unqueue(id);
  readonly steerQueued = (id: string): Promise<void> => this.prompts.steerQueued(id);
  readonly stopAndSend: Chat['stopAndSend'] = (...prompt) => this.prompts.stopAndSend(...prompt);
  readonly sendFirstQueuedPrompt = (): Promise<void> => this.prompts.sendFirstQueued();

  async stop(): Promise<void> {
    if (this.otherWindow.isReadonly(this.connection.session)) {
      await this.otherWindow.stop();
      return;
    }
    this.answerDelivery.stopAutoSendingReason();
    await (this.signInWait.cancel() ?? this.turnRunner.stop());
  }

  async stopCall(entryId: string): Promise<void> {
    const { session } = this.connection;
    const denial = this.chatTranscript.approvals.denialOf(entryId);
    const callId = this.chatTranscript.toolEntries.callIdOf(entryId);
    if (denial) await this.answerDelivery.sendAnswer(session, denial);
    else if (session?.stopCall && callId !== undefined) await session.stopCall(callId);
    else throw new BackendError('unsupported', 'This has already ended, or can no longer be stopped.');
  }

  async answerApproval(answer: ApprovalAnswer, reason: Draft = emptyDraft): Promise<void> {
    if (this.otherWindow.live) {
      await this.otherWindow.answer(answer, reason);
      return;
    }
    await this.answerDelivery.sendAnswer(this.connection.session, answer);
    if (isEmptyDraft(reason)) return;
    this.answerDelivery.queueReason({ ...reason, id: this.ports.newId() });
    this.prompts.startSendingQueue();
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    await this.conversationFiles.claim();
    const session = await this.turnRunner.connect();
    await session.setConfig(optionId, value);
  }

  async revert(path: string, options?: RevertOptions): Promise<string | undefined> {
    await this.conversationFiles.claim();
    return await this.conversation.journal.revert(path, options);
  }

  async keepChanges(path?: string): Promise<void> {
    await this.conversationFiles.claim();
    await this.conversation.journal.keepChanges(path);
  }

  /** Reads the records that another window has written since. Never rejects. */
  async catchUp(): Promise<void> {
    if (!this.conversationFiles.isOurs) await this.conversationFiles.catchUp();
  }

  rename(title: string): void {
    this.conversationFiles.updateHead({ title, titledBy: 'user' });
    this.conversation.changeEmitter.fire();
  }

  /** Ends the conversation, and its session in the backend. Never rejects. */
  async endSession(): Promise<void> {
    this.turnRunner.close();
    await this.connection.closeSession();
  }

  /** Closes the conversation without ending its session, because a server may continue the turn. */
  async close(): Promise<void> {
    this.signInWait.closeTurns(() => this.ports.newId());
    const isInterrupted = this.chatTranscript.isBusy && this.conversationFiles.isOurs;
    if (isInterrupted) {
      this.interruption = new TurnInterruption(this.ports.clock);
      await this.interruption.run(this.connection.session);
      if (this.conversation.transcript.isBusy) this.conversation.recordInterruption();
    }
    this.connection.disconnect();
    if (isInterrupted) await this.conversation.journal.endTurn(this.chatTranscript.turnNumber);
    await this.conversationFiles.close();
  }

  readonly whenUnused = (): Promise<void> => this.idleness.whenUnused();

  /** Closes an idle conversation. Pages that show it open it again. */
  async release(): Promise<void> {
    this.isReleased = true;
    await this.close().finally(() => {
      this.conversation.changeEmitter.fire();
      this.disposeWhenReleased();
    });
  }

  /** Disposes the conversation as soon as nothing keeps it open, because another instance replaces it. */
  readonly disposeWhenReleased = (): void => this.holders.whenNone(() => this.dispose());

  dispose(): void {
    this.otherWindow.dispose();
    this.connection.dispose();
    this.conversation.dispose();
    this.sharedDraft.dispose();
  }

  /** Stops the turn because another window is the writer now, so that this one cannot save. Never rejects. */
  private async stopForOtherWindow(): Promise<void> {
    this.answerDelivery.stopAutoSendingReason();
    await this.turnRunner.stop();
    this.turnRunner.close();
    this.connection.disconnect();
  }

  /** Makes this window the writer before a prompt. @throws ChatError */
  private async claimForPrompt(): Promise<void> {
    const { readonlyReason } = this.otherWindow;
    if (readonlyReason !== undefined) throw new ChatError('readonly', readonlyReason);
    if (!this.conversationFiles.isOurs) await this.conversationFiles.claim();
    this.signInWait.end();
    this.isWatchingFiles = true;
  }

  private handleEvent(event: SessionEvent): void {
    const { isBusy: wasBusy } = this.chatTranscript;
    if (this.interruption?.consumeEarlyEnd(event)) return;
    if (event.event === 'prompt:read') {
      this.prompts.handleRead(event.data.prompt_id);
      return;
    }
    if (this.conversation.head.aside) this.stopAsideIfChanged(event);
    else if (this.isWatchingFiles) this.conversation.journal.observeEvent(event);
    this.conversation.addEvent(event);
    const unattended = event.event === 'tool:post' ? event.data.unattended : undefined;
    if (unattended || event.event === 'approval:required')
      this.ports.sessionDefaults.of(this.backendId).recordUnattendedAction?.(unattended);
    if (!wasBusy || this.chatTranscript.isBusy) return;
    this.turnRunner.handleTurnEnd();
    this.interruption?.handleTurnEnd();
  }

  /** An agent may act without asking, although that is not known of it. */
  private stopAsideIfChanged(event: SessionEvent): void {
    if (event.event !== 'tool:post' || !changingKinds.has(event.data.kind) || !event.data.result.success) return;
    const { backendTitle } = this.conversation.head;
    this.conversation.addNotice(
      'error',
      `${backendTitle} changed a file without asking, so this side question was stopped.`,
    );
    void this.stop();
  }

  private handleSessionLoss(isRetired: boolean): void {
    if (isRetired && this.turnRunner.hasActivePrompt) return;
    if (this.interruption) this.interruption.handleTurnEnd();
    else this.turnRunner.handleSessionLoss();
  }

  private handleTurnEnd(): void {
    const { head } = this.conversation;
    const text = answersOfLastTurn(this.transcript.newestFirst());
    if (text !== '') this.ports.onDidSpeak?.({ conversation: head.id, agent: head.backendTitle, text });
    this.conversation.finishTurn(this.turnRunner.whenAgentStopped());
    this.prompts.handleTurnEnd();
  }
}
