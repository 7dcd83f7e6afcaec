import type { Clock } from '../../../base/common/async';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ChangeJournal, type ChatFiles } from '../changes/changeJournal';
import type { ReadOn, SessionFile, SessionHead } from '../chatStore';
import { ChatTranscript } from '../transcript/chatTranscript';
import { logVersion, type LogRecord, type NewRecord } from './logRecord';
import { PromptQueue } from './promptQueue';
import { titleOfPrompt } from './sessionTitle';

interface ConversationPorts {
  readonly files: ChatFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Passes each record of a conversation to its transcript, queue and log, and keeps its head up to date. */
export class Conversation {
  readonly document: TranscriptDocument;
  readonly story: ChatTranscript;
  readonly journal: ChangeJournal;
  readonly queue = new PromptQueue();
  /** Fires for all changes except streamed text, for which the document has its own event. */
  readonly emitter: Emitter<void>;

  constructor(
    readonly file: SessionFile,
    private readonly ports: ConversationPorts,
  ) {
    const { files, log } = ports;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    this.emitter = new Emitter(onListenerError);
    this.document = new TranscriptDocument(onListenerError);
    this.story = new ChatTranscript(this.document, file.head.backendTitle);
    this.journal = new ChangeJournal({
      files,
      texts: file,
      log,
      record: (record) => this.record(record),
      onDidChange: () => this.emitter.fire(),
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

  /** Applies the records read from disk. `damage` says, for the user, what could not be read. */
  async restore(records: readonly LogRecord[], damage: string | undefined): Promise<void> {
    for (const record of records) this.take(record);
    if (damage !== undefined) this.notice('warning', damage);
    // If another window writes the conversation, its turn may still run.
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

  /** Writes the `begin` record unless the conversation has begun already. */
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

  /** Continues the conversation in this session of the backend. */
  bind(remoteId: string): void {
    this.record({ type: 'bound', remoteId });
    this.file.changeHead({ remoteId });
  }

  /** Titles the conversation by its first prompt, unless the agent or the user has titled it. */
  titledByPrompt(text: string): void {
    const isFirst = this.story.prompts.length === 1;
    if (isFirst && this.head.titledBy === 'prompt') this.file.changeHead({ title: titleOfPrompt(text) });
  }

  /** Uses the agent's title, unless the user has set one. */
  titled(title: string | undefined): void {
    if (title === undefined || title.trim() === '' || this.head.titledBy === 'user') return;
    this.file.changeHead({ title: titleOfPrompt(title), titledBy: 'agent' });
  }

  /** Ignores further titles of the agent, whose new session only covers a later part of the conversation. */
  keepTitle(): void {
    this.file.changeHead({ titledBy: 'user' });
  }

  /** Ends the turn because its window was closed. */
  interrupted(): void {
    const text =
      'The window was closed while the agent was working. The answer may be incomplete. Send a prompt to continue.';
    this.record({ type: 'ended', outcome: 'interrupted', text });
  }

  /** Ends the turn because its session has ended. */
  brokenOff(): void {
    const text = `${this.head.backendTitle} ended during the turn. Send a prompt to continue.`;
    this.record({ type: 'ended', outcome: 'interrupted', text });
  }

  /** Updates the head and records the changed files after a turn. */
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

  /** Ends a turn that was left open by a window that is gone, and records its changed files. Never rejects. */
  private async leftTurn(): Promise<void> {
    if (this.story.isBusy) this.interrupted();
    await this.journal.endTurn(this.story.turnNumber);
  }

  private caughtUp({ isWriterGone, records }: ReadOn): void {
    for (const record of records) this.take(record);
    if (isWriterGone) void this.leftTurn();
    else if (records.some(isOfFiles)) void this.journal.refresh();
    else this.emitter.fire();
  }

  dispose(): void {
    this.document.dispose();
    this.emitter.dispose();
  }
}

function isOfFiles({ type }: LogRecord): boolean {
  return type === 'changed' || type === 'turnReverted' || type === 'fileDecided';
}
