import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EventData, SessionEvent } from '../../../session/common/sessionEvents';
import type { Clock } from '../../../base/common/async';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { EntryOf } from '../../../transcript/common/entries';
import type { TextSpool } from '../../../transcript/common/entryStore';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import type { AgentWrites } from '../writes/agentWrites';
import type { TurnOrigin } from '../authorship/turnOrigin';
import { ChangeJournal } from '../changes/changeJournal';
import type { ChatFileAccess } from '../chatFileAccess';
import type { FileTextClaims } from '../writes/fileTextClaims';
import type { RecordsOfOtherWindow, ConversationFiles, ConversationHead } from '../chatStore';
import { RestoreHistory } from '../restore/restoreHistory';
import { ChatTranscript } from '../transcript/chatTranscript';
import { isSameStep } from '../transcript/turnStep';
import { isPrompt, logVersion, type LogRecord, type NewRecord } from './logRecord';
import type { OtherWindows } from '../windows/otherWindows';
import type { QueuedPrompt } from '../chatView';
import { nameOfPrompt } from '../sending/promptName';
import { PromptQueue } from './promptQueue';
import { storedForm } from '../log/storedForm';
import { HeadFacts } from '../list/headFacts';
import { shortTitle } from '../conversations/conversationTitle';

export interface ConversationPorts {
  readonly files: ChatFileAccess;
  readonly claims: FileTextClaims;
  /** What the conversations of all windows have written. */
  readonly agentWrites?: AgentWrites;
  readonly windows?: OtherWindows;
  readonly clock: Clock;
  readonly log: Logger;
  /** Creates what holds the transcript outside of memory, which the conversation disposes. Without it, all is in memory. */
  readonly createSpool?: () => TextSpool;
}

/** Events that change the transcript, but the view only with the step that is shown of the turn. */
const textOnly: ReadonlySet<string> = new Set(['content_block:delta', 'thinking:delta', 'tool:update']);

/** Passes each record of a conversation to its transcript, queue and log, and keeps its head up to date. */
export class Conversation {
  readonly document: TranscriptDocument;
  readonly transcript: ChatTranscript;
  readonly journal: ChangeJournal;
  readonly queue = new PromptQueue();
  readonly restores = new RestoreHistory();
  /** Ids of all prompts that were sent or queued, also of withdrawn ones. */
  readonly promptIds = new Set<string>();
  readonly agentWrites: AgentWrites | undefined;
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** Whether a prompt has been waiting for its checkpoint for some time. */
  isSavingCheckpoint = false;
  private readonly facts: HeadFacts;
  private originOfTurn: { readonly turn: number; readonly origin: TurnOrigin } | undefined;
  private isSeen = false;
  /** Fires for all changes except streamed text, for which the transcript document has its own event. */
  readonly changeEmitter: Emitter<void>;
  /** Fires when the list of file changes may have changed. */
  readonly fileChangesEmitter: Emitter<void>;

  constructor(
    readonly file: ConversationFiles,
    private readonly ports: ConversationPorts,
  ) {
    const { agentWrites, claims, clock, log } = ports;
    // What changes while a side question is answered is somebody else's.
    const files = file.head.aside ? { ...ports.files, checkpoints: undefined } : ports.files;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    this.changeEmitter = new Emitter(onListenerError);
    this.fileChangesEmitter = new Emitter(onListenerError);
    this.document = new TranscriptDocument(onListenerError, ports.createSpool?.());
    this.transcript = new ChatTranscript(this.document, file.head.backendTitle, ports.windows?.hash);
    this.agentWrites = agentWrites;
    this.checkpoints = files.checkpoints;
    this.journal = new ChangeJournal({
      conversation: file.head.id,
      agentWrites,
      files,
      claims,
      clock,
      texts: file,
      log,
      record: (record) => this.addRecord(this.withOrigin(record)),
      onDidChange: () => {
        this.facts.update();
        this.changeEmitter.fire();
        this.fileChangesEmitter.fire();
      },
      onUnexpectedWrite: (path) => {
        const text = `${file.head.backendTitle} wrote contents that differ from those in the approval.`;
        this.addRecord({ type: 'notice', level: 'warning', text, path });
      },
    });
    this.facts = new HeadFacts({
      file,
      journal: this.journal,
      cost: () => this.transcript.session.usage.spent,
      branchOf: (folder) => files.branchOf?.(folder) ?? Promise.resolve(undefined),
      folder: () => this.agentFolder,
    });
    file.onDidReadRecords((read) => this.applyRecordsRead(read));
    file.onDidChangeState(() => {
      // Another window may have marked as unseen what the user sees here.
      this.setSeen(this.isSeen);
      this.changeEmitter.fire();
    });
  }

  get head(): ConversationHead {
    return this.file.head;
  }

