import { denyOption, isDenial } from '../../../session/common/approvalOptions';
import { BackendError, isBackendError } from '../../../session/common/sessionBackend';
import type { EventData } from '../../../session/common/sessionEvents';
import { AmplifierApiError, isAmplifierApiError } from '../api/apiErrors';
import type { ApprovalAnswer, PendingApproval, SessionStatus } from '../api/apiSchema';
import type { AnswerPurpose, Call, StatusPurpose } from './sessionInput';
import { isTurnOwn, type Approval, type OpenApproval, type SessionState, type ShownApproval } from './clientState';
import {
  asBackendError,
  beginCancel,
  check,
  clearTimers,
  log,
  notice,
  setTimer,
  settle,
  stopLeftTurn,
  update,
  type Step,
} from './sessionStep';

/** Long enough for a jump of the clock, such as sleep, to be seen soon after it. */
const maxStepMs = 2000;
const retryMs = 500;
/** What resolves a request that comes too late may be right behind it, as in a replay. */
const tooLateMs = 250;
/** How long after the user's time a request that was left is still denied: longer than any margin before the server's time-out. */
const leftMs = 20_000;
/** A denial that hangs must leave time for another one. */
const denyTimeoutMs = 3000;
const maxApprovals = 500;
const goneCodes: ReadonlySet<string> = new Set(['NO_PENDING_APPROVAL', 'APPROVAL_TIMEOUT']);
const resolvedMessage = 'This approval was already answered or has timed out.';

export function isAwaitingApproval(state: SessionState): boolean {
  return shownApprovals(state).length > 0;
}

/** Whether a denial is on its way, or to be sent. One that only the end of its turn can deny does not count. */
export function isDenying(state: SessionState): boolean {
  return openApprovals(state).some((approval) => approval.phase === 'left' || !isUndeniable(approval));
}

export function openApprovals({ approvals }: SessionState): OpenApproval[] {
  return [...approvals.values()].filter((approval) => approval.phase !== 'resolved');
}

// Requests, as they are told

/** A request of the stream, or of the status. `timeout` is the time to answer here, in seconds. */
export function approvalRequired(
  step: Step,
  { wire_id: numberOnWire, ...told }: EventData<'approval:required'>,
  mayComeAgain = false,
): void {
  const { approval_id: wireId, options, option_kinds: kinds, prompt, timeout = 0 } = told;
  const superseded = byWireId(step.state, wireId);
  // Servers that speak our extensions use an id once.
  if (superseded?.prompt === prompt && (superseded.mayComeAgain || kinds !== undefined)) {
    put(step, { ...superseded, mayComeAgain: false });
    return;
  }
  if (superseded) {
    close(step, superseded, 'unanswerable');
    notice(step, 'warning', supersededMessage);
  }
  const id = uniqueId(step.state, wireId);
  const givenMs = timeout * 1000;
  put(step, {
    phase: 'waiting',
    id,
    wireId,
    sentId: numberOnWire ?? wireId,
    isExtended: kinds !== undefined,
    options,
    deny: denyOption(options, kinds),
    prompt,
    due: { nowMs: step.at.nowMs + givenMs, timeMs: step.at.timeMs + givenMs },
    isBeingDenied: false,
    isTimedOut: false,
    mayComeAgain,
  });
  setTimer(step, `approval ${id}`, givenMs > 0 ? Math.min(maxStepMs, givenMs) : tooLateMs);
  step.events.push({ event: 'approval:required', data: { ...told, approval_id: id } });
  if (superseded) beginCancel(step);
}

/** Whether the stream may still tell what waits, or tell it again; or whatever comes now is new. */
export function expectApprovalsAgain(step: Step, mayComeAgain: boolean): void {
  for (const approval of shownApprovals(step.state)) put(step, { ...approval, mayComeAgain });
}

/** Whether a request that the server names so waits already. */
export function isShown(state: SessionState, wireId: string): boolean {
  return byWireId(state, wireId) !== undefined;
}

/** The server's word on a request: the decision counts, for servers say "granted" of a denial. One that nobody knows is dropped. */
export function approvalResolved(
  step: Step,
  saysDenied: boolean,
  { approval_id: wireId, decision, reason }: Resolution,
): void {
  const approval = byWireId(step.state, wireId);
  if (approval) decide(step, approval, decision, decision === '' ? saysDenied : denies(approval, decision), reason);
}

/** The status says that the server waits for none of them any more. */
export function expireApprovals(step: Step): void {
  for (const approval of shownApprovals(step.state)) close(step, approval, 'answered_elsewhere');
}

/** Their turn has ended, and nothing of it waits. */
export function endApprovals(step: Step): void {
  for (const { id } of shownApprovals(step.state)) resolve(step, id);
}

/** Nobody will answer what is shown, whatever the server waits for. What others may be about to answer is left to them. */
export function leaveApprovals(step: Step): void {
  const isOwn = isTurnOwn(step.state);
  for (const approval of shownApprovals(step.state)) {
    if (isUndeniable(approval) || (approval.isExtended && !isOwn)) resolve(step, approval.id);
    else leave(step, approval);
  }
}

