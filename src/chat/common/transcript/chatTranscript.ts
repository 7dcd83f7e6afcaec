import { withoutUndefined } from '../../../base/common/withoutUndefined';
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
import { SpokenEntries } from './spokenEntries';
import { ToolEntries } from './toolEntries';
import { endOfFailure, endOfTurn } from './turnEnds';
import { isAsked, isStarting, openTurn, stageAfter, type TurnStage, type TurnStep } from './turnStage';
import { UsageTotals } from './usageTotals';

interface Turn {
  readonly startedAt: number | undefined;
  readonly spoken: SpokenEntries;
  /** Undefined if the agent began the turn itself. */
  readonly prompt: SentPrompt | undefined;
  todosId: string | undefined;
}

interface SentPrompt {
  /** Id of its record; undefined if it was sent from elsewhere. */
  readonly id: string | undefined;
  readonly entryId: string;
  /** For editing and resending. */
  draft: Draft;
}

type EndFacts = Pick<EntryOf<'end'>, 'outcome' | 'text' | 'details' | 'usage'>;

/** Builds the transcript and state of a conversation from its records. Deterministic. Expects normalized session events. */
export class ChatTranscript {
  readonly writer: EntryWriter;
  readonly approvals = new ApprovalViews();
  readonly usage = new UsageTotals();
  readonly prompts: SentPrompt[] = [];
  options: readonly ConfigOption[] = [];
  commands: readonly SlashCommand[] = [];
  /** Title given by the agent. */
  title: string | undefined;
  /** What the agent reports to be doing. */
  statusText: string | undefined;
  private readonly ends: EndEntries;
  private stage: TurnStage<Turn> = { at: 'rest' };
  private readonly tools: ToolEntries;

  constructor(
    document: TranscriptDocument,
    private readonly who: string,
  ) {
    this.writer = new EntryWriter(document);
    this.tools = new ToolEntries(this.writer);
    this.ends = new EndEntries(this.writer);
  }

  get isBusy(): boolean {
    return isAsked(this.stage);
  }

  /** The user stopped the turn, and the backend has not confirmed its end. */
  get isStopping(): boolean {
    return this.stage.at === 'stopped';
  }

  /** The backend has not accepted the prompt yet. */
  get isStarting(): boolean {
    return isStarting(this.stage);
  }

  get lastEnd(): EntryOf<'end'> | undefined {
    return this.ends.last;
  }

  /** Number of the current or last turn. */
  get turnNumber(): number {
    return this.writer.turn;
  }

  /** Text of the answers in the current or last turn. */
  get heard(): string {
    const answers = [...this.writer.document.entries()].filter(({ turn }) => turn === this.turnNumber);
    return answers.flatMap((entry) => (entry.kind === 'answer' ? [entry.text] : [])).join('\n\n');
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
        this.settle();
        break;
      case 'ended':
        this.settle();
        if (this.isBusy) this.endTurn(ended(record));
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
    // The end of a block often arrives together with what follows it.
    if (record.type !== 'event' || record.event.event !== 'content_block:end') this.writer.lastAt = record.at;
  }

  private get turn(): Turn | undefined {
    return openTurn(this.stage);
  }

  private step(step: TurnStep<Turn>): void {
    this.stage = stageAfter(this.stage, step);
  }

  /** The backend has confirmed the end of a stopped turn. */
  private settle(): void {
    if (this.stage.at === 'stopped') this.step({ kind: 'ended' });
  }

  private prompted({ id, text, attachments }: RecordOf<'prompt'>): void {
    this.step({ kind: 'prompted', turn: this.startTurn({ text, attachments }, id) });
  }

  private withdraw(id: string): void {
    const { turn } = this;
    if (turn?.prompt?.id !== id) return;
    this.writer.remove(turn.prompt.entryId);
    this.prompts.pop();
    this.step({ kind: 'withdrawn' });
    this.writer.turn--;
  }