  /** Reads the records from disk. Calls `onRead` before it continues. @throws ChatError if they could not be read */
  async restore(onRead: () => void): Promise<void> {
    const damage = await this.file.readStored((records) => {
      for (const record of records) this.applyStoredRecord(record);
    });
    onRead();
    if (damage !== undefined) this.addNotice('warning', damage);
    // If another window writes to the conversation, its turn may still be running.
    if (this.file.readonlyReason === undefined) await this.closeOrphanedTurn();
    else await this.journal.refresh();
  }

  addRecord(record: NewRecord): void {
    const stored = record.type === 'event' ? { ...record, event: storedForm(record.event) } : record;
    const timed = { ...stored, at: this.ports.clock.now() } satisfies LogRecord;
    const isTextOnly = record.type === 'event' && textOnly.has(record.event.event);
    const stepBefore = isTextOnly ? this.transcript.step : undefined;
    this.transcript.applyRecord(timed);
    this.applyToPrompts(timed);
    this.restores.applyRecord(timed);
    this.file.append(timed);
    if (!isTextOnly) this.noteTurn();
    if (!isTextOnly || !isSameStep(stepBefore, this.transcript.step)) this.changeEmitter.fire();
  }

  /** Adds an event of the backend, and keeps the head up to date with it. */
  addEvent(event: SessionEvent): void {
    this.addRecord({ type: 'event', event });
    if (event.event === 'session:info') this.applySessionInfo(event.data);
    if (event.event === 'prompt:submit') this.setTitleFromPrompt(event.data.prompt);
  }

  /** Ends undos of changes that were interrupted, so that the user can bring the files back. */
  endInterruptedUndos(): void {
    for (const { id, paths } of this.restores.unfinished) {
      this.addRecord({ type: 'undoDone', id, target: [], paths: [...paths], texts: [] });
    }
  }

  addNotice(level: 'info' | 'warning' | 'error', text: string, details?: string): void {
    this.addRecord({ type: 'notice', level, text, ...(details === undefined ? {} : { details }) });
  }

  /** Tells the user that perhaps the agent has a queued prompt, which is therefore not sent by itself. */
  reportDoubtful(prompt: QueuedPrompt, details?: string): void {
    const text = `It is not known whether ${this.head.backendTitle} got “${nameOfPrompt(prompt)}”. It stays in the queue.`;
    this.addNotice('warning', text, details);
  }

  /** Writes the `begin` record unless the log already has one. */
  ensureStarted(): void {
    if (this.document.size > 0 || this.transcript.turnNumber > 0) return;
    const { backendId, id, preset } = this.head;
    this.addRecord({ type: 'begin', version: logVersion, id, backendId, ...withoutUndefined({ preset }) });
  }

  addPrompt(prompt: Omit<Extract<NewRecord, { type: 'prompt' }>, 'type'>): void {
    this.ensureStarted();
    this.addRecord({ type: 'prompt', ...prompt });
    this.setTitleFromPrompt(prompt.text);
    const { archivedAt = 0, deletedAt = 0 } = this.head;
    // The user goes on with it.
    const marks = { ...(archivedAt > 0 && { archivedAt: 0 }), ...(deletedAt > 0 && { deletedAt: 0 }) };
    this.file.updateHead({ updatedAt: this.ports.clock.now(), state: 'idle', isUnseen: false, ...marks });
    void this.facts.updateBranch();
  }

  /** Call before the prompt of the turn is sent. */
  setTurnOrigin(turn: number, origin: TurnOrigin): void {
    this.originOfTurn = { turn, origin };
  }

  /** Returns the commit that is checked out where the agent works. Undefined without a Git repository. Never rejects. */
  async readHeadCommit(): Promise<string | undefined> {
    const folder = this.agentFolder;
    return folder === undefined ? undefined : await this.ports.files.headCommitOf?.(folder);
  }

  private withOrigin(record: NewRecord): NewRecord {
    if (record.type !== 'changed' || record.turn !== this.originOfTurn?.turn) return record;
    return { ...record, ...this.originOfTurn.origin };
  }

  private get agentFolder(): string | undefined {
    return this.file.head.folder ?? this.ports.files.editor.folders[0]?.path;
  }

  /** Continues the conversation in this session of the backend. */
  bindSession(remoteId: string): void {
    this.addRecord({ type: 'bound', remoteId });
    this.file.updateHead({ remoteId });
  }

  private applySessionInfo({ agent_session_id: remoteId, title }: EventData<'session:info'>): void {
    this.setAgentTitle(title);
    if (remoteId !== undefined && remoteId !== this.head.remoteId) this.bindSession(remoteId);
  }

  /** Uses the first prompt as the title, unless the agent or the user has set a title. */
  private setTitleFromPrompt(text: string): void {
    const isFirst = this.transcript.prompts.length === 1;
    if (isFirst && this.head.titledBy === 'prompt') this.file.updateHead({ title: shortTitle(text) });
  }

