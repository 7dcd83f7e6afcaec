import { canonicalJson } from '../../../base/common/canonicalJson';
import { findDenyOption, isDenial, requestChangedReason } from '../../../session/common/approvalOptions';
import { BackendError, isBackendError } from '../../../session/common/sessionBackend';
import type { EventData } from '../../../session/common/sessionEvents';
import { AmplifierApiError, isAmplifierApiError } from '../api/apiErrors';
import type { SentApprovalAnswer, PendingApproval, SessionStatus } from '../api/apiSchema';
import type { ApprovalAnswerPurpose, CallId, StatusPurpose } from './sessionInput';
import {
  isOwnTurnOpenOrPosting,
  type Approval,
  type OpenApproval,
  type SessionState,
  type AnnouncedApproval,
} from './clientState';
import {
  toBackendError,
  beginCancel,
  checkStatus,
  clearTimersByKey,
  logMessage,
  emitNotice,
  setTimer,
  settleCall,
  stopReportedTurnOnServer,
  updateState,
  type ReducerStep,
} from './reducerStep';

/** Maximum length of one timer. Longer times are split, to notice clock jumps (such as sleep) soon. */
const maxStepMs = 2000;
const retryMs = 500;
/** Delay before an expired approval is denied. In a replay, the event that resolves it may follow immediately. */
const tooLateMs = 250;
/**
 * How long denying an approval is repeated after the user's time to answer is over. Longer than the server's time-out.
 */
const leftMs = 20_000;
/** Time limit for one denial request. It is short, so that a request that hangs can be retried. */
const denyTimeoutMs = 3000;
const maxApprovals = 500;
const goneCodes: ReadonlySet<string> = new Set(['NO_PENDING_APPROVAL', 'APPROVAL_TIMEOUT']);
const resolvedMessage = 'This approval was already answered or has timed out.';

export function isAwaitingApproval(state: SessionState): boolean {
  return shownApprovals(state).length > 0;
}

/** Whether an approval is or can still be denied. Excludes those that only the end of the turn denies. */
export function hasApprovalToDeny(state: SessionState): boolean {
  return listOpenApprovals(state).some((approval) => approval.phase === 'left' || !isUndeniable(approval));
}

export function listOpenApprovals({ approvals }: SessionState): OpenApproval[] {
  return [...approvals.values()].filter((approval) => approval.phase !== 'resolved');
}

/** Adds an approval that the stream or the status has reported. `timeout`: the time to answer, in seconds. */
export function handleApprovalRequired(
  step: ReducerStep,
  { wire_id: numericId, ...data }: EventData<'approval:required'>,
  mayComeAgain = false,
): void {
  const { approval_id: wireId, context = {}, options, option_kinds: kinds, prompt, timeout = 0 } = data;
  const known = byWireId(step.state, wireId);
  // An equal id and prompt mean the same approval, if the approval may be reported again or the server never reuses
  // ids.
  const isRepeated = known?.prompt === prompt && (known.mayComeAgain || kinds !== undefined);
  if (isRepeated && isShown(known, { context, options })) {
    put(step, { ...known, mayComeAgain: false });
    return;
  }
  // What was shown is not what is asked. An answer that is being sent may already count for the new request.
  const isReplaced = isRepeated && known.phase === 'waiting' && !known.isBeingDenied;
  if (isReplaced) close(step, known, requestChangedReason);
  const superseded = isReplaced ? undefined : known;
  if (superseded) {
    close(step, superseded, 'unanswerable');
    emitNotice(step, 'warning', supersededMessage);
  }
  const id = uniqueId(step.state, wireId);
  const givenMs = timeout * 1000;
  put(step, {
    phase: 'waiting',
    id,
    wireId,
    sentId: numericId ?? wireId,
    isExtended: kinds !== undefined,
    options,
    deny: findDenyOption(options, kinds),
    prompt,
    context,
    due: { nowMs: step.at.nowMs + givenMs, timeMs: step.at.timeMs + givenMs },
    isBeingDenied: false,
    isTimedOut: false,
    mayComeAgain,
  });
  setTimer(step, `approval ${id}`, givenMs > 0 ? Math.min(maxStepMs, givenMs) : tooLateMs);
  step.events.push({ event: 'approval:required', data: { ...data, approval_id: id } });
  if (superseded) beginCancel(step);
}

/** Sets whether the stream may report the pending approvals again. If not, every further report is a new approval. */
export function setMayBeReportedAgain(step: ReducerStep, mayComeAgain: boolean): void {
  for (const approval of shownApprovals(step.state)) put(step, { ...approval, mayComeAgain });
}

export function isApprovalShown(state: SessionState, wireId: string): boolean {
  return byWireId(state, wireId) !== undefined;
}

/** Handles a reported answer. `decision` takes precedence over the event name: servers report denials as "granted". */
export function handleApprovalResolved(
  step: ReducerStep,
  saysDenied: boolean,
  { approval_id: wireId, decision, reason }: Resolution,
): void {
  const approval = byWireId(step.state, wireId);
  if (approval) decide(step, approval, decision, decision === '' ? saysDenied : denies(approval, decision), reason);
}

