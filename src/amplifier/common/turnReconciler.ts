import { AnswerBlocks } from './answerBlocks';
import type { PendingApproval } from './apiSchema';
import { ApprovalBook } from './approvalBook';
import type { AmplifierEvent, EventData, EventOf, TokenUsage } from './events';
import { ToolPairing } from './toolPairing';

/** One turn as it is told to the readers of the session. */
interface Turn {
  /** As it went over the wire. */
  readonly prompt: string | undefined;
  requestId: string | undefined;
  /** The server's own `prompt:submit` has come; another one is another turn. */
  isEchoed: boolean;
  readonly blocks: AnswerBlocks;
  thinking: string[];
}

/** A prompt whose POST is not answered yet. Its events may come before the answer. */
interface SentPrompt {
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
  /** Whether `token_usage` of a completed prompt counts the whole session, as the server that exists does. */
  usageIsCumulative = false;

  private turn: Turn | undefined;
  private sent: SentPrompt | undefined;
  private hasStarted = false;
  private hasEnded = false;
  private usageSoFar: TokenUsage = { input_tokens: 0, output_tokens: 0 };
  private readonly tools: ToolPairing;
  private readonly approvals: ApprovalBook;

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: AmplifierEvent) => void,
  ) {
    this.tools = new ToolPairing(sessionId, emit);
    this.approvals = new ApprovalBook(sessionId, emit, (callId) => this.tools.deny(callId));
  }

  get isTurnOpen(): boolean {
    return this.turn !== undefined || this.sent !== undefined;
  }

  get isAwaitingApproval(): boolean {
    return this.approvals.isWaiting;
  }

  /** The total of the session up to now, from its status; the next turn counts from there. */
  setUsageSoFar(total: TokenUsage): void {
    this.usageSoFar = total;
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

  /** Whether the user says no by this option. */
  isDenial(approvalId: string, option: string): boolean {
    return this.approvals.isDenial(approvalId, option);
  }

  /** Whether the request that the status tells is the one that the user saw. */
  isSameApproval(approvalId: string, pending: PendingApproval): boolean {
    return this.approvals.isSame(approvalId, pending);
  }

  approvalAnswered(approvalId: string, decision: string): void {
    this.approvals.answered(approvalId, decision);
  }

  approvalExpired(approvalId: string, reason: string): void {
    this.approvals.expire(approvalId, reason);
  }

  // What the session's status says

  /** A turn is running that this client has not seen begin. */
  adoptTurn(): void {
    this.turn ??= this.createTurn(undefined, undefined, true);
  }

  /** A request waits that the stream may not have told. `timeoutSeconds` is what is left, when the status does not say. */
  rebuildApproval(pending: PendingApproval, timeoutSeconds: number): void {
    this.adoptTurn();
    if (this.approvals.isPending(pending.approval_id)) return;
    const { context, timeout, ...data } = pending;
    this.approvals.required(
      {
        ...data,
        session_id: this.sessionId,
        timeout: timeout ?? timeoutSeconds,
        default: 'deny',
        context: context ?? {},
      },
      this.tools.onlyOpenCallId,
      true,
    );
  }

  /** No request waits any more. */
  approvalsGone(): void {
    this.approvals.expireAll('answered_elsewhere');
  }

  /** Ends the open turn, if there is one, with the text that came. */
  endTurn(stopReason: 'interrupted' | 'cancelled'): void {
    const { turn } = this;
    if (!turn) return;
    this.closeParts(turn);
    this.emit({
      event: 'prompt:complete',
      data: { ...this.ofTurn(turn), response: turn.blocks.text, stop_reason: stopReason },
    });
  }

  /** Ends the open turn by a failure; tells it also when no turn is open. */
  fail(error: string, code?: string): void {
    const turn = this.closeTurn();
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

  handle(event: AmplifierEvent): void {
    switch (event.event) {
      case 'content_block:delta': {
        const turn = this.currentTurn();
        if (turn.thinking.length > 0) this.endThinking(turn);
        turn.blocks.delta(event);
        return;
      }
      case 'content_block:start':
        this.endThinking(this.currentTurn());
        {
          this.currentTurn().blocks.start(event);
          return;
        }
      case 'content_block:media': {
        this.currentTurn().blocks.media(event);
        return;
      }
      case 'content_block:end':
        return this.turn?.blocks.end(event.data.block_index);
      case 'thinking:delta':
        this.currentTurn().blocks.endStep();
        this.currentTurn().thinking.push(event.data.delta);
        {
          this.emit(event);
          return;
        }
      case 'thinking:final':
        this.currentTurn().blocks.endStep();
        this.currentTurn().thinking = [];
        {
          this.emit(event);
          return;
        }
      case 'tool:pre':
        this.beginOther();
        {
          this.tools.pre(event);
          return;
        }
      case 'tool:post':
        this.beginOther();
        {
          this.tools.post(event);
          return;
        }
      case 'tool:error':
        this.beginOther();
        {
          this.tools.error(event);
          return;
        }
      case 'approval:required':
        this.beginOther();
        {
          this.approvals.required(event.data, event.data.call_id ?? this.tools.onlyOpenCallId);
          return;
        }
      case 'approval:granted': {
        this.approvals.resolvedOnWire(event.data, false);
        return;
      }
      case 'approval:denied': {
        this.approvals.resolvedOnWire(event.data, true);
        return;
      }
      case 'prompt:submit': {
        this.submitted(event);
        return;
      }
      case 'prompt:complete': {
        this.completed(event.data);
        return;
      }
      case 'error': {
        this.failed(event.data);
        return;
      }
      case 'session:start': {
        this.started(event);
        return;
      }
      case 'session:end':
        this.endTurn('interrupted');
        {
          this.endSession(event.data);
          return;
        }
      default: {
        this.emit(event);
        return;
      }
    }
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
    if (this.sent && !this.sent.turn && this.sent.wireText === data.prompt) {
      this.openSent(this.sent, data.request_id, true);
    } else {
      this.turn = this.createTurn(data.prompt, data.request_id, true);
      this.emit({ event: 'prompt:submit', data });
    }
  }

  private completed(data: EventData<'prompt:complete'>): void {
    const { turn } = this;
    // The end of a turn that was given up already.
    if (!turn && !this.sent) return;
    if (isOfAnother(turn, data.request_id)) return;
    const ended = turn ?? this.currentTurn();
    this.endThinking(ended);
    ended.blocks.complete(data.response);
    this.closeParts(ended);
    const response = data.response === '' ? ended.blocks.text : data.response;
    const usage = data.token_usage ? { token_usage: this.usageOfTurn(data.token_usage) } : {};
    this.emit({ event: 'prompt:complete', data: { ...data, ...this.ofTurn(ended), response, ...usage } });
  }

  private failed(data: EventData<'error'>): void {
    if (isOfAnother(this.turn, data.request_id)) return;
    const turn = this.sent && !this.turn ? this.currentTurn() : this.turn;
    if (turn) this.closeParts(turn);
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
    return (this.turn = this.createTurn(undefined, undefined, true));
  }

  private openSent(sent: SentPrompt, requestId: string | undefined, isEchoed: boolean): Turn {
    const turn = this.createTurn(sent.wireText, requestId, isEchoed);
    sent.turn = turn;
    this.turn = turn;
    this.emit({ event: 'prompt:submit', data: { ...this.ofTurn(turn), prompt: sent.shownText } });
    return turn;
  }

  private createTurn(prompt: string | undefined, requestId: string | undefined, isEchoed: boolean): Turn {
    return { prompt, requestId, isEchoed, blocks: new AnswerBlocks(this.sessionId, this.emit), thinking: [] };
  }

  private closeTurn(): Turn | undefined {
    const { turn } = this;
    if (turn) this.closeParts(turn);
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

  private usageOfTurn(reported: TokenUsage): TokenUsage {
    if (!this.usageIsCumulative) return reported;
    const before = this.usageSoFar;
    this.usageSoFar = reported;
    const input = reported.input_tokens - before.input_tokens;
    const output = reported.output_tokens - before.output_tokens;
    // A count that went back has started anew.
    return input < 0 || output < 0 ? reported : { input_tokens: input, output_tokens: output };
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
    : prompt === turn.prompt;
}

function isOfAnother(turn: Turn | undefined, requestId: string | undefined): boolean {
  return requestId !== undefined && turn?.requestId !== undefined && requestId !== turn.requestId;
}
