import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type {
  ConfigOption,
  EventData,
  EventOf,
  SessionEvent,
  SlashCommand,
} from '../../../session/common/sessionEvents';
import type { EntryOf, TodoItem } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ApprovalViews } from '../approvals/approvalViews';
import { EndEntries } from './endEntries';
import { EntryWriter } from './entryWriter';
import type { LogRecord, RecordOf } from '../conversation/logRecord';
import type { Draft } from '../chatView';
import { BlockEntries } from './blockEntries';
import { RestoreEntries } from './restoreEntries';
import { markNotSent, promptEntryOf, type SentPrompt } from './sentPrompt';
import { ToolEntries } from './toolEntries';
import {
  endFromCompletion,
  endFromError,
  endFromRecord,
  endFromStopReason,
  isAnswer,
  missingEnd,
  withRetry,
  type EndFacts,
} from './turnEnds';
import { hasPromptedTurn, isPromptUnconfirmed, turnOf, nextStage, type TurnStage, type StageInput } from './turnStage';
import { planOfCall, TurnPlan } from './turnPlan';
import type { TurnStep } from './turnStep';
import { UsageTotals } from './usageTotals';

interface Turn {
  /** When the agent got the prompt. Until then, when it was sent: the user may be asked whether programs may start. */
  startedAt: number | undefined;
  readonly answers: BlockEntries;
  /** The prompt of the turn. Undefined if the agent has started the turn without a prompt. */
  readonly prompt: SentPrompt | undefined;
}

/** Builds transcript and state from records: equal records, equal results. Expects normalized events. */
export class ChatTranscript {
  readonly writer: EntryWriter;
  readonly approvals = new ApprovalViews();
  readonly usage = new UsageTotals();
  readonly prompts: SentPrompt[] = [];
  options: readonly ConfigOption[] = [];
  commands: readonly SlashCommand[] = [];
  /** Title given by the agent. */
  title: string | undefined;
  /** The agent's own description of its current activity. */
  statusText: string | undefined;
  private readonly endEntries: EndEntries;
  private readonly restoreEntries: RestoreEntries;
  private readonly turnPlan: TurnPlan;
  private stage: TurnStage<Turn> = { kind: 'idle' };
  /** Whether the agent has said or done anything since the last prompt. */
  private hasAnswered = false;
  private readonly toolEntries: ToolEntries;

  constructor(
    document: TranscriptDocument,
    /** Title of the agent that the next records are about. */
    private backendTitle: string,
  ) {
    this.writer = new EntryWriter(document);
    this.toolEntries = new ToolEntries(this.writer);
    this.endEntries = new EndEntries(this.writer);
    this.restoreEntries = new RestoreEntries(this.writer);
    this.turnPlan = new TurnPlan(this.writer, () => this.isBusy);
  }

  get isBusy(): boolean {
    return hasPromptedTurn(this.stage);
  }

  /** Whether the user has stopped the turn and the backend has not confirmed its end yet. */
  get isStopping(): boolean {
    return this.stage.kind === 'stopped';
  }

  /** Whether the backend has not accepted the prompt yet. */
  get isStarting(): boolean {
    return isPromptUnconfirmed(this.stage);
  }

  get lastEnd(): EntryOf<'end'> | undefined {
    return this.endEntries.lastEnd;
  }

  /** What the agent is doing. Undefined outside of a turn, or if its events do not say it. */
  get step(): TurnStep | undefined {
    return this.toolEntries.runningCall ?? this.currentTurn?.answers.openBlock;
  }

  /** The plan while the turn runs; empty if there is none, or if nothing is left to do. */
  get openPlan(): readonly TodoItem[] {
    return this.turnPlan.openItems;
  }

  /** When the current turn began, in milliseconds since the epoch. */
  get turnStartedAt(): number | undefined {
    return this.currentTurn?.startedAt;
  }

  /** Number of the current or last turn. */
  get turnNumber(): number {
    return this.writer.turnNumber;
  }

  /** Text of all answers in the current or last turn. */
  get answerText(): string {
    const entries = this.writer.document.entriesOfTurn(this.turnNumber);
    return entries.flatMap((entry) => (entry.kind === 'answer' ? [entry.text] : [])).join('\n\n');
  }