/** Closes all shown approvals, because the status reports that none is pending any more. */
export function closeApprovalsAnsweredElsewhere(step: ReducerStep): void {
  for (const approval of shownApprovals(step.state)) close(step, approval, 'answered_elsewhere');
}

export function resolveAnnouncedApprovals(step: ReducerStep): void {
  for (const { id } of shownApprovals(step.state)) resolve(step, id);
}

/** Denies all shown approvals that the user can no longer answer. Excludes those that other clients may answer. */
export function withdrawAndDenyAnnouncedApprovals(step: ReducerStep): void {
  const isOwn = isOwnTurnOpenOrPosting(step.state);
  for (const approval of shownApprovals(step.state)) {
    if (isUndeniable(approval) || (approval.isExtended && !isOwn)) resolve(step, approval.id);
    else leave(step, approval);
  }
}

export function resolveAllApprovals(step: ReducerStep): void {
  for (const { id } of listOpenApprovals(step.state)) resolve(step, id);
}

/** Sends the user's answer. It must be identical to one of the listed options. */
export function answerApproval(step: ReducerStep, call: CallId, id: string, option: string): void {
  const approval = step.state.approvals.get(id);
  const refuse = (code: 'approvalInvalid' | 'approvalResolved', message: string): void =>
    settleCall(step, call, new BackendError(code, message));
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

/** The API answers the approval that is pending now, so check first that it is the one that the user has allowed. */
export function handleStatusBeforeAllowing(step: ReducerStep, purpose: AllowancePurpose, status: SessionStatus): void {
  const { id, option, call } = purpose;
  const { pending_approval: pending } = status;
  if (pending === 'unreadable' || (!pending && status.status === 'awaiting_approval')) {
    const message =
      'Your answer was not sent because the server did not report which approval is pending. Deny it or stop the turn.';
    handleAnswerFailure(step, id, call, new BackendError('protocol', message));
    return;
  }
  const approval = step.state.approvals.get(id);
  const judged = pending ? compareWithPending(step.state, approval, pending) : 'gone';
  if (judged === 'match' && approval?.phase === 'answering') {
    send(step, approval, option, call);
  } else if (judged === 'later') {
    const message = 'Answer the agent’s earlier request first.';
    handleAnswerFailure(step, id, call, new BackendError('busy', message));
  } else {
    handleAnswerFailure(
      step,
      id,
      call,
      new AmplifierApiError('NO_PENDING_APPROVAL', 'Another approval is pending now', 400),
    );
  }
}

export function handleAnswerAccepted(step: ReducerStep, { id, option, call }: ApprovalPurpose): void {
  const approval = step.state.approvals.get(id);
  if (approval?.phase === 'left') resolve(step, id);
  else if (approval && approval.phase !== 'resolved')
    decide(step, approval, option, denies(approval, option), undefined);
  settleCall(step, call);
}

export function handleAnswerFailure(step: ReducerStep, id: string, call: CallId | undefined, error: unknown): void {
  const approval = step.state.approvals.get(id);
  const isGone = isAmplifierApiError(error) && (error.httpStatus === 409 || goneCodes.has(error.code));
  const failure = isGone
    ? new BackendError('approvalResolved', resolvedMessage, error.code, { cause: error })
    : toBackendError(error);
  if (approval?.phase === 'left') {
    if (isOver(failure)) resolve(step, id);
    else put(step, { ...approval, isSending: false });
  } else if (approval?.phase === 'answering') {
    if (isGone) close(step, approval, 'answered_elsewhere');
    else put(step, { ...approval, phase: 'waiting' });
  }
  settleCall(step, call, failure);
  checkStatus(step);
}

export function denyAllApprovals(step: ReducerStep): void {
  for (const approval of shownApprovals(step.state)) deny(step, approval);
}

/** Denies the approval when its time is over according to either clock. Otherwise continues to wait. */
export function handleApprovalTimer(step: ReducerStep, id: string): void {
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

function timeLeft({ at }: ReducerStep, { due }: OpenApproval): number {
  return Math.min(due.nowMs - at.nowMs, due.timeMs - at.timeMs);
}

function shownApprovals(state: SessionState): AnnouncedApproval[] {
  return listOpenApprovals(state).filter((approval) => approval.phase !== 'left');
}

function byWireId(state: SessionState, wireId: string): AnnouncedApproval | undefined {
  return shownApprovals(state).find((approval) => approval.wireId === wireId);
}

/** Whether an approval shows all that a report of it says. The report may say less. */
function isShown(
  { context: shown, options: shownOptions }: OpenApproval,
  { context, options }: Pick<OpenApproval, 'context' | 'options'>,
): boolean {
  if (options.length > 0 && canonicalJson(options) !== canonicalJson(shownOptions)) return false;
  return Object.keys(context).length === 0 || canonicalJson(context) === canonicalJson(shown);
}

function uniqueId({ approvals }: SessionState, wireId: string): string {
  let id = wireId;
  for (let n = 2; approvals.has(id); n++) id = `${wireId}#${n}`;
  return id;
}

function put(step: ReducerStep, approval: OpenApproval): void {
  updateState(step, { approvals: new Map(step.state.approvals).set(approval.id, approval) });
}

function resolve(step: ReducerStep, id: string): void {
  const approvals = new Map(step.state.approvals).set(id, { phase: 'resolved' });
  // A limited number of closed approvals is kept, to recognize late answers.
  if (approvals.size > maxApprovals) {
    const [oldest] = [...approvals].find(([, { phase }]) => phase === 'resolved') ?? [];
    if (oldest !== undefined) approvals.delete(oldest);
  }
  updateState(step, { approvals });
  clearTimersByKey(step, `approval ${id}`);
}

function denies({ deny }: OpenApproval, decision: string): boolean {
  return decision === deny || isDenial(decision);
}

function isUndeniable({ deny, isBeingDenied }: AnnouncedApproval): boolean {
  return isBeingDenied && deny === undefined;
}

function decide(
  step: ReducerStep,
  approval: AnnouncedApproval,
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

function close(step: ReducerStep, { id }: AnnouncedApproval, reason: string, decision = ''): void {
  resolve(step, id);
  const data = { session_id: step.state.sessionId, approval_id: id, decision, reason };
  step.events.push({ event: 'approval:denied', data });
}

function leave(step: ReducerStep, approval: AnnouncedApproval): void {
  const triesLeft = Math.ceil((Math.max(0, timeLeft(step, approval)) + leftMs) / retryMs);
  deny(step, { ...approval, phase: 'left', triesLeft, isSending: approval.phase === 'answering' });
}

/** Denies the approval. Leaving it unanswered is not safe, because a server may treat its time-out as permission. */
function deny(step: ReducerStep, approval: OpenApproval): void {
  const { id, deny: option } = approval;
  const key = `approval ${id}` as const;
  if (option === undefined) {
    logMessage(step, 'warn', `no listed option denies approval ${id}: stopping the turn`);
    if (approval.phase === 'left') {
      resolve(step, id);
      stopReportedTurnOnServer(step);
    } else {
      put(step, { ...approval, phase: 'answering', isBeingDenied: true });
      clearTimersByKey(step, key);
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
  // The denial may be lost, so it is repeated until the approval is resolved.
  setTimer(step, key, retryMs);
  const isOnItsWay = denied.phase === 'left' ? denied.isSending : denied.phase === 'answering';
  if (!isOnItsWay) send(step, denied, option, undefined);
}

function send(step: ReducerStep, approval: OpenApproval, option: string, call: CallId | undefined): void {
  const { id } = approval;
  put(step, approval.phase === 'left' ? { ...approval, isSending: true } : { ...approval, phase: 'answering' });
  const body = answerBody(step.state, approval, option);
  const timeoutMs = denies(approval, option) ? denyTimeoutMs : undefined;
  step.effects.push({ kind: 'answer', purpose: { kind: 'approval', id, option, call }, body, timeoutMs });
}

/** Creates the body of an answer. With several pending approvals, adds the id, an extension by Backline. */
function answerBody(state: SessionState, { isExtended, sentId }: OpenApproval, decision: string): SentApprovalAnswer {
  return isExtended || listOpenApprovals(state).length > 1 ? { decision, approval_id: sentId } : { decision };
}

/** Returns whether the server would now apply an answer to `approval`. `later`: another one must be answered first. */
function compareWithPending(
  state: SessionState,
  approval: Approval | undefined,
  pending: PendingApproval,
): 'match' | 'later' | 'gone' {
  if (!approval || approval.phase === 'resolved' || approval.phase === 'left') return 'gone';
  if (approval.wireId === pending.approval_id) {
    const { context = {}, options, prompt } = pending;
    const isSame = (prompt ?? approval.prompt) === approval.prompt;
    return isSame && isShown(approval, { context, options: options ?? [] }) ? 'match' : 'gone';
  }
  if (!isApprovalShown(state, pending.approval_id)) return 'gone';
  return approval.isExtended ? 'match' : 'later';
}

function isOver(error: unknown): boolean {
  return isBackendError(error) && ['approvalResolved', 'approvalInvalid', 'notFound', 'closed'].includes(error.code);
}

const supersededMessage =
  'The agent requested two approvals at the same time, but this server only accepts an answer to the last one. The turn ' +
  'is being stopped. Check what the agent did. The first request cannot be denied, and the server may run it.';

type Resolution = EventData<'approval:granted'> & Partial<Pick<EventData<'approval:denied'>, 'reason'>>;
type AllowancePurpose = StatusPurpose<'allowance'>;
type ApprovalPurpose = ApprovalAnswerPurpose<'approval'>;
