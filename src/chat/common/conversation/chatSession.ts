import type { SessionEvent, EventData } from '../../../session/common/sessionEvents';
import type { Clock } from '../../../base/common/async';
import { toDisposable, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { Entry, Part } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import {
  ChatError,
  type Chat,
  type DraftMove,
  type RevertOptions,
  type TurnTexts,
  type Whole,
  type Written,
} from '../chatPorts';
import type { SessionFile } from '../chatStore';
import type { Draft, DraftAttachment, QueuedPrompt, SessionRow, SessionView } from '../chatView';
import { Conversation } from './conversation';
import { emptyDraft, isEmptyDraft } from './drafts';
import { GivenAnswers } from '../approvals/givenAnswers';
import type { ChangeJournal, ChatFiles } from '../changes/changeJournal';
import type { SessionStarts } from '../conversations/sessionStarts';
import { draftOf, type HeldDraft } from './heldDraft';
import type { LogRecord } from './logRecord';
import { PromptDelivery, type AttachmentResolver } from './promptDelivery';
import { BackendConnection, type BackendConnectionPorts } from './backendConnection';
import { sessionView } from './sessionView';
import { TurnRunner } from './turnRunner';

export interface ChatSessionPorts extends BackendConnectionPorts {
  readonly files: ChatFiles;
  readonly attachments: AttachmentResolver;
  readonly clock: Clock;
  readonly starts: SessionStarts;
  newId(): string;
}

/** Events that change the transcript but not the view. */
const textOnly: ReadonlySet<string> = new Set(['content_block:delta', 'thinking:delta', 'tool:update']);

/** One conversation: its transcript, log, queue and draft, and its connection to a backend. */
export class ChatSession implements Chat {
  private readonly told: Conversation;
  private readonly connection: BackendConnection;
  private readonly turns: TurnRunner;
  private readonly held: HeldDraft;
  private readonly answers: GivenAnswers;
  private shown = false;
  private holders = 0;
  private isRetired = false;
  private watchesFiles = true;
  private following: Disposable | undefined;
  constructor(
    private readonly file: SessionFile,
    private readonly ports: ChatSessionPorts,
  ) {
    const { attachments, clock, log, starts } = ports;
    this.told = new Conversation(file, ports);
    this.answers = new GivenAnswers(this.told);
    this.held = draftOf(file, (error) => log.error('a listener failed', error));
    this.connection = new BackendConnection(file, ports, {
      onEvent: (event) => this.handle(event),
      onGap: () => this.told.notice('warning', 'Some messages were lost in transit.'),
      onState: () => this.told.emitter.fire(),
      onEnded: () => this.turns.lost(),
    });
    const { connection, told } = this;
    this.turns = new TurnRunner({
      told,
      connection,
      delivery: new PromptDelivery({ told, connection, attachments, starts, clock }),
      clock,
      log,
      onEnd: () => this.turnEnded(),
      onWithdrawn: (promptId) => this.held.putBack(promptId),
    });
    file.onDidChangeProblem(() => {
      if (file.isOutdated) void this.handOver();
    });
  }

  get id(): string {
    return this.file.head.id;
  }

  get onDidChange(): Event<void> {
    return this.told.emitter.event;
  }

  get transcript(): TranscriptDocument {
    return this.told.document;
  }

  get entries(): Whole<Entry> {
    return this.story.writer;
  }

  get approvals(): Whole<Part[]> {
    return this.story.approvals;
  }

  get draft(): Draft {
    return this.held.value;
  }

  get onDidMoveDraft(): Event<DraftMove> {
    return this.held.onDidMove;
  }

  get history(): readonly string[] {
    return this.story.prompts.map(({ draft }) => draft.text);
  }

  get isShown(): boolean {
    return this.shown;
  }

  set isShown(isShown: boolean) {
    this.shown = isShown;
    if (isShown && this.file.head.state === 'unread') this.file.changeHead({ state: 'idle' });
    this.following?.dispose();
    this.following = isShown && !this.file.isOurs ? this.file.follow() : undefined;
    if (isShown) void this.told.journal.refresh();
  }

  /** Whether nothing is lost by closing: it is idle and saved, and the backend can load its session again. */
  get canLetGo(): boolean {
    if (this.holders > 0 || this.shown) return false;
    if (this.file.readonly !== undefined) return true;
    if (this.story.isBusy || this.story.isStopping || this.turns.phase.kind !== 'idle') return false;
    // Unsaved records would be lost.
    if (this.file.problem !== undefined) return false;
    return !this.connection.session || this.connection.capabilities?.canLoad === true;
  }

  get journal(): Pick<ChangeJournal, 'beforeWrite' | 'afterWrite'> {
    return this.told.journal;
  }

  get backendId(): string {
    return this.file.head.backendId;
  }

  /** Id of the connected session in the backend. */
  get backendSessionId(): string | undefined {
    return this.connection.session?.id;
  }

  get view(): SessionView {
    return sessionView(this.told, this.connection, this.turns.phase, this.ports.clock.now());
  }

  private get story(): Conversation['story'] {
    return this.told.story;
  }

  get isOutdated(): boolean {
    return this.file.isOutdated;
  }

  /** State for the list; undefined if the state of the head applies. */
  get rowState(): SessionRow['state'] | undefined {
    // Conversations of other windows aren't followed all the time.
    if (!this.file.isOurs) return undefined;
    if (this.story.approvals.all.length > 0) return 'waiting';
    return this.story.isBusy ? 'busy' : undefined;
  }

  hold(): Disposable {
    this.holders++;
    return toDisposable(() => {
      this.holders--;
      if (this.holders === 0 && this.isRetired) this.dispose();
    });
  }

  // The past

  async restore(records: readonly LogRecord[], damage: string | undefined): Promise<void> {
    await this.told.restore(records, damage);
    const { lostImages } = this.held;
    if (lostImages.length === 0 || this.file.readonly !== undefined) return;
    this.told.notice(
      'warning',
      `Not saved with your draft because of its size: ${lostImages.join(', ')}. Add it again.`,
    );
  }

  /** Resumes a turn that may still run in a server after its window was closed. */
  resumeTurn(): void {
    if (this.file.readonly === undefined) this.turns.resume();
  }

  /** Imports a session that the backend keeps, with its history. @throws BackendError */
  async adopt(remoteId: string, signal: AbortSignal): Promise<void> {
    this.told.begin();
    // Replayed tool calls don't change files now.
    this.watchesFiles = false;
    await this.connection.load(remoteId, true, signal);
    this.told.bind(remoteId);
  }

  saveDraft(draft: Draft, written?: Written): void {
    this.held.save(draft, written);
  }

  async send(draft: Draft, along: readonly DraftAttachment[] = [], written?: Written): Promise<void> {
    if (isEmptyDraft(draft)) return;
    const { attachments, text } = draft;
    const id = this.ports.newId();
    // Clear the draft first, so that the user can type the next prompt while the agent starts.
    this.held.take(id, draft, written);
    try {
      await this.sendOrQueue({ id, text, attachments: [...attachments, ...along] });
      this.held.forget(id);
    } catch (error) {
      this.held.putBack(id);
      throw error;
    }
  }

  async continueTurn(): Promise<void> {
    await this.sendOrQueue({ id: this.ports.newId(), text: 'Continue', attachments: [] });
  }

  async unqueue(id: string): Promise<Draft> {
    await this.file.claim();
    const prompt = this.told.queue.get(id);
    if (!prompt) return emptyDraft;
    this.told.record({ type: 'unqueued', id });
    return { text: prompt.text, attachments: prompt.attachments };
  }

  async sendQueued(): Promise<void> {
    const due = (): QueuedPrompt | undefined => (this.turns.isBusy ? undefined : this.told.queue.first);
    if (!due()) return;
    await this.begin();
    // Another page may have sent it in the meantime.
    const prompt = due();
    if (prompt) await this.turns.run(prompt);
  }

  async stop(): Promise<void> {
    const { isOurs, readonly } = this.file;
    if (!isOurs && !this.connection.session && readonly !== undefined) throw new ChatError('readonly', readonly);
    this.answers.stopped();
    await this.turns.stop();
  }

  async approve(approvalId: string, option: string, reason = ''): Promise<void> {
    await this.answers.give(this.connection.session, approvalId, option);
    if (reason.trim() === '') return;
    this.answers.explain({ id: this.ports.newId(), text: reason, attachments: [] });
    this.goOn();
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    await this.file.claim();
    const session = await this.turns.connect();
    await session.setConfig(optionId, value);
  }

  promptToEdit(entryId: string): Draft {
    return this.story.prompts.find((prompt) => prompt.entryId === entryId)?.draft ?? emptyDraft;
  }

  textBefore(path: string): Promise<string | null | undefined> {
    return this.told.journal.textBefore(path);
  }

  turnTexts(path: string, turn: number): Promise<TurnTexts | undefined> {
    return this.told.journal.turnTexts(path, turn);
  }

  async revert(path: string, options?: RevertOptions): Promise<void> {
    await this.file.claim();
    await this.told.journal.revert(path, options);
  }

  async keepChanges(path?: string): Promise<void> {
    await this.file.claim();
    await this.told.journal.keep(path);
  }

  // For `ChatSessions`

  /** Reads what another window has written. Never rejects. */
  async catchUp(): Promise<void> {
    if (!this.file.isOurs) await this.file.catchUp();
  }

  rename(title: string): void {
    this.file.changeHead({ title, titledBy: 'user' });
    this.told.emitter.fire();
  }

  /** Ends the conversation, and its session in the backend. Never rejects. */
  async end(): Promise<void> {
    this.turns.close();
    await this.connection.close();
  }

  /** Closes the conversation without ending its session: a server may continue the turn. */
  async close(): Promise<void> {
    this.turns.close();
    if (this.story.isBusy && this.file.isOurs) this.told.interrupted();
    this.connection.release();
    await this.file.close();
  }

  /** Disposes the conversation as soon as it is no longer held, because another instance replaces it. */
  retire(): void {
    this.isRetired = true;
    if (this.holders === 0) this.dispose();
  }

  dispose(): void {
    this.following?.dispose();
    this.connection.dispose();
    this.told.dispose();
    this.held.dispose();
  }

  /** Stops the turn because another window has taken over, and nothing could be saved here. Never rejects. */
  private async handOver(): Promise<void> {
    this.answers.stopped();
    await this.turns.stop();
    this.turns.close();
    this.connection.release();
  }

  // Turns

  /** Claims the conversation before a prompt. @throws ChatError */
  private async begin(): Promise<void> {
    if (this.file.readonly !== undefined) throw new ChatError('readonly', this.file.readonly);
    if (!this.file.isOurs) await this.file.claim();
    this.watchesFiles = true;
  }

  private async sendOrQueue(prompt: QueuedPrompt): Promise<void> {
    await this.begin();
    if (this.turns.isBusy) this.told.record({ type: 'queued', ...prompt });
    else await this.turns.run(prompt);
  }

  private handle(event: SessionEvent): void {
    const { isBusy: wasBusy } = this.story;
    if (this.watchesFiles) this.told.journal.observe(event);
    this.told.record({ type: 'event', event }, textOnly.has(event.event));
    const { backendId, ports } = this;
    if (event.event === 'tool:post' && event.data.unattended) ports.starts.saw(backendId, event.data.unattended);
    if (event.event === 'approval:required') ports.starts.saw(backendId, undefined);
    if (event.event === 'session:info') this.informed(event.data);
    if (event.event === 'prompt:submit') this.told.titledByPrompt(event.data.prompt);
    if (wasBusy && !this.story.isBusy) this.turns.ended();
  }

  private informed({ agent_session_id: remoteId, title }: EventData<'session:info'>): void {
    this.told.titled(title);
    if (remoteId !== undefined && remoteId !== this.file.head.remoteId) this.told.bind(remoteId);
  }

  private turnEnded(): void {
    this.told.turnEnded(this.shown);
    if (this.answers.goesOn(this.story.lastEnd?.outcome)) this.goOn();
  }

  private goOn(): void {
    this.sendQueued().catch((error: unknown) =>
      this.ports.log.info(`Cannot send a queued prompt: ${messageOf(error)}`),
    );
  }
}
