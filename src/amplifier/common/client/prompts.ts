import { BackendError } from '../../../session/common/sessionBackend';
import { isAmplifierApiError } from '../api/apiErrors';
import { diffContext, appendAttachmentsToPrompt, withAttachedFiles } from '../context/contextSource';
import type { PromptRequest, SessionStatus } from '../api/apiSchema';
import { isAwaitingApproval } from './approvalTable';
import type { SessionInput } from './sessionInput';
import { isSessionBusy, isTurnOpenOrPosting, type PromptPhase, type SessionState } from './clientState';
import {
  beginCancel,
  checkStatus,
  clearTimersByKey,
  sessionClosedError,
  setTimer,
  settleCall,
  updateState,
  type ReducerStep,
} from './reducerStep';
import { applyStatusIfCurrent, type CheckOrPromptStatusPurpose } from './statusChecks';
import { acceptPrompt, handleOwnPromptAccepted } from './turns';

/**
 * How often, and after which time each, the status is requested again if a session is not idle. Servers report the end of a
 * turn before they are idle, and the protocol has no event for that.
 */
const idleTries = 8;
const idleWaitMs = 250;
const workingMessage = 'The agent is still working. Wait for it or stop the turn.';

/**
 * Sends a prompt after checking the status. Includes the editor context that changed since the last prompt. Only one
 * prompt is sent at a time.
 */
export function beginPrompt(step: ReducerStep, { call, prompt: input }: SessionInput<'prompt'>): void {
  const refusal = refusalOf(step.state, isSessionBusy(step.state));
  if (refusal) {
    settleCall(step, call, refusal);
  } else if (input.attachments?.some(({ type }) => type === 'image')) {
    const message = 'Amplifier servers don’t support images. Remove the image and try again.';
    settleCall(step, call, new BackendError('unsupported', message));
  } else {
    updateState(step, { prompt: { kind: 'asking', call, input, triesLeft: idleTries } });
    checkWhetherSessionIdle(step);
  }
}

/** Continues only if the session is idle: the real server ignores prompts during an approval or after an error. */
export function handlePromptStatus(
  step: ReducerStep,
  purpose: CheckOrPromptStatusPurpose,
  status: SessionStatus,
): void {
  const { prompt } = step.state;
  if (prompt.kind !== 'asking' || failIfOver(step)) return;
  const { call, input, triesLeft } = prompt;
  const isLastTry = triesLeft === 0;
  if (status.status === 'idle') {
    const attachments = input.attachments ?? [];
    const files = attachments.flatMap((attachment) => (attachment.type === 'file' ? [attachment.path] : []));
    updateState(step, { prompt: { kind: 'collecting', call, input } });
    step.effects.push({ kind: 'collect', call, text: appendAttachmentsToPrompt(input.text, attachments), files });
    return;
  }
  const isBelieved = (isLastTry || status.status !== 'processing') && applyStatusIfCurrent(step, purpose, status);
  const refusal = isBelieved ? refusalOf(step.state, isTurnOpenOrPosting(step.state)) : undefined;
  if (refusal ?? isLastTry) {
    failPrompt(step, refusal ?? new BackendError('busy', workingMessage));
  } else {
    updateState(step, { prompt: { ...prompt, triesLeft: triesLeft - 1 } });
    setTimer(step, 'idleWait', idleWaitMs);
  }
}

export function checkWhetherSessionIdle(step: ReducerStep): void {
  const { prompt, receivedEventCount } = step.state;
  if (prompt.kind !== 'asking' || failIfOver(step)) return;
  const purpose = { kind: 'prompt', receivedEventCount, askedAtMs: step.at.timeMs } as const;
  step.effects.push({ kind: 'askStatus', purpose, timeoutMs: undefined });
}

/**
 * Sends the prompt with its context. The first prompt repeats the context of `POST /sessions`, because the real server
 * does not pass that to the model.
 */
