import { isEqualIgnoringSpace } from '../../../base/common/text/ignoringSpace';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EventData, EventOf, SessionEvent, TokenUsage } from '../../../session/common/sessionEvents';
import {
  handleApprovalRequired,
  handleApprovalResolved,
  resolveAnnouncedApprovals,
  withdrawAndDenyAnnouncedApprovals,
} from './approvalTable';
import { approvalAgeMs, secondsToAnswer } from './approvalTime';
import {
  isTurnOpenOrPosting,
  isOwnTurnOpenOrPosting,
  type OpenTurn,
  type PromptPhase,
  type SessionState,
  type TurnState,
} from './clientState';
import { checkStatus, emitNotice, settleCall, updateState, type ReducerStep } from './reducerStep';

/** Handles an event of the stream. Content is emitted unchanged, because the event log normalizes it. */
export function handleEvent(step: ReducerStep, event: SessionEvent): void {
  // `session:start` does not count, because every connection repeats it.
  if (event.event !== 'session:start') updateState(step, { receivedEventCount: step.state.receivedEventCount + 1 });
  switch (event.event) {
    case 'content_block:start':
    case 'content_block:delta':
    case 'content_block:media':
    case 'thinking:delta':
    case 'thinking:final':
    case 'tool:pre':
    case 'tool:post':
    case 'tool:error':
      ensureTurnOfContent(step);
      step.events.push(event);
      break;
    case 'approval:required': {
      ensureTurnOfContent(step);
      const timeout = secondsToAnswer(event.data.timeout, approvalAgeMs(step, event.data['timestamp']));
      handleApprovalRequired(step, { ...event.data, timeout });
      break;
    }
    case 'approval:granted':
      handleApprovalResolved(step, false, event.data);
      break;
    case 'approval:denied':
      handleApprovalResolved(step, true, event.data);
      break;
    case 'prompt:submit':
      promptHeard(step, event);
      break;
    case 'prompt:complete':
      turnCompleted(step, event.data);
      break;
    case 'error':
      turnFailed(step, event.data);
      break;
    case 'session:end':
      endSession(step, event.data);
      break;
    case 'config:update':
      updateState(step, { config: event.data.options });
      step.events.push(event);
      break;
    case 'commands:update':
      updateState(step, { commands: event.data.commands });
      step.events.push(event);
      break;
    default:
      step.events.push(event);
  }
}

/** Opens a turn if none is open: the turn of the prompt that is being sent, or a turn whose beginning was lost. */
export function ensureTurn(step: ReducerStep): void {
  const { turn, prompt } = step.state;
  if (turn.kind === 'open') return;
  if (prompt.kind === 'posting' && !prompt.hasTurn) beginOwnTurn(step, prompt, undefined, false);
  else
    updateState(step, {
      turn: { kind: 'open', prompt: undefined, requestId: undefined, isEchoed: true, isOwn: turn.hasEndedOwnEarly },
    });
}

/** Opens the turn that runs in a session that is loaded. The server may still report its prompt. */
export function resumeTurn(step: ReducerStep): void {
  updateState(step, {
    turn: { kind: 'open', prompt: undefined, requestId: undefined, isEchoed: false, isOwn: false },
  });
}

function ensureTurnOfContent(step: ReducerStep): void {
  ensureTurn(step);
  const { turn } = step.state;
  // The server continues a resumed turn without reporting its prompt.
  if (mayReportPrompt(turn)) updateState(step, { turn: { ...turn, isEchoed: true } });
}

export function handleOwnPromptAccepted(step: ReducerStep, requestId: string): void {
  const { turn, prompt } = step.state;
  if (prompt.kind !== 'posting') return;
  if (!prompt.hasTurn) {
    endTurn(step, 'interrupted');
    beginOwnTurn(step, prompt, requestId, false);
  } else if (turn.kind === 'open' && turn.isOwn && turn.requestId === undefined) {
    updateState(step, { turn: { ...turn, requestId } });
  }
}

/** Ends the open turn, if any, without an event from the server. */
export function endTurn(step: ReducerStep, stopReason: 'interrupted' | 'cancelled'): void {
  const turn = leaveTurn(step);
  if (!turn) return;
  const data = { ...ofTurn(step.state, turn), response: '', stop_reason: stopReason };
  step.events.push({ event: 'prompt:complete', data });
}

export function interruptTurn(step: ReducerStep, message: string): void {
  if (!isTurnOpenOrPosting(step.state)) return;
  emitNotice(step, 'warning', `${message} The answer may be incomplete.`);
  endTurn(step, 'interrupted');
}

/** Ends the open turn with an error. Emits the error even if no turn is open. */
export function failTurn(step: ReducerStep, data: Pick<EventData<'error'>, 'error' | 'code'>): void {
  const turn = leaveTurn(step);
  step.events.push({ event: 'error', data: { ...data, ...ofTurn(step.state, turn) } });
  // The session of the real server cannot be used after an error.
  checkStatus(step);
}

/** Ends the session and its open turn. Does nothing if the session has already ended. */
export function endSession(step: ReducerStep, data: Omit<EventData<'session:end'>, 'session_id'>): void {
  if (step.state.life !== 'open') return;
  endTurn(step, 'interrupted');
  step.events.push({ event: 'session:end', data: { ...data, session_id: step.state.sessionId } });
  updateState(step, { life: 'ended' });
}

