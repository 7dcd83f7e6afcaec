import type { Clock } from '../../../base/common/async';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ChangeJournal, type ChatFiles } from '../changes/changeJournal';
import type { WriteClaims } from '../changes/writeClaims';
import type { ReadOn, SessionFile, SessionHead } from '../chatStore';
import { ChatTranscript } from '../transcript/chatTranscript';
import { logVersion, type LogRecord, type NewRecord } from './logRecord';
import { PromptQueue } from './promptQueue';
import { titleOfPrompt } from './sessionTitle';

interface ConversationPorts {
  readonly files: ChatFiles;
  readonly claims: WriteClaims;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What happened in a conversation: each thing is told once, and goes to the transcript, to the journal of files and to the log. */
export class Conversation {
  readonly document: TranscriptDocument;
  readonly story: ChatTranscript;
  readonly journal: ChangeJournal;
  readonly queue = new PromptQueue();
  /** Fires for all but text that grows: the document tells of that. */
  readonly emitter: Emitter<void>;
  /** Fires when the changes of files may be others. */
  readonly filesEmitter: Emitter<void>;

  constructor(
    readonly file: SessionFile,
    private readonly ports: ConversationPorts,
  ) {
    const { claims, clock, files, log } = ports;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    this.emitter = new Emitter(onListenerError);
    this.filesEmitter = new Emitter(onListenerError);
    this.document = new TranscriptDocument(onListenerError);
    this.story = new ChatTranscript(this.document, file.head.backendTitle);
    this.journal = new ChangeJournal({
      files,
      claims,
      clock,
      texts: file,
      log,
      record: (record) => this.record(record),
      onDidChange: () => {
        this.emitter.fire();
        this.filesEmitter.fire();
      },
      onOtherWrite: (path) => {
        const text = `${file.head.backendTitle} wrote different contents than it showed.`;
        this.record({ type: 'notice', level: 'warning', text, path });
      },
    });
    file.onDidReadOn((news) => this.caughtUp(news));
    file.onDidChangeProblem(() => this.emitter.fire());
  }

  get head(): SessionHead {
    return this.file.head;
  }

  /** Takes all that is on disk; `damage` says what is missing. */
  async restore(records: readonly LogRecord[], damage: string | undefined): Promise<void> {
    for (const record of records) this.take(record);
    if (damage !== undefined) this.notice('warning', damage);
    // What another window writes may be in the middle of a turn.
    if (this.file.readonly === undefined) await this.leftTurn();
    else await this.journal.refresh();
  }

  record(record: NewRecord, isTextOnly = false): void {
    const timed = { ...record, at: this.ports.clock.now() } satisfies LogRecord;
    this.story.apply(timed);
    this.queue.apply(timed);
    this.file.append(timed);
    if (!isTextOnly) this.emitter.fire();
  }

  notice(level: 'info' | 'warning' | 'error', text: string, details?: string): void {
    this.record({ type: 'notice', level, text, ...(details === undefined ? {} : { details }) });
  }

  /** Before the first of its records. */
  begin(): void {
    if (this.document.size > 0 || this.story.turnNumber > 0) return;
    const { backendId, id } = this.head;
    this.record({ type: 'begin', version: logVersion, id, backendId });
  }

  prompted(prompt: Omit<Extract<NewRecord, { type: 'prompt' }>, 'type'>): void {
    this.begin();
    this.record({ type: 'prompt', ...prompt });
    this.titledByPrompt(prompt.text);
    this.file.changeHead({ updatedAt: this.ports.clock.now(), state: 'idle' });
  }

  /** It is this session of the backend from now on. */
  bind(remoteId: string): void {
    this.record({ type: 'bound', remoteId });
    this.file.changeHead({ remoteId });
  }

  /** By the first one, as long as there is no better title. */
  titledByPrompt(text: string): void {
    const isFirst = this.story.prompts.length === 1;
    if (isFirst && this.head.titledBy === 'prompt') this.file.changeHead({ title: titleOfPrompt(text) });
  }

  /** By the agent, unless the user has done it. */
  titled(title: string | undefined): void {
    if (title === undefined || title.trim() === '' || this.head.titledBy === 'user') return;
    this.file.changeHead({ title: titleOfPrompt(title), titledBy: 'agent' });
  }

  /** What the agent calls a session that it has begun in the middle would be the title of the middle. */
  keepTitle(): void {
    this.file.changeHead({ titledBy: 'user' });
  }

  /** The turn ends because its window does. */
  interrupted(): void {
    const text =
      'The window was closed while the agent was working. The answer may be incomplete. Send a prompt to continue.';
    this.record({ type: 'ended', outcome: 'interrupted', text });
  }

  /** The turn ends because its session does. */
  brokenOff(): void {
    const text = `${this.head.backendTitle} ended during the turn. Send a prompt to continue.`;
    this.record({ type: 'ended', outcome: 'interrupted', text });
  }

  /** Keeps what the turn that has ended means for the list and for files. */
  turnEnded(isShown: boolean): void {
    const outcome = this.story.lastEnd?.outcome;
    const state = outcome === 'failed' ? 'failed' : isShown || outcome === 'cancelled' ? 'idle' : 'unread';
    this.file.changeHead({ updatedAt: this.ports.clock.now(), state });
    void this.journal.endTurn(this.story.turnNumber);
  }

  private take(record: LogRecord): void {
    this.story.apply(record);
    this.journal.restore(record);
    this.queue.apply(record);
  }

  /** Nobody is in a turn: what its window has not told of the last one any more is told here. Never rejects. */
  private async leftTurn(): Promise<void> {
    if (this.story.isBusy) this.interrupted();
    await this.journal.endTurn(this.story.turnNumber, this.story.lastEnd?.outcome === 'interrupted');
  }

  /** Another window goes on with it, or has stopped to. */
  private caughtUp({ isWriterGone, records }: ReadOn): void {
    for (const record of records) this.take(record);
    if (isWriterGone) void this.leftTurn();
    else if (records.some(isOfFiles)) void this.journal.refresh();
    else this.emitter.fire();
  }

  dispose(): void {
    this.journal.dispose();
    this.document.dispose();
    this.emitter.dispose();
    this.filesEmitter.dispose();
  }
}

function isOfFiles({ type }: LogRecord): boolean {
  return type === 'changed' || type === 'turnReverted' || type === 'fileDecided';
}