  /** Uses the agent's title, unless the user has set a title. */
  setAgentTitle(title: string | undefined): void {
    if (title === undefined || title.trim() === '' || this.head.titledBy === 'user') return;
    this.file.updateHead({ title: shortTitle(title), titledBy: 'agent' });
  }

  /** Ignores further titles of the agent, because its new session only covers a later part of the conversation. */
  freezeTitle(): void {
    this.file.updateHead({ titledBy: 'user' });
  }

  /** Ends the turn because its window was closed. */
  recordInterruption(): void {
    const text =
      'The window was closed while the agent was working. The answer may be incomplete. Send a prompt to continue.';
    this.addRecord({ type: 'ended', outcome: 'interrupted', text });
    this.file.updateHead({ state: 'interrupted', isUnseen: !this.isSeen });
  }

  /** Ends the turn because the session of the backend has ended. */
  recordSessionLoss(): void {
    const text = `${this.head.backendTitle} ended during the turn. Send a prompt to continue.`;
    this.addRecord({ type: 'ended', outcome: 'interrupted', text });
  }

  /** Updates the head and records the files after a turn. A stopped agent can write until `whenAgentStopped`. */
  finishTurn(whenAgentStopped?: Promise<void>): void {
    const end = this.stateAfter(this.transcript.lastEnd?.outcome);
    this.file.updateHead({ updatedAt: this.ports.clock.now(), ...end });
    this.facts.update();
    void this.facts.updateBranch();
    void this.journal.endTurn(this.transcript.turnNumber, true, whenAgentStopped);
  }

  markFailed(): void {
    this.file.updateHead(this.stateAfter('failed'));
  }

  /** Sets whether the user sees the conversation. What ends unseen is marked until it is seen. */
  setSeen(isSeen: boolean): void {
    this.isSeen = isSeen;
    if (!isSeen) return;
    if (this.head.state === 'unread') this.file.updateHead({ state: 'idle' });
    if (this.head.isUnseen === true) this.file.updateHead({ isUnseen: false });
  }

  private stateAfter(outcome: EntryOf<'end'>['outcome'] | undefined): Pick<ConversationHead, 'state' | 'isUnseen'> {
    if (outcome === 'failed' || outcome === 'interrupted') return { state: outcome, isUnseen: !this.isSeen };
    return { state: this.isSeen || outcome === 'cancelled' ? 'idle' : 'unread' };
  }

  /** Keeps in the head whether a turn is open, for the list of conversations after a crash. */
  private noteTurn(): void {
    const { isBusy: isTurnOpen } = this.transcript;
    if (isTurnOpen !== (this.head.isTurnOpen ?? false)) this.file.updateHead({ isTurnOpen });
  }

  private applyStoredRecord(record: LogRecord): void {
    this.transcript.applyRecord(record);
    this.journal.applyRecord(record);
    this.applyToPrompts(record);
    this.restores.applyRecord(record);
  }

  private applyToPrompts(record: LogRecord): void {
    this.queue.applyRecord(record);
    if (isPrompt(record)) this.promptIds.add(record.id);
  }

  /** Ends a turn that a closed window has left open, and records its changed files. Never rejects. */
  private async closeOrphanedTurn(): Promise<void> {
    if (this.transcript.isStopping) this.addRecord({ type: 'settled' });
    const { approvals, isBusy } = this.transcript;
    if (isBusy || approvals.count > 0) this.recordInterruption();
    this.endJoining();
    // A window that was killed may have written the end, but not the head.
    this.noteTurn();
    await this.journal.endTurn(this.transcript.turnNumber, this.transcript.lastEnd?.outcome === 'interrupted');
  }

  /** The window that let prompts join a turn is gone. */
  private endJoining(): void {
    for (const prompt of this.queue.joining) {
      const state = this.queue.joiningStateOf(prompt.id);
      if (state === 'unknown') continue;
      this.addRecord({ type: 'steering', id: prompt.id, state: state === 'asked' ? 'unknown' : 'released' });
      if (state === 'asked') this.reportDoubtful(prompt);
    }
  }

  private applyRecordsRead({ isWriterGone, records }: RecordsOfOtherWindow): void {
    for (const record of records) this.applyStoredRecord(record);
    if (isWriterGone) void this.closeOrphanedTurn();
    else if (records.some(isFileRecord)) void this.journal.refresh();
    else this.changeEmitter.fire();
  }

  dispose(): void {
    this.document.dispose();
    this.changeEmitter.dispose();
    this.fileChangesEmitter.dispose();
    this.journal.dispose();
  }
}

function isFileRecord({ type }: LogRecord): boolean {
  return type === 'changed' || type === 'turnReverted' || type === 'fileDecided' || type === 'changesReplaced';
}