  /** Marks attachments that could not be sent, and excludes them when the prompt is edited. */
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
    this.putEnd({ outcome: 'cancelled' });
    this.step({ kind: 'stopped', inBackend });
  }

  private event(event: SessionEvent): void {
    if (this.stage.at === 'replayed') this.writer.at = undefined;
    switch (event.event) {
      case 'content_block:start':
      case 'content_block:delta':
      case 'content_block:media':
      case 'content_block:end':
      case 'thinking:delta':
      case 'thinking:final':
        this.currentTurn()?.spoken.handle(event);
        return;
      case 'tool:pre':
      case 'tool:update':
      case 'tool:post':
      case 'tool:error':
        this.currentTurn();
        this.tools.handle(event);
        return;
      case 'approval:required':
        this.approvalRequired(event.data);
        return;
      case 'approval:granted':
      case 'approval:denied':
        this.approvalDecided(event);
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
        this.settle();
        this.approvals.clear();
        if (this.isBusy) this.endTurn(endOfTurn('interrupted', this.who));
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
    const { stage } = this;
    const isReplayed = data.replayed === true;
    if (!isReplayed && (stage.at === 'sent' || (stage.at === 'stopped' && (stage.owesPrompt || stage.next)))) {
      this.step({ kind: 'echoed' });
      return;
    }
    if (isReplayed) this.writer.at = undefined;
    const turn = this.startTurn({ text: data.prompt, attachments: [] }, undefined);
    this.step({ kind: 'begun', turn, isReplayed });
  }

  private completed(data: EventData<'prompt:complete'>): void {
    const { lastEnd, stage, turn } = this;
    if (stage.at !== 'stopped' && !turn) return;
    const ofTurn = this.usage.endTurn(data.token_usage);
    const usage = ofTurn ? { usage: ofTurn } : {};
    if (stage.at !== 'stopped') {
      this.endTurn({ ...endOfTurn(data.stop_reason, this.who), ...usage });
      return;
    }
    this.settle();
    if (lastEnd && ofTurn && !turn) this.ends.put({ ...lastEnd, ...usage });
  }

  private failed(data: EventData<'error'>): void {
    const end = endOfFailure(data);
    if (this.stage.at === 'stopped') this.settle();
    else if (this.turn) this.endTurn(end);
    else this.notice('error', data.error, end.details);
  }

  private approvalRequired(data: EventData<'approval:required'>): void {
    if (this.stage.at === 'replayed' || !this.currentTurn()) return;
    const { call_id: callId } = data;
    const call = callId === undefined ? undefined : this.tools.partsOf(callId);
    if (callId !== undefined) this.tools.wait(callId);
    this.approvals.ask(data, { callId, entryId: this.tools.entryIdOf(callId), call }, this.who, this.writer.at);
  }

  private approvalDecided({ data, event }: EventOf<'approval:granted' | 'approval:denied'>): void {
    const decided = this.approvals.decide(data, event === 'approval:granted');
    if (decided?.callId !== undefined) this.tools.decide(decided.callId, decided.outcome, decided.decision);
  }

  private planned({ entries }: EventData<'plan:update'>): void {
    const turn = this.currentTurn();
    if (!turn) return;
    const known = turn.todosId === undefined ? undefined : this.writer.document.get(turn.todosId);
    const items = entries.map(({ content, priority, status }) => ({ text: content, priority, status }));
    if (known?.kind === 'todos') {
      this.writer.put({ ...known, items });
      return;
    }
    const base = this.writer.base();
    turn.todosId = base.id;
    this.writer.put({ kind: 'todos', ...base, items });
  }

  private notice(level: 'info' | 'warning' | 'error', text: string, details?: string, path?: string): void {
    this.writer.put({ kind: 'notice', ...this.writer.base(), level, text, ...withoutUndefined({ details, path }) });
  }

  // Turns

  private startTurn(draft: Draft, id: string | undefined): Turn {
    if (this.isBusy) this.putEnd(unheard);
    this.turn?.spoken.end();
    this.tools.startTurn();
    this.usage.startTurn();
    this.writer.turn++;
    const base = this.writer.base();
    const attachments = draft.attachments.map((attachment) => Attachment.parse(attachment));
    this.writer.put({ kind: 'prompt', ...base, text: draft.text, ...(attachments.length > 0 ? { attachments } : {}) });
    const prompt = { id, entryId: base.id, draft };
    this.prompts.push(prompt);
    return this.createTurn(prompt);
  }

  /** The turn that events belong to; begins one if the agent acts unprompted. Undefined while a stopped turn is still ending. */
  private currentTurn(): Turn | undefined {
    if (this.stage.at === 'stopped') return undefined;
    if (this.stage.at === 'rest') this.step({ kind: 'unasked', turn: this.createTurn(undefined) });
    return this.turn;
  }

  private createTurn(prompt: SentPrompt | undefined): Turn {
    return { startedAt: this.writer.at, spoken: new SpokenEntries(this.writer), prompt, todosId: undefined };
  }

  private endTurn(facts: EndFacts): void {
    this.putEnd(facts);
    this.step({ kind: 'ended' });
  }

  private putEnd(facts: EndFacts): void {
    const { turn, writer } = this;
    if (!turn) return;
    turn.spoken.end();
    this.tools.endAll(facts.outcome === 'cancelled' ? 'cancelled' : 'stale');
    this.approvals.clear();
    this.statusText = undefined;
    const { startedAt } = turn;
    const durationMs = startedAt === undefined || writer.at === undefined ? undefined : writer.at - startedAt;
    this.ends.put({ kind: 'end', ...writer.base(), ...facts, ...(durationMs === undefined ? {} : { durationMs }) });
  }

  /** Reopens a turn that only seemed to have ended. */
  private resume(): void {
    if (this.isBusy) return;
    this.turn?.spoken.end();
    this.ends.removeLast();
    this.tools.resumeTurn();
    this.step({ kind: 'begun', turn: this.createTurn(this.prompts.at(-1)), isReplayed: false });
  }
}

const unheard: EndFacts = {
  outcome: 'interrupted',
  text: 'The end of this turn was not received. The answer may be incomplete.',
};

function ended({ outcome, text, details }: RecordOf<'ended'>): EndFacts {
  return { outcome, text, ...(details === undefined ? {} : { details }) };
}
