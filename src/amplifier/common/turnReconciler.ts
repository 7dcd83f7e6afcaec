import { isSameText } from '../../base/common/spacing';
import { ContentBlocks } from '../../session/common/normalize/contentBlocks';
import type { ApprovalAnswer, PendingApproval } from './apiSchema';
import { ApprovalBook, type ApprovalBookPorts } from './approvalBook';
import type { SessionEvent, EventData, EventOf } from '../../session/common/sessionEvents';
import { ToolCallPairing } from '../../session/common/normalize/toolCallPairing';
import { UsageCounter } from './usageCounter';

/** One turn as it is told to the readers of the session. */
interface Turn {
  /** As the server may tell it again. */
  readonly prompt: string | undefined;
  requestId: string | undefined;
  /** The server's own `prompt:submit` has come; another one is another turn. */
  isEchoed: boolean;
  /** Begun by a prompt of this client. */
  readonly isOwn: boolean;
  readonly blocks: ContentBlocks;
  thinking: string[];
}

/** A prompt whose POST is not answered yet. Its events may come before the answer. */
interface SentPrompt {
  /** As the server may tell it again. */
  readonly wireText: string;
  /** Without what was added for the server. */
  readonly shownText: string;
  turn: Turn | undefined;
}

/**
 * Makes one account of a session out of what either dialect of the API sends: whole turns with a beginning and an end,
 * blocks, thinking and tool calls that are closed, usage per turn, approvals judged by their decision. It also takes what
 * the session learns by other ways than the stream: the answer to a POST, the session's status.
 */