function promptHeard(step: ReducerStep, event: EventOf<'prompt:submit'>): void {
  const { data } = event;
  const { turn, prompt } = step.state;
  if (data.replayed) {
    // A replayed history must not end the client's own turn and withdraw its approvals.
    if (!isOwnTurnOpenOrPosting(step.state)) step.events.push(event);
    return;
  }
  if (turn.kind === 'open' && !turn.isEchoed && isEchoOf(turn, data)) {
    updateState(step, { turn: { ...turn, isEchoed: true } });
    return;
  }
  if (!mayReportPrompt(turn)) endTurn(step, 'interrupted');
  if (prompt.kind === 'posting' && !prompt.hasTurn && isEqualIgnoringSpace(prompt.wireText, data.prompt)) {
    beginOwnTurn(step, prompt, data.request_id, true);
    return;
  }
  const { prompt: text, request_id: requestId } = data;
  updateState(step, { turn: { kind: 'open', prompt: text, requestId, isEchoed: true, isOwn: false } });
  step.events.push(event);
}

function turnCompleted(step: ReducerStep, data: EventData<'prompt:complete'>): void {
  const { turn: before, prompt } = step.state;
  // The event is ignored, because the client has already ended the turn.
  if (before.kind === 'none' && !(prompt.kind === 'posting' && !prompt.hasTurn)) {
    updateState(step, { turn: noTurn });
    return;
  }
  if (isOfAnother(before, data.request_id)) return;
  ensureTurn(step);
  const { turn } = step.state;
  resolveAnnouncedApprovals(step);
  acceptPromptOfTurn(step);
  updateState(step, { turn: noTurn });
  const usage = data.token_usage ? { token_usage: countUsage(step, data.token_usage) } : {};
  step.events.push({ event: 'prompt:complete', data: { ...data, ...ofTurn(step.state, turn), ...usage } });
}

function turnFailed(step: ReducerStep, data: EventData<'error'>): void {
  const { turn, prompt } = step.state;
  if (isOfAnother(turn, data.request_id)) return;
  if (prompt.kind === 'posting') ensureTurn(step);
  acceptPromptOfTurn(step);
  failTurn(step, data);
}

/** Accepts a prompt whose turn ends before its response. The session is then free for the next prompt. */
function acceptPromptOfTurn(step: ReducerStep): void {
  const { prompt, turn } = step.state;
  if (prompt.kind !== 'posting' || !prompt.hasTurn || turn.kind === 'none' || !turn.isOwn) return;
  acceptPrompt(step, prompt, turn.requestId);
}

/** Ends the sending of a prompt that the server has accepted, and resolves its call. */
export function acceptPrompt(step: ReducerStep, { call, context }: Posting, requestId: string | undefined): void {
  updateState(step, { prompt: { kind: 'none' }, lastContext: context });
  settleCall(step, call, undefined, requestId);
}

function beginOwnTurn(step: ReducerStep, prompt: Posting, requestId: string | undefined, isEchoed: boolean): void {
  const { wireText, shownText } = prompt;
  const turn = { kind: 'open', prompt: wireText, requestId, isEchoed, isOwn: true } as const;
  updateState(step, { turn, prompt: { ...prompt, hasTurn: true } });
  step.events.push({ event: 'prompt:submit', data: { ...ofTurn(step.state, turn), prompt: shownText } });
}

/** Closes the open turn and denies its approvals, which may still be pending on the server. */
function leaveTurn(step: ReducerStep): OpenTurn | undefined {
  const { turn } = step.state;
  withdrawAndDenyAnnouncedApprovals(step);
  if (turn.kind === 'none') return undefined;
  updateState(step, { turn: { kind: 'none', hasEndedOwnEarly: turn.isOwn } });
  return turn;
}

/** Returns the token usage of the turn. Also supports servers that report the total of the session. */
function countUsage(step: ReducerStep, reported: TokenUsage): TokenUsage {
  const { isCumulative, soFar } = step.state.usage;
  if (!isCumulative) return reported;
  updateState(step, { usage: { isCumulative, soFar: reported } });
  const input = reported.input_tokens - soFar.input_tokens;
  const output = reported.output_tokens - soFar.output_tokens;
  // If the total is lower than before, the server has restarted its count.
  return input < 0 || output < 0 ? reported : { input_tokens: input, output_tokens: output };
}

function ofTurn({ sessionId }: SessionState, turn: TurnState | undefined): { session_id: string; request_id?: string } {
  const requestId = turn?.kind === 'open' ? turn.requestId : undefined;
  return { session_id: sessionId, ...withoutUndefined({ request_id: requestId }) };
}

function isEchoOf(turn: OpenTurn, { prompt, request_id }: EventData<'prompt:submit'>): boolean {
  return request_id !== undefined && turn.requestId !== undefined
    ? request_id === turn.requestId
    : turn.prompt !== undefined && isEqualIgnoringSpace(turn.prompt, prompt);
}

/** Whether it is a resumed turn of which the server has reported nothing yet. It would report the prompt first. */
function mayReportPrompt(turn: TurnState): turn is OpenTurn {
  return turn.kind === 'open' && !turn.isEchoed && turn.prompt === undefined;
}

function isOfAnother(turn: TurnState, requestId: string | undefined): boolean {
  return (
    turn.kind === 'open' && requestId !== undefined && turn.requestId !== undefined && requestId !== turn.requestId
  );
}

const noTurn = { kind: 'none', hasEndedOwnEarly: false } as const;
type Posting = Extract<PromptPhase, { kind: 'posting' }>;
