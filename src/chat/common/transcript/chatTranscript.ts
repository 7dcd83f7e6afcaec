import { isEqualIgnoringSpace } from '../../../base/common/text/ignoringSpace';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EventData, EventOf, SessionEvent } from '../../../session/common/sessionEvents';
import type { EntryOf, TodoItem } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { ApprovalViews } from '../approvals/approvalViews';
import { EndEntries } from './endEntries';
import { EntryWriter } from './entryWriter';
import type { LogRecord } from '../conversation/logRecord';
import type { Draft } from '../chatView';
import { BlockEntries } from './blockEntries';
import { RestoreEntries } from './restoreEntries';
import { PromptEntries, type SentPrompt } from './sentPrompt';
import { SessionFacts } from './sessionFacts';
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
  readonly approvals: ApprovalViews;
  readonly session = new SessionFacts();
  readonly promptEntries: PromptEntries;
  private readonly endEntries: EndEntries;
  private readonly restoreEntries: RestoreEntries;
  private readonly turnPlan: TurnPlan;
  private stage: TurnStage<Turn> = { kind: 'idle' };
  /** Whether the agent has said or done anything since the last prompt. */
  private hasAnswered = false;
  readonly toolEntries: ToolEntries;

  constructor(
    document: TranscriptDocument,
    /** Title of the agent that the next records are about. */
    private backendTitle: string,
    /** See `ApprovalViews`. */
    hash?: (text: string) => string,
  ) {
    this.approvals = new ApprovalViews(hash);
    this.writer = new EntryWriter(document);
    this.promptEntries = new PromptEntries(this.writer);
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

  get statusText(): string | undefined {
    return this.session.statusText;
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

  /** The prompts of all clients that began a turn, oldest first. */
  get prompts(): readonly SentPrompt[] {
    return this.promptEntries.ofTurns;
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
        this.advanceStage({ kind: 'prompted', turn: this.startTurn(record, record.id, record.isRetry) });
        break;
      case 'steered':
        this.currentTurn?.answers.split();
        this.promptEntries.addSteered(record);
        break;
      case 'withdrawn':
        this.withdrawPrompt(record.id);
        break;
      case 'event':
        this.applyEvent(record.event);
        break;
      case 'notice':
        this.writer.putNotice(record.level, record.text, record.details, record.path);
        break;
      case 'stopped':
        this.stopTurn(record.inBackend);
        break;
      case 'settled':
        this.confirmStop();
        break;
      case 'ended':
        this.confirmStop();
        this.endAllTurns(endFromRecord(record));
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
        this.promptEntries.applyRecord(record);
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

  private withdrawPrompt(id: string): void {
    if (this.promptEntries.removeUnread(id)) return;
    const { currentTurn, stage } = this;
    if (stage.kind === 'others' && stage.next.prompt?.id === id) this.advanceStage({ kind: 'withdrawn' });
    if (currentTurn?.prompt?.id === id) this.hidePrompt();
  }

  /** Removes the last prompt, which was not accepted yet. */
  private hidePrompt(): void {
    this.promptEntries.removeLast();
    this.advanceStage({ kind: 'withdrawn' });
  }

  private stopTurn(inBackend: boolean): void {
    if (!this.isBusy) return;
    if (this.stage.kind === 'others') this.endTurn({ outcome: 'cancelled' });
    this.putEndEntry({ outcome: 'cancelled' });
    this.advanceStage({ kind: 'stopped', inBackend });
  }

  private applyEvent(event: SessionEvent): void {
    if (this.stage.kind === 'replayed') this.writer.recordedAt = undefined;
    // What a stopped turn still sends is no answer to the next prompt.
    if (this.stage.kind !== 'stopped') this.hasAnswered ||= isAnswer(event);
    this.promptEntries.handleEvent(event);
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
        // A call of an earlier turn can end at any time.
        if (event.event === 'tool:pre' && this.ensureTurn()) this.updatePlan(planOfCall(event));
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
        // Whether a prompt was accepted that was not reported yet, its sender will say.
        if (this.currentTurn && this.stage.kind !== 'sent')
          this.endTurn(endFromStopReason({ stop_reason: 'interrupted' }, this.backendTitle));
        return;
      case 'plan:update':
        this.updatePlan(event.data.entries);
        return;
      case 'notice':
        this.writer.putNotice(event.data.level, event.data.message);
        return;
      default:
        this.session.applyEvent(event);
    }
  }

  private handleSubmit({ data }: EventOf<'prompt:submit'>): void {
    const { stage } = this;
    const isReplayed = data.replayed === true;
    const isOf = (turn: Turn | undefined): boolean =>
      !isReplayed && turn?.prompt !== undefined && isEqualIgnoringSpace(turn.prompt.draft.text, data.prompt);
    if (stage.kind === 'stopped' && stage.unreported) {
      if (isOf(stage.unreported)) this.advanceStage({ kind: 'echoed' });
      // What other clients do before cannot be told from the stopped turn.
      if (isOf(stage.unreported) || !isOf(stage.next)) return;
      // The stopped prompt was dropped.
      this.advanceStage({ kind: 'ended' });
    }
    const next = stage.kind === 'sent' ? stage.turn : 'next' in stage ? stage.next : undefined;
    if (isOf(next)) {
      if (stage.kind === 'others') this.endTurn(missingEnd);
      this.advanceStage({ kind: 'echoed' });
      if (this.currentTurn) this.currentTurn.startedAt = this.writer.recordedAt;
      return;
    }
    if (isReplayed) this.writer.recordedAt = undefined;
    // The prompt of this window is shown after the turn of the other client.
    if (next && stage.kind !== 'others') this.hidePrompt();
    const turn = this.startTurn({ text: data.prompt, attachments: [] }, undefined);
    this.advanceStage({ kind: 'begun', turn, isReplayed, next });
  }

  private handleComplete(data: EventData<'prompt:complete'>): void {
    const { lastEnd, stage, currentTurn } = this;
    if (stage.kind === 'sent' || (stage.kind === 'stopped' ? stage.unreported : !currentTurn)) return;
    const usage = withoutUndefined({ usage: this.session.usage.endTurn(data.token_usage) });
    if (stage.kind !== 'stopped') {
      this.endTurn({ ...endFromCompletion(data, this.backendTitle, currentTurn?.prompt, this.hasAnswered), ...usage });
      return;
    }
    this.confirmStop();
    if (lastEnd && usage.usage && !currentTurn) this.endEntries.putEnd({ ...lastEnd, ...usage });
  }

  private handleError(data: EventData<'error'>): void {
    const end = endFromError(data, this.backendTitle, this.writer.recordedAt);
    if (this.stage.kind === 'stopped') {
      if (!this.stage.unreported) this.confirmStop();
    } else if (this.currentTurn && this.stage.kind !== 'sent') this.endTurn(end);
    else this.writer.putNotice('error', end.text, end.details);
  }

  private addApproval(data: EventData<'approval:required'>): void {
    if (this.stage.kind === 'replayed' || !this.ensureTurn()) return;
    const { backendTitle, toolEntries, writer } = this;
    const { call_id: callId } = data;
    const parts = callId === undefined ? undefined : toolEntries.shownPartsOf(callId);
    const entryId = toolEntries.entryIdOf(callId);
    this.approvals.addApproval(data, { callId, entryId, parts }, backendTitle, writer.recordedAt);
    const canDeny = entryId !== undefined && this.approvals.denialOf(entryId) !== undefined;
    if (callId !== undefined) toolEntries.markWaiting(callId, canDeny);
  }

  private applyDecision({ data, event }: EventOf<'approval:granted' | 'approval:denied'>): void {
    const decided = this.approvals.resolveApproval(data, event === 'approval:granted');
    if (decided) this.toolEntries.applyDecision(decided);
  }

  private updatePlan(entries: EventData<'plan:update'>['entries'] | undefined): void {
    if (entries && this.stage.kind !== 'stopped') this.turnPlan.update(entries);
  }

  private startTurn({ attachments, text }: Draft, id: string | undefined, isRetry = false): Turn {
    if (this.isBusy) this.putEndEntry(missingEnd);
    this.currentTurn?.answers.endAll();
    this.toolEntries.startTurn();
    this.turnPlan.startTurn();
    this.hasAnswered = false;
    this.session.usage.startTurn();
    return this.createTurn(this.promptEntries.add({ text, attachments }, id, isRetry));
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
    const { stage } = this;
    this.putEndEntry(facts);
    this.advanceStage({ kind: 'ended' });
    const waiting = stage.kind === 'others' ? stage.next.prompt : undefined;
    if (waiting)
      this.advanceStage({ kind: 'prompted', turn: this.startTurn(waiting.draft, waiting.id, waiting.isRetry) });
  }

  /** Ends the turn, and that of a prompt which waits for its end. */
  private endAllTurns(facts: EndFacts): void {
    for (let count = 0; count < 2 && this.currentTurn; count++) this.endTurn(facts);
    this.approvals.clear();
  }

  private putEndEntry(facts: EndFacts): void {
    const { currentTurn, writer } = this;
    if (!currentTurn) return;
    currentTurn.answers.endAll();
    this.toolEntries.endOpenCalls(facts.outcome === 'cancelled' ? 'cancelled' : 'stale');
    this.turnPlan.endTurn();
    this.approvals.clear();
    this.session.statusText = undefined;
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
