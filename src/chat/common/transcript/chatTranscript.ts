import type {
  SessionEvent,
  ConfigOption,
  EventData,
  EventOf,
  SlashCommand,
} from '../../../session/common/sessionEvents';
import { Attachment, type EntryOf } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ApprovalViews } from '../approvals/approvalViews';
import { EndEntries } from './endEntries';
import { EntryWriter } from './entryWriter';
import type { LogRecord, RecordOf } from '../conversation/logRecord';
import type { Draft } from '../chatView';
import { SpokenText } from './spokenText';
import { ToolEntries } from './toolEntries';
import { endOfFailure, endOfTurn } from './turnEnds';
import { UsageTotals } from './usageTotals';

interface Turn {
  /** False for what an agent says without having been asked. */
  readonly isAsked: boolean;
  readonly startedAt: number | undefined;
  readonly speech: SpokenText;
  /** The prompt was written here; the backend will tell it, too. */
  expectsEcho: boolean;
  todosId: string | undefined;
  prompt: SentPrompt | undefined;
}

interface SentPrompt {
  /** Of its record; none for one that was sent elsewhere. */
  readonly id: string | undefined;
  readonly entryId: string;
  /** What is edited when it is sent again. */
  draft: Draft;
}

type EndFacts = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details' | 'usage'>;

/**
 * Makes the transcript and the state of a conversation from its records, the same ones in the same way whenever they are
 * read. Understands all of Amplifier's events, whether or not a backend knows of blocks, call ids and ends.
 */
export class ChatTranscript {
  readonly writer: EntryWriter;
  readonly approvals = new ApprovalViews();
  readonly usage = new UsageTotals();
  readonly prompts: SentPrompt[] = [];
  options: readonly ConfigOption[] = [];
  commands: readonly SlashCommand[] = [];
  /** The agent's. */
  title: string | undefined;
  /** What the agent says it is doing. */
  statusText: string | undefined;
  private readonly ends: EndEntries;
  private turn: Turn | undefined;
  private isReplaying = false;
  /** The user has stopped the turn, and the backend has not said so yet. */
  private isSettling = false;
  /** And has not even told its prompt. */
  private settlesEcho = false;
  private lastAt: number | undefined;
  private readonly tools: ToolEntries;

  /** `who` is the title of the backend. */
  constructor(
    document: TranscriptDocument,
    private readonly who: string,
  ) {
    this.writer = new EntryWriter(document);
    this.tools = new ToolEntries(this.writer);
    this.ends = new EndEntries(this.writer);
  }

  get isBusy(): boolean {
    return this.turn?.isAsked === true;
  }

  /** The backend has not said yet that the stopped turn has ended. */
  get isStopping(): boolean {
    return this.isSettling;
  }

  /** The prompt was not taken by the backend yet. */
  get isStarting(): boolean {
    return this.turn?.expectsEcho === true;
  }

  get lastEnd(): EntryOf<'end'> | undefined {
    return this.ends.last;
  }

  /** The number of the turn that runs, or ran last. */
  get turnNumber(): number {
    return this.writer.turn;
  }

  apply(record: LogRecord): void {
    this.writer.at = record.at;
    switch (record.type) {
      case 'prompt':
        this.prompted(record);
        break;
      case 'notSent':
        this.markNotSent(record);
        break;
      case 'withdrawn':
        this.withdraw(record.id);
        break;
      case 'event':
        this.event(record.event);
        break;
      case 'notice':
        this.notice(record.level, record.text, record.details, record.path);
        break;
      case 'stopped':
        this.stopped(record.inBackend);
        break;
      case 'settled':
        this.isSettling = this.settlesEcho = false;
        break;
      case 'ended':
        this.isSettling = false;
        if (this.isBusy) this.endTurn({ ...ended(record) });
        break;
      case 'resumed':
        this.resume();
        break;
      case 'bound':
        this.tools.restart();
        this.approvals.clear();
        break;
      case 'changed':
        this.ends.changed(record);
        break;
      case 'turnReverted':
        this.ends.revertedTurn(record);
        break;
      case 'fileDecided':
        if (record.decision === 'reverted') this.ends.reverted(record.path);
        break;
      default:
        break;
    }
    this.lastAt = record.at;
  }

  private prompted({ id, text, attachments }: RecordOf<'prompt'>): void {
    const turn = this.startTurn({ text, attachments }, id);
    turn.expectsEcho = true;
  }