export function handlePromptContextCollected(
  step: ReducerStep,
  { call, context, attached, text, wireText }: SessionInput<'collected'>,
): void {
  const { prompt, lastContext } = step.state;
  if (prompt.kind !== 'collecting' || prompt.call !== call || failIfOver(step)) return;
  const changes = withAttachedFiles(diffContext(lastContext, context), context, attached);
  const request: PromptRequest = { prompt: text };
  if (Object.keys(changes).length > 0) request.context_update = changes;
  const shownText = prompt.input.text;
  updateState(step, {
    prompt: { kind: 'posting', call, context, wireText, shownText, hasTurn: false, isLate: false },
  });
  step.effects.push({ kind: 'post', call, request });
}

export function handlePromptAccepted(
  step: ReducerStep,
  { call, requestId, isAccepted }: SessionInput<'promptTaken'>,
): void {
  const { prompt, life, usage } = step.state;
  if (!isAccepted) updateState(step, { usage: { ...usage, isCumulative: true } });
  if (prompt.kind !== 'posting' || prompt.call !== call) return;
  if (requestId === undefined) updateState(step, { unnamedPrompts: step.state.unnamedPrompts + 1 });
  const id = requestId ?? `prompt-${step.state.unnamedPrompts}`;
  if (life === 'open') handleOwnPromptAccepted(step, id);
  acceptPrompt(step, prompt, id);
  if (prompt.isLate) stopLate(step);
}

export function handlePromptFailure(step: ReducerStep, { call, error }: SessionInput<'promptFailed'>): void {
  const { prompt } = step.state;
  if (prompt.kind === 'none' || prompt.call !== call) return;
  if (prompt.kind === 'posting' && prompt.hasTurn && isAnswerLost(error)) acceptUnansweredPrompt(step, prompt);
  else failPrompt(step, error);
  if (prompt.kind === 'posting' && prompt.isLate) stopLate(step);
}

/** Accepts a prompt whose response was lost although its turn has started. The prompt must not be sent again. */
function acceptUnansweredPrompt(step: ReducerStep, prompt: Posting): void {
  const { turn } = step.state;
  acceptPrompt(step, prompt, turn.kind === 'open' ? turn.requestId : undefined);
  checkStatus(step);
}

export function failPrompt(step: ReducerStep, error: unknown): void {
  const { prompt } = step.state;
  if (prompt.kind === 'none') return;
  updateState(step, { prompt: { kind: 'none' } });
  clearTimersByKey(step, 'idleWait');
  settleCall(step, prompt.call, error);
  // The status is checked, because the server may have accepted the prompt or may be unavailable.
  checkStatus(step);
}

/** Cancels a prompt that was not sent yet. */
export function abortUnsentPrompt(step: ReducerStep): void {
  const { kind } = step.state.prompt;
  if (kind !== 'asking' && kind !== 'collecting') return;
  step.effects.push({ kind: 'abort', purpose: 'prompt' });
  failPrompt(step, new BackendError('cancelled', 'The prompt was canceled before it was sent.'));
}

function failIfOver(step: ReducerStep): boolean {
  const isOver = step.state.life !== 'open';
  if (isOver) failPrompt(step, sessionClosedError());
  return isOver;
}

function stopLate(step: ReducerStep): void {
  if (step.state.life === 'open' && isSessionBusy(step.state)) beginCancel(step);
}

/** Returns the error for the user if the session is known not to accept a prompt. */
function refusalOf(state: SessionState, isBusy: boolean): BackendError | undefined {
  if (state.life !== 'open') return sessionClosedError();
  if (isAwaitingApproval(state)) {
    return new BackendError('busy', 'The agent is waiting for your approval. Answer it first or stop the turn.');
  }
  return isBusy ? new BackendError('busy', workingMessage) : undefined;
}

/** Whether the request was sent but its result is unknown. */
function isAnswerLost(error: unknown): boolean {
  return isAmplifierApiError(error) && (error.code === 'CONNECTION_LOST' || error.code === 'TIMEOUT');
}

type Posting = Extract<PromptPhase, { kind: 'posting' }>;