export function forgetApprovals(step: Step): void {
  for (const { id } of openApprovals(step.state)) resolve(step, id);
}

// Answers

/** The user's answer: nothing but an option that the server listed, byte for byte. */
export function chooseOption(step: Step, call: Call, id: string, option: string): void {
  const approval = step.state.approvals.get(id);
  const refuse = (code: 'approvalInvalid' | 'approvalResolved', message: string): void =>
    settle(step, call, new BackendError(code, message));
  if (!approval) refuse('approvalInvalid', 'No approval is pending for this answer.');
  else if (approval.phase === 'resolved' || approval.phase === 'left') refuse('approvalResolved', resolvedMessage);
  else if (!approval.options.includes(option))
    refuse('approvalInvalid', 'Choose one of the listed answers. Nothing was sent.');
  else if (approval.phase === 'answering') refuse('approvalResolved', 'An answer is already being sent.');
  else if (denies(approval, option)) send(step, approval, option, call);
  else {
    put(step, { ...approval, phase: 'answering' });
    const purpose = { kind: 'allowance', id, option, call } as const;
    step.effects.push({ kind: 'askStatus', purpose, timeoutMs: undefined });
  }
}

/** The API answers whatever waits now: an allowance must not go to another request than the user saw. */
export function allowanceJudged(step: Step, purpose: AllowancePurpose, status: SessionStatus): void {
  const { id, option, call } = purpose;
  const { pending_approval: pending } = status;
  if (pending === 'unreadable' || (!pending && status.status === 'awaiting_approval')) {
    const message = 'The server does not say which approval is pending. Nothing was sent. Deny it, or stop the turn.';
    answerFailed(step, id, call, new BackendError('protocol', message));
    return;
  }
  const approval = step.state.approvals.get(id);
  const judged = pending ? judge(step.state, approval, pending) : 'gone';
  if (judged === 'meant' && approval?.phase === 'answering') {
    send(step, approval, option, call);
  } else if (judged === 'later') {
    const message = 'Answer the agent’s earlier approval first.';
    answerFailed(step, id, call, new BackendError('busy', message));
  } else {
    answerFailed(step, id, call, new AmplifierApiError('NO_PENDING_APPROVAL', 'Another approval is pending now', 400));
  }
}

/** The server took an answer. */
export function answerTaken(step: Step, { id, option, call }: ApprovalPurpose): void {
  const approval = step.state.approvals.get(id);
  if (approval?.phase === 'left') resolve(step, id);
  else if (approval && approval.phase !== 'resolved')
    decide(step, approval, option, denies(approval, option), undefined);
  settle(step, call);
}

/** An answer did not arrive, or was not taken. */
export function answerFailed(step: Step, id: string, call: Call | undefined, error: unknown): void {
  const approval = step.state.approvals.get(id);
  const isGone = isAmplifierApiError(error) && (error.httpStatus === 409 || goneCodes.has(error.code));
  const failure = isGone
    ? new BackendError('approvalResolved', resolvedMessage, error.code, { cause: error })
    : asBackendError(error);
  if (approval?.phase === 'left') {
    if (isOver(failure)) resolve(step, id);
    else put(step, { ...approval, isSending: false });
  } else if (approval?.phase === 'answering') {
    if (isGone) close(step, approval, 'answered_elsewhere');
    else put(step, { ...approval, phase: 'waiting' });
  }
  settle(step, call, failure);
  check(step);
}

/** Denies whatever is shown, again and again. */
export function denyAllApprovals(step: Step): void {
  for (const approval of shownApprovals(step.state)) deny(step, approval);
}

/** Time for a request has passed: whichever clock says first that its time is up is believed. */
export function approvalTimer(step: Step, id: string): void {
  const approval = step.state.approvals.get(id);
  if (!approval || approval.phase === 'resolved') return;
  if (approval.phase === 'left' || approval.isBeingDenied) {
    deny(step, approval);
    return;
  }
  const restMs = timeLeft(step, approval);
  if (restMs <= 0) deny(step, { ...approval, isTimedOut: approval.phase === 'waiting' });
  else setTimer(step, `approval ${id}`, Math.min(maxStepMs, restMs));
}

function timeLeft({ at }: Step, { due }: OpenApproval): number {
  return Math.min(due.nowMs - at.nowMs, due.timeMs - at.timeMs);
}

function shownApprovals(state: SessionState): ShownApproval[] {
  return openApprovals(state).filter((approval) => approval.phase !== 'left');
}

function byWireId(state: SessionState, wireId: string): ShownApproval | undefined {
  return shownApprovals(state).find((approval) => approval.wireId === wireId);
}

function uniqueId({ approvals }: SessionState, wireId: string): string {
  let id = wireId;
  for (let n = 2; approvals.has(id); n++) id = `${wireId}#${n}`;
  return id;
}

function put(step: Step, approval: OpenApproval): void {
  update(step, { approvals: new Map(step.state.approvals).set(approval.id, approval) });
}