  private withdraw(id: string): void {
    const { turn } = this;
    if (turn?.prompt?.id !== id) return;
    this.writer.remove(turn.prompt.entryId);
    this.prompts.pop();
    this.turn = undefined;
    this.writer.turn--;
  }

  /** The prompt shows what did not go with it, and is edited without that. */
  private markNotSent({ id, attachments: ids }: RecordOf<'notSent'>): void {
    const prompt = this.turn?.prompt;
    const entry = prompt?.id === id ? this.writer.whole(prompt.entryId) : undefined;
    if (!prompt || entry?.kind !== 'prompt') return;
    const { attachments, text } = prompt.draft;
    const isNotSent = (index: number): boolean => ids.includes(attachments[index]?.id ?? '');
    const marked = entry.attachments?.map((one, index) => (isNotSent(index) ? { ...one, notSent: true } : one));
    this.writer.put({ ...entry, ...(marked && { attachments: marked }) });
    prompt.draft = { text, attachments: attachments.filter((_, index) => !isNotSent(index)) };
  }

  private stopped(inBackend: boolean): void {
    if (!this.isBusy) return;
    this.settlesEcho = inBackend && this.isStarting;
    this.endTurn({ outcome: 'cancelled' });
    this.isSettling = inBackend;
  }

  private event(event: SessionEvent): void {
    if (this.isReplaying) this.writer.at = undefined;
    switch (event.event) {
      case 'content_block:start':
      case 'content_block:delta':
      case 'content_block:media':
      case 'content_block:end':
      case 'thinking:delta':
      case 'thinking:final':
        if (!this.isSettling) this.currentTurn(event.data.session_id).speech.handle(event);
        return;
      case 'tool:pre':
      case 'tool:update':
      case 'tool:post':
      case 'tool:error':
        if (!this.isSettling) this.currentTurn(event.data.session_id).speech.pause();
        this.tools.handle(event);
        return;
      case 'approval:required':
        this.approvalRequired(event.data);
        return;
      case 'approval:granted':
        this.approvalDecided(event.data, true);
        return;
      case 'approval:denied':
        this.approvalDecided(event.data, false);
        return;
      case 'prompt:submit':
        this.submitted(event);
        return;
      case 'prompt:complete':
        this.completed(event.data);
        return;
      case 'error':
        this.failed(event.data);
        return;
      case 'session:end':
        this.isSettling = false;
        this.approvals.clear();
        if (this.isBusy)
          this.endTurn(endOfTurn({ session_id: '', response: '', stop_reason: 'interrupted' }, this.who));
        return;
      case 'plan:update':
        this.planned(event.data);
        return;
      case 'notice':
        this.notice(event.data.level, event.data.message);
        return;
      default:
        this.stateEvent(event);
        return;
    }
  }