  applyRecord(record: LogRecord): void {
    this.writer.recordedAt = record.at;
    switch (record.type) {
      case 'prompt':
        this.addPrompt(record);
        break;
      case 'notSent':
        this.markNotSent(record);
        break;
      case 'withdrawn':
        this.withdrawPrompt(record.id);
        break;
      case 'event':
        this.applyEvent(record.event);
        break;
      case 'notice':
        this.addNotice(record.level, record.text, record.details, record.path);
        break;
      case 'stopped':
        this.stopTurn(record.inBackend);
        break;
      case 'settled':
        this.confirmStop();
        break;
      case 'ended':
        this.confirmStop();
        if (this.isBusy) this.endTurn(endFromRecord(record));
        break;
      case 'resumed':
        this.reopenTurn();
        break;
      case 'begin':
        // The session stays: a newer version begins the log again within a turn.
        this.backendTitle = record.backendTitle ?? this.backendTitle;
        break;
      case 'forked':
        this.backendTitle = record.backendTitle ?? this.backendTitle;
        this.endEntries.markAsPast();
        this.leaveSession();
        break;
      case 'bound':
        this.leaveSession();
        break;
      default:
        this.endEntries.applyRecord(record);
        this.restoreEntries.applyRecord(record);
    }
    // The end of a block is skipped, because it often arrives together with the next event.
    if (record.type !== 'event' || record.event.event !== 'content_block:end') this.writer.previousAt = record.at;
  }

  private get currentTurn(): Turn | undefined {
    return turnOf(this.stage);
  }

  private advanceStage(step: StageInput<Turn>): void {
    this.stage = nextStage(this.stage, step);
  }

  /** The backend has confirmed the end of a stopped turn. */
  private confirmStop(): void {
    if (this.stage.kind === 'stopped') this.advanceStage({ kind: 'ended' });
  }

  /** The next session of the backend may use the same ids again. */
  private leaveSession(): void {
    this.toolEntries.clear();
    this.approvals.clear();
  }

  private addPrompt({ id, text, attachments, isRetry }: RecordOf<'prompt'>): void {
    this.advanceStage({ kind: 'prompted', turn: this.startTurn({ text, attachments }, id, isRetry) });
  }

  private withdrawPrompt(id: string): void {
    const { currentTurn } = this;
    if (currentTurn?.prompt?.id !== id) return;
    this.writer.remove(currentTurn.prompt.entryId);
    this.prompts.pop();
    this.advanceStage({ kind: 'withdrawn' });
    this.writer.turnNumber--;
  }

  private markNotSent({ id, attachments }: RecordOf<'notSent'>): void {
    const prompt = this.currentTurn?.prompt;
    const entry = prompt?.id === id ? this.writer.fullContent(prompt.entryId) : undefined;
    if (prompt && entry?.kind === 'prompt') this.writer.put(markNotSent(prompt, entry, attachments));
  }

  private stopTurn(inBackend: boolean): void {
    if (!this.isBusy) return;
    this.putEndEntry({ outcome: 'cancelled' });
    this.advanceStage({ kind: 'stopped', inBackend });
  }

  private applyEvent(event: SessionEvent): void {
    if (this.stage.kind === 'replayed') this.writer.recordedAt = undefined;
    // What a stopped turn still sends is no answer to the next prompt.
    if (this.stage.kind !== 'stopped') this.hasAnswered ||= isAnswer(event);
    switch (event.event) {
      case 'content_block:start':
      case 'content_block:delta':
      case 'content_block:media':
      case 'content_block:end':
      case 'thinking:delta':
      case 'thinking:final':
        this.ensureTurn()?.answers.applyEvent(event);
        return;
      case 'tool:pre':
      case 'tool:update':
      case 'tool:post':
      case 'tool:error':
        if (this.ensureTurn() && event.event === 'tool:pre') this.updatePlan(planOfCall(event));
        this.toolEntries.applyEvent(event);
        return;
      case 'approval:required':
        this.addApproval(event.data);
        return;
      case 'approval:granted':
      case 'approval:denied':
        this.applyDecision(event);
        return;
      case 'prompt:submit':
        this.handleSubmit(event);
        return;
      case 'prompt:complete':
        this.handleComplete(event.data);
        return;
      case 'error':
        this.handleError(event.data);
        return;
      case 'session:end':
        this.confirmStop();
        this.approvals.clear();
        if (this.isBusy) this.endTurn(endFromStopReason({ stop_reason: 'interrupted' }, this.backendTitle));
        return;
      case 'plan:update':
        this.updatePlan(event.data.entries);
        return;
      case 'notice':
        this.addNotice(event.data.level, event.data.message);
        return;
      default:
        this.applyStateEvent(event);
    }
  }