export class TurnReconciler {
  readonly usage = new UsageCounter();
  private turn: Turn | undefined;
  private sent: SentPrompt | undefined;
  private hasStarted = false;
  private hasEnded = false;
  /** The last turn was own, and was ended here and not by the server: what goes on there is the same turn. */
  private hasLeftOwn = false;
  private readonly tools: ToolCallPairing;
  private readonly approvals: ApprovalBook;

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: SessionEvent) => void,
    ports: Pick<ApprovalBookPorts, 'onLeft' | 'onSuperseded'>,
  ) {
    this.tools = new ToolCallPairing(sessionId, emit);
    const onDenied = (callId: string): void => this.tools.deny(callId);
    this.approvals = new ApprovalBook(sessionId, emit, { ...ports, onDenied });
  }

  get isTurnOpen(): boolean {
    return this.turn !== undefined || this.sent !== undefined;
  }

  /** Whether the open turn answers a prompt of this client. */
  get isTurnOwn(): boolean {
    return this.turn?.isOwn ?? this.sent !== undefined;
  }

  get isAwaitingApproval(): boolean {
    return this.approvals.isWaiting;
  }

  // What this client does

  promptSent(wireText: string, shownText: string): void {
    this.sent = { wireText, shownText, turn: undefined };
  }

  promptTaken(requestId: string): void {
    if (!this.sent) return;
    const { turn } = this.sent;
    if (turn) turn.requestId ??= requestId;
    else this.openSent(this.sent, requestId, false);
    this.sent = undefined;
  }

  promptRefused(): void {
    this.sent = undefined;
  }

  /** The body of an answer. */
  approvalAnswer(approvalId: string, decision: string): ApprovalAnswer {
    return this.approvals.answer(approvalId, decision);
  }

  /** What an allowance would be for when the status tells this request. */
  judgeApproval(approvalId: string, pending: PendingApproval): 'meant' | 'later' | 'gone' {
    return this.approvals.judge(approvalId, pending);
  }

  approvalAnswered(approvalId: string, decision: string): void {
    this.approvals.answered(approvalId, decision);
  }

  approvalTimedOut(approvalId: string): void {
    this.approvals.timedOut(approvalId);
  }

  approvalExpired(approvalId: string, reason: string): void {
    this.approvals.expire(approvalId, reason);
  }

  // What the session's status says

  /** A turn is running that this client has not seen begin. */
  adoptTurn(): void {
    this.turn ??= this.createTurn(undefined, undefined, true, this.hasLeftOwn);
  }

  /** A request waits that the stream has not told. `timeoutSeconds` is what is left to answer it. */
  rebuildApproval(pending: PendingApproval, timeoutSeconds: number): void {
    this.adoptTurn();
    if (this.approvals.isPending(pending.approval_id) || !pending.options) return;
    const { context, options, prompt = 'The agent asks for your approval.', ...data } = pending;
    const request = {
      ...data,
      prompt,
      options,
      timeout: timeoutSeconds,
      default: 'deny',
      context: context ?? {},
    } as const;
    this.approvals.required({ ...request, session_id: this.sessionId }, this.tools.onlyOpenCallId, true);
  }

  /** Whether the stream may still tell what waits, or tell it again. */
  expectApprovalsAgain(isExpected: boolean): void {
    this.approvals.expectAgain(isExpected);
  }

  /** No request waits any more. */
  approvalsGone(): void {
    this.approvals.expireAll('answered_elsewhere');
  }

  /** Ends the open turn, if there is one, with the text that came. */
  endTurn(stopReason: 'interrupted' | 'cancelled'): void {
    const turn = this.leaveTurn();
    if (!turn) return;
    this.emit({
      event: 'prompt:complete',
      data: { ...this.ofTurn(turn), response: turn.blocks.text, stop_reason: stopReason },
    });
  }

  /** Ends the open turn by a failure; tells it also when no turn is open. */
  fail(error: string, code?: string): void {
    const turn = this.leaveTurn();
    const data = { ...this.ofTurn(turn), error, ...(code === undefined ? {} : { code }) };
    this.emit({ event: 'error', data });
  }

  notice(level: 'info' | 'warning' | 'error', message: string): void {
    this.emit({ event: 'notice', data: { session_id: this.sessionId, level, message } });
  }

  /** The last word on the session; told once. */
  end(reason: string): void {
    this.endTurn('interrupted');
    this.endSession({ session_id: this.sessionId, reason });
  }

  // What the stream says

  handle(event: SessionEvent): void {
    switch (event.event) {
      case 'content_block:delta':
        this.textTurn().blocks.delta(event);
        break;
      case 'content_block:start':
        this.textTurn().blocks.start(event);
        break;
      case 'content_block:media':
        this.currentTurn().blocks.media(event);
        break;
      case 'content_block:end':
        this.turn?.blocks.end(event.data.block_index);
        break;
      case 'thinking:delta':
      case 'thinking:final':
        this.thought(event);
        break;
      case 'tool:pre':
        this.beginOther();
        this.tools.pre(event);
        break;
      case 'tool:post':
        this.beginOther();
        this.tools.post(event);
        break;
      case 'tool:error':
        this.beginOther();
        this.tools.error(event);
        break;
      case 'approval:required':
        this.beginOther();
        this.approvals.required(event.data, event.data.call_id ?? this.tools.onlyOpenCallId);
        break;
      case 'approval:granted':
        this.approvals.resolvedOnWire(event.data, false);
        break;
      case 'approval:denied':
        this.approvals.resolvedOnWire(event.data, true);
        break;
      case 'prompt:submit':
        this.submitted(event);
        break;
      case 'prompt:complete':
        this.completed(event.data);
        break;
      case 'error':
        this.failed(event.data);
        break;
      case 'session:start':
        this.started(event);
        break;
      case 'session:end':
        this.endTurn('interrupted');
        this.endSession(event.data);
        break;
      default:
        this.emit(event);
    }
  }

  /** The open turn, in which text begins or goes on. */
  private textTurn(): Turn {
    const turn = this.currentTurn();
    this.endThinking(turn);
    return turn;
  }

  private thought(event: EventOf<'thinking:delta'> | EventOf<'thinking:final'>): void {
    const turn = this.currentTurn();
    turn.blocks.endStep();
    if (event.event === 'thinking:delta') turn.thinking.push(event.data.delta);
    else turn.thinking = [];
    this.emit(event);
  }

  /** The server that exists tells a start on every connection. */
  private started(event: EventOf<'session:start'>): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    this.emit(event);
  }

  private submitted({ data }: EventOf<'prompt:submit'>): void {
    if (data.replayed) {
      this.emit({ event: 'prompt:submit', data });
      return;
    }
    const { turn } = this;
    if (turn && !turn.isEchoed && isEchoOf(turn, data)) {
      turn.isEchoed = true;
      return;
    }
    this.endTurn('interrupted');
    if (this.sent && !this.sent.turn && isSameText(this.sent.wireText, data.prompt)) {
      this.openSent(this.sent, data.request_id, true);
    } else {
      this.turn = this.createTurn(data.prompt, data.request_id, true, false);
      this.emit({ event: 'prompt:submit', data });
    }
  }

  private completed(data: EventData<'prompt:complete'>): void {
    const { turn } = this;
    // The end of a turn that was given up already.
    if (!turn && !this.sent) {
      this.hasLeftOwn = false;
      return;
    }
    if (isOfAnother(turn, data.request_id)) return;
    const ended = turn ?? this.currentTurn();
    this.endThinking(ended);
    ended.blocks.complete(data.response);
    this.closeParts(ended);
    this.hasLeftOwn = false;
    const { text } = ended.blocks;
    const response = data.response === '' || isSameText(text, data.response) ? text : data.response;
    const usage = data.token_usage ? { token_usage: this.usage.ofTurn(data.token_usage) } : {};
    this.emit({ event: 'prompt:complete', data: { ...data, ...this.ofTurn(ended), response, ...usage } });
  }

  private failed(data: EventData<'error'>): void {
    if (isOfAnother(this.turn, data.request_id)) return;
    if (this.sent) this.currentTurn();
    const turn = this.leaveTurn();
    this.emit({ event: 'error', data: { ...data, ...this.ofTurn(turn) } });
  }

  private endSession(data: EventData<'session:end'>): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.emit({ event: 'session:end', data });
  }

  /** The open turn; what comes without one belongs to a turn whose beginning was lost, or is still being answered. */
  private currentTurn(): Turn {
    if (this.turn) return this.turn;
    if (this.sent) return this.openSent(this.sent, undefined, false);
    return (this.turn = this.createTurn(undefined, undefined, true, this.hasLeftOwn));
  }

  private openSent(sent: SentPrompt, requestId: string | undefined, isEchoed: boolean): Turn {
    const turn = this.createTurn(sent.wireText, requestId, isEchoed, true);
    sent.turn = turn;
    this.turn = turn;
    this.emit({ event: 'prompt:submit', data: { ...this.ofTurn(turn), prompt: sent.shownText } });
    return turn;
  }

  private createTurn(
    prompt: string | undefined,
    requestId: string | undefined,
    isEchoed: boolean,
    isOwn: boolean,
  ): Turn {
    const blocks = new ContentBlocks(this.sessionId, this.emit);
    return { prompt, requestId, isEchoed, isOwn, blocks, thinking: [] };
  }

  /** Ends the open turn without the server's word that nothing of it waits. */
  private leaveTurn(): Turn | undefined {
    const { turn } = this;
    this.approvals.leaveAll('turn_ended');
    if (turn) {
      this.closeParts(turn);
      this.hasLeftOwn = turn.isOwn;
    }
    return turn;
  }

  /** Nothing of a turn stays open behind its end. */
  private closeParts(turn: Turn): void {
    this.endThinking(turn);
    turn.blocks.endAll();
    this.approvals.expireAll('turn_ended');
    this.tools.endAll();
    this.turn = undefined;
  }

  private beginOther(): void {
    const turn = this.currentTurn();
    this.endThinking(turn);
    turn.blocks.endStep();
  }

  private endThinking(turn: Turn): void {
    if (turn.thinking.length === 0) return;
    const thinking = turn.thinking.join('');
    turn.thinking = [];
    this.emit({ event: 'thinking:final', data: { session_id: this.sessionId, thinking } });
  }

  private ofTurn(turn: Turn | undefined): { session_id: string; request_id?: string } {
    const { sessionId } = this;
    return turn?.requestId === undefined
      ? { session_id: sessionId }
      : { session_id: sessionId, request_id: turn.requestId };
  }
}

function isEchoOf(turn: Turn, { prompt, request_id }: EventData<'prompt:submit'>): boolean {
  return request_id !== undefined && turn.requestId !== undefined
    ? request_id === turn.requestId
    : turn.prompt !== undefined && isSameText(turn.prompt, prompt);
}

function isOfAnother(turn: Turn | undefined, requestId: string | undefined): boolean {
  return requestId !== undefined && turn?.requestId !== undefined && requestId !== turn.requestId;
}