  private stateEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'session:info':
        this.title = event.data.title ?? this.title;
        return;
      case 'config:update':
        this.options = event.data.options;
        return;
      case 'commands:update':
        this.commands = event.data.commands;
        return;
      case 'usage:update':
        this.usage.update(event.data);
        return;
      case 'status:update':
        this.statusText = event.data.message ?? event.data.status;
        return;
      default:
        return;
    }
  }

  private submitted({ data }: EventOf<'prompt:submit'>): void {
    if (this.isSettling && this.settlesEcho) {
      this.settlesEcho = false;
      return;
    }
    this.isSettling = false;
    if (data.replayed) {
      this.isReplaying = true;
      this.writer.at = undefined;
    } else if (this.turn?.expectsEcho) {
      this.turn.expectsEcho = false;
      return;
    }
    this.startTurn({ text: data.prompt, attachments: [] }, undefined, data.session_id);
  }

  private completed(data: EventData<'prompt:complete'>): void {
    if (this.isSettling) {
      this.isSettling = false;
      const { lastEnd } = this;
      const usage = this.usage.endTurn(data.token_usage);
      if (lastEnd && usage && !this.isBusy) this.ends.put({ ...lastEnd, usage });
      return;
    }
    const { turn } = this;
    if (!turn) return;
    turn.speech.complete(data.response);
    const usage = this.usage.endTurn(data.token_usage);
    this.endTurn({ ...endOfTurn(data, this.who), ...(usage ? { usage } : {}) });
    this.isReplaying = false;
  }

  private failed(data: EventData<'error'>): void {
    if (this.isSettling) {
      this.isSettling = false;
      return;
    }
    const end = endOfFailure(data);
    if (this.turn) this.endTurn(end);
    else this.notice('error', data.error, end.details);
  }

  private approvalRequired(data: EventData<'approval:required'>): void {
    if (this.isSettling || this.isReplaying) return;
    this.currentTurn(data.session_id).speech.pause();
    const callId = data.call_id ?? this.tools.onlyOpenCallId;
    const call = callId === undefined ? undefined : this.tools.partsOf(callId);
    if (callId !== undefined) this.tools.wait(callId);
    this.approvals.ask(data, { callId, entryId: this.tools.entryIdOf(callId), call }, this.who, this.writer.at);
  }

  private approvalDecided(data: EventData<'approval:granted' | 'approval:denied'>, saysGranted: boolean): void {
    const decided = this.approvals.decide(data, saysGranted);
    if (decided?.callId !== undefined) this.tools.decide(decided.callId, decided.outcome, decided.decision);
  }

  private planned({ session_id, entries }: EventData<'plan:update'>): void {
    const turn = this.currentTurn(session_id);
    const known = turn.todosId === undefined ? undefined : this.writer.document.get(turn.todosId);
    const items = entries.map(({ content, priority, status }) => ({ text: content, priority, status }));
    if (known?.kind === 'todos') {
      this.writer.put({ ...known, items });
      return;
    }
    turn.speech.pause();
    const base = this.writer.base();
    turn.todosId = base.id;
    this.writer.put({ kind: 'todos', ...base, items });
  }

  private notice(level: 'info' | 'warning' | 'error', text: string, details?: string, path?: string): void {
    this.turn?.speech.pause();
    const more = { ...(details === undefined ? {} : { details }), ...(path === undefined ? {} : { path }) };
    this.writer.put({ kind: 'notice', ...this.writer.base(), level, text, ...more });
  }

  // Turns

  private startTurn(draft: Draft, id: string | undefined, sessionId = ''): Turn {
    if (this.turn?.isAsked) this.endTurn(this.isReplaying ? { outcome: 'completed' } : unheard);
    this.turn?.speech.end();
    this.tools.startTurn();
    this.usage.startTurn();
    this.writer.turn++;
    const base = this.writer.base();
    const attachments = draft.attachments.map((attachment) => Attachment.parse(attachment));
    this.writer.put({ kind: 'prompt', ...base, text: draft.text, ...(attachments.length > 0 ? { attachments } : {}) });
    const prompt = { id, entryId: base.id, draft };
    this.prompts.push(prompt);
    this.turn = this.createTurn(sessionId, true, prompt);
    return this.turn;
  }

  /** The open turn; an agent may also say something unasked. */
  private currentTurn(sessionId: string): Turn {
    return (this.turn ??= this.createTurn(sessionId, false, undefined));
  }

  private createTurn(sessionId: string, isAsked: boolean, prompt: SentPrompt | undefined, said = ''): Turn {
    const lastAt = (): number | undefined => (this.isReplaying ? undefined : this.lastAt);
    const speech = new SpokenText(sessionId, this.writer, lastAt, said);
    return { isAsked, startedAt: this.writer.at, speech, expectsEcho: false, todosId: undefined, prompt };
  }

  private endTurn(facts: EndFacts): void {
    const { turn, writer } = this;
    if (!turn) return;
    turn.speech.end();
    this.tools.endAll(facts.outcome === 'cancelled' ? 'cancelled' : 'stale');
    this.approvals.clear();
    this.turn = undefined;
    this.statusText = undefined;
    const { startedAt } = turn;
    const durationMs = startedAt === undefined || writer.at === undefined ? undefined : writer.at - startedAt;
    this.ends.put({ kind: 'end', ...writer.base(), ...facts, ...(durationMs === undefined ? {} : { durationMs }) });
  }

  /** The end that was told was none. */
  private resume(): void {
    if (this.turn?.isAsked) return;
    this.turn?.speech.end();
    this.ends.removeLast();
    this.tools.resumeTurn();
    const said = [...this.writer.document.entries()].map((entry) =>
      entry.kind === 'answer' && entry.turn === this.writer.turn ? entry.text : '',
    );
    this.turn = this.createTurn('', true, this.prompts.at(-1), said.join(''));
  }
}

const unheard: EndFacts = {
  outcome: 'interrupted',
  text: 'The end of this turn did not arrive. The answer may be incomplete.',
};

function ended({ outcome, text, details }: RecordOf<'ended'>): EndFacts {
  return { outcome, text, ...(details === undefined ? {} : { details }) };
}