function resolve(step: Step, id: string): void {
  const approvals = new Map(step.state.approvals).set(id, { phase: 'resolved' });
  // They are kept for answers that come late. A server that asks without end must not fill the memory.
  if (approvals.size > maxApprovals) {
    const [oldest] = [...approvals].find(([, { phase }]) => phase === 'resolved') ?? [];
    if (oldest !== undefined) approvals.delete(oldest);
  }
  update(step, { approvals });
  clearTimers(step, `approval ${id}`);
}

function denies({ deny }: OpenApproval, decision: string): boolean {
  return decision === deny || isDenial(decision);
}

function isUndeniable({ deny, isBeingDenied }: ShownApproval): boolean {
  return isBeingDenied && deny === undefined;
}

function decide(
  step: Step,
  approval: ShownApproval,
  decision: string,
  isDenied: boolean,
  reason: string | undefined,
): void {
  const { id, isTimedOut } = approval;
  if (isDenied) {
    close(step, approval, reason ?? (isTimedOut ? 'timeout' : 'user_denied'), decision);
    return;
  }
  resolve(step, id);
  const data = { session_id: step.state.sessionId, approval_id: id, decision };
  step.events.push({ event: 'approval:granted', data });
}

function close(step: Step, { id }: ShownApproval, reason: string, decision = ''): void {
  resolve(step, id);
  const data = { session_id: step.state.sessionId, approval_id: id, decision, reason };
  step.events.push({ event: 'approval:denied', data });
}

/** Denied from now on, until that has arrived or the server's time is up. */
function leave(step: Step, approval: ShownApproval): void {
  const triesLeft = Math.ceil((Math.max(0, timeLeft(step, approval)) + leftMs) / retryMs);
  deny(step, { ...approval, phase: 'left', triesLeft, isSending: approval.phase === 'answering' });
}

/** Fails closed: a server may take its time-out for a yes. */
function deny(step: Step, approval: OpenApproval): void {
  const { id, deny: option } = approval;
  const key = `approval ${id}` as const;
  if (option === undefined) {
    log(step, 'warn', `no listed option denies approval ${id}: stopping the turn`);
    if (approval.phase === 'left') {
      resolve(step, id);
      stopLeftTurn(step);
    } else {
      put(step, { ...approval, phase: 'answering', isBeingDenied: true });
      clearTimers(step, key);
      beginCancel(step);
    }
    return;
  }
  if (approval.phase === 'left' && approval.triesLeft <= 0) {
    resolve(step, id);
    return;
  }
  const denied =
    approval.phase === 'left'
      ? { ...approval, triesLeft: approval.triesLeft - 1 }
      : { ...approval, isBeingDenied: true };
  put(step, denied);
  // Until the request is resolved the denial may not have arrived.
  setTimer(step, key, retryMs);
  const isOnItsWay = denied.phase === 'left' ? denied.isSending : denied.phase === 'answering';
  if (!isOnItsWay) send(step, denied, option, undefined);
}

function send(step: Step, approval: OpenApproval, option: string, call: Call | undefined): void {
  const { id } = approval;
  put(step, approval.phase === 'left' ? { ...approval, isSending: true } : { ...approval, phase: 'answering' });
  const body = answerBody(step.state, approval, option);
  const timeoutMs = denies(approval, option) ? denyTimeoutMs : undefined;
  step.effects.push({ kind: 'answer', purpose: { kind: 'approval', id, option, call }, body, timeoutMs });
}

/** Of several requests the server is told which one is meant, as an extension of the API. */
function answerBody(state: SessionState, { isExtended, sentId }: OpenApproval, decision: string): ApprovalAnswer {
  return isExtended || openApprovals(state).length > 1 ? { decision, approval_id: sentId } : { decision };
}

/** What an allowance would be for when the server says that `pending` waits: `later` only after another one that is shown. */
function judge(
  state: SessionState,
  approval: Approval | undefined,
  pending: PendingApproval,
): 'meant' | 'later' | 'gone' {
  if (!approval || approval.phase === 'resolved' || approval.phase === 'left') return 'gone';
  if (approval.wireId === pending.approval_id) {
    return (pending.prompt ?? approval.prompt) === approval.prompt ? 'meant' : 'gone';
  }
  if (!isShown(state, pending.approval_id)) return 'gone';
  return approval.isExtended ? 'meant' : 'later';
}

/** Whether nothing waits any more that a denial could be for. */
function isOver(error: unknown): boolean {
  return isBackendError(error) && ['approvalResolved', 'approvalInvalid', 'notFound', 'closed'].includes(error.code);
}

const supersededMessage =
  'The agent asked for two approvals at once, and this server takes an answer to the last one only: the turn is ' +
  'stopped. Look at what the agent did: the first one cannot be denied, and the server may run it.';

type Resolution = EventData<'approval:granted'> & Partial<Pick<EventData<'approval:denied'>, 'reason'>>;
type AllowancePurpose = StatusPurpose<'allowance'>;
type ApprovalPurpose = AnswerPurpose<'approval'>;