  private applyStateEvent(event: SessionEvent): void {
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
    }
  }

  private handleSubmit({ data }: EventOf<'prompt:submit'>): void {
    const { stage } = this;
    const isReplayed = data.replayed === true;
    if (!isReplayed && (stage.kind === 'sent' || (stage.kind === 'stopped' && (stage.awaitsPrompt || stage.next)))) {
      this.advanceStage({ kind: 'echoed' });
      if (this.currentTurn) this.currentTurn.startedAt = this.writer.recordedAt;
      return;
    }
    if (isReplayed) this.writer.recordedAt = undefined;
    const turn = this.startTurn({ text: data.prompt, attachments: [] }, undefined);
    this.advanceStage({ kind: 'begun', turn, isReplayed });
  }

  private handleComplete(data: EventData<'prompt:complete'>): void {
    const { lastEnd, stage, currentTurn } = this;
    if (stage.kind === 'sent' || (stage.kind !== 'stopped' && !currentTurn)) return;
    const usage = withoutUndefined({ usage: this.usage.endTurn(data.token_usage) });
    if (stage.kind !== 'stopped') {
      this.endTurn({ ...endFromCompletion(data, this.backendTitle, currentTurn?.prompt, this.hasAnswered), ...usage });
      return;
    }
    this.confirmStop();
    if (lastEnd && usage.usage && !currentTurn) this.endEntries.putEnd({ ...lastEnd, ...usage });
  }

  private handleError(data: EventData<'error'>): void {
    const end = endFromError(data, this.backendTitle, this.writer.recordedAt);
    if (this.stage.kind === 'stopped') this.confirmStop();
    else if (this.currentTurn) this.endTurn(end);
    else this.addNotice('error', end.text, end.details);
  }

  private addApproval(data: EventData<'approval:required'>): void {
    if (this.stage.kind === 'replayed' || !this.ensureTurn()) return;
    const { backendTitle, toolEntries, writer } = this;
    const { call_id: callId } = data;
    const parts = callId === undefined ? undefined : toolEntries.shownPartsOf(callId);
    if (callId !== undefined) toolEntries.markWaiting(callId);
    const call = { callId, entryId: toolEntries.entryIdOf(callId), parts };
    this.approvals.addApproval(data, call, backendTitle, writer.recordedAt);
  }

  private applyDecision({ data, event }: EventOf<'approval:granted' | 'approval:denied'>): void {
    const decided = this.approvals.resolveApproval(data, event === 'approval:granted');
    if (decided) this.toolEntries.applyDecision(decided);
  }

  private updatePlan(entries: EventData<'plan:update'>['entries'] | undefined): void {
    if (entries && this.stage.kind !== 'stopped') this.turnPlan.update(entries);
  }

  private addNotice(level: 'info' | 'warning' | 'error', text: string, details?: string, path?: string): void {
    const base = this.writer.createBase();
    this.writer.put({ kind: 'notice', ...base, level, text, ...withoutUndefined({ details, path }) });
  }

  private startTurn(draft: Draft, id: string | undefined, isRetry = false): Turn {
    if (this.isBusy) this.putEndEntry(missingEnd);
    this.currentTurn?.answers.endAll();
    this.toolEntries.startTurn();
    this.turnPlan.startTurn();
    this.hasAnswered = false;
    this.usage.startTurn();
    this.writer.turnNumber++;
    const base = this.writer.createBase();
    this.writer.put(promptEntryOf(base, draft, isRetry));
    const prompt = { id, entryId: base.id, draft };
    this.prompts.push(prompt);
    return this.createTurn(prompt);
  }

  /** Returns the turn for new events. Starts one if the agent acts unprompted. Undefined while a stopped turn ends. */
  private ensureTurn(): Turn | undefined {
    if (this.stage.kind === 'stopped') return undefined;
    if (this.stage.kind === 'idle') {
      this.turnPlan.startTurn();
      this.advanceStage({ kind: 'unprompted', turn: this.createTurn(undefined) });
    }
    return this.currentTurn;
  }

  private createTurn(prompt: SentPrompt | undefined): Turn {
    return { startedAt: this.writer.recordedAt, answers: new BlockEntries(this.writer), prompt };
  }

  private endTurn(facts: EndFacts): void {
    this.putEndEntry(facts);
    this.advanceStage({ kind: 'ended' });
  }

  private putEndEntry(facts: EndFacts): void {
    const { currentTurn, writer } = this;
    if (!currentTurn) return;
    currentTurn.answers.endAll();
    this.toolEntries.endOpenCalls(facts.outcome === 'cancelled' ? 'cancelled' : 'stale');
    this.turnPlan.endTurn();
    this.approvals.clear();
    this.statusText = undefined;
    const duration = withoutUndefined({ durationMs: writer.elapsedSince(currentTurn.startedAt) });
    const shown = withRetry(facts, currentTurn.prompt);
    this.endEntries.putEnd({ kind: 'end', ...writer.createBase(), ...shown, ...duration });
  }

  /** Reopens a turn that was recorded as ended but is still running. */
  private reopenTurn(): void {
    if (this.isBusy) return;
    this.currentTurn?.answers.endAll();
    this.endEntries.removeLastEnd();
    this.toolEntries.reopenTurn();
    this.advanceStage({ kind: 'begun', turn: this.createTurn(this.prompts.at(-1)), isReplayed: false });
    this.turnPlan.reopenTurn();
  }
}
