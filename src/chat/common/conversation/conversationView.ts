import type { Clock } from '../../../base/common/async';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { BackendError, BackendState } from '../../../session/common/sessionBackend';
import { selectShownChanges } from '../../../transcript/common/shownChanges';
import { activeRowState, activityOf } from './activity';
import { toCommandViews, toOptionViews, type ConversationView } from '../chatView';
import type { ChatTranscript } from '../transcript/chatTranscript';
import { classifyFailure, describeFailure } from '../transcript/turnFailure';
import type { LiveConversation } from '../windows/liveConversation';
import type { OtherWindowControl } from '../windows/otherWindowControl';
import type { Conversation } from './conversation';
import { conversationNeed } from '../windows/conversationNeed';
import type { BackendConnection } from './backendConnection';
import { isQueuedForSignIn } from '../signIn/signInWait';
import { isStopping, type TurnPhase } from './turnPhase';

/** Approvals can be answered in each window. A dialog and a sign-in are only in the window that runs the conversation. */
function runsElsewhereText({ need }: LiveConversation): string {
  const text = 'Runs in another VS Code window';
  if (need?.kind === 'signIn') return `${text}. Sign in there.`;
  if (need?.kind === 'unsavedFiles') return `${text}, which asks whether to save unsaved files.`;
  return `${text}. You can answer and stop it here.`;
}

type Status = Pick<ConversationView, 'status' | 'statusText' | 'statusDetails'>;

export interface ConversationStatusInput {
  /** Title of the agent. */
  readonly agent: string;
  readonly transcript: Pick<ChatTranscript, 'isBusy' | 'isStarting' | 'statusText'>;
  readonly backend: BackendState | undefined;
  readonly readonly: string | undefined;
  readonly phase: TurnPhase;
  /** Why a prompt in the queue waits for a sign-in. */
  readonly signInWait?: string | undefined;
  /** Whether the user is being asked about unsaved files before the prompt is sent. */
  readonly isAskingToSave?: boolean;
  /** Whether the prompt has been waiting for its checkpoint for some time. */
  readonly isSavingCheckpoint?: boolean;
}

/** Returns the status to show. A status that requires the user to act takes precedence. */
export function conversationStatus(facts: ConversationStatusInput): Status {
  const { backend, phase, readonly, transcript } = facts;
  const failure = phase.kind === 'idle' ? phase.failure : undefined;
  if (readonly !== undefined) return { status: 'readonly', statusText: readonly };
  if (backend?.kind === 'authRequired' && (transcript.isBusy || failure)) {
    return { status: 'signIn', statusText: backend.message };
  }
  if (facts.signInWait !== undefined && !transcript.isBusy) return { status: 'signIn', statusText: facts.signInWait };
  if (isStopping(phase)) return { status: 'stopping' };
  if (phase.kind === 'resuming') {
    return { status: 'reconnecting', statusText: 'Checking whether the turn is still running…' };
  }
  if (transcript.isBusy) return busyStatus(facts);
  if (failure) return refusedStatus(failure, facts.agent);
  return { status: 'idle' };
}

/**
 * Says why a prompt was not accepted: in the sentence that the end of a failed turn has, with the report in the details. What
 * Backline itself has refused has its own code and says what to do.
 */
function refusedStatus({ code, details, message: text }: BackendError, agent: string): Status {
  const sentence = code === 'backend' ? describeFailure(classifyFailure({ text, code, details }), agent) : undefined;
  if (sentence === undefined || sentence === text) {
    return { status: 'failed', statusText: text, ...withoutUndefined({ statusDetails: details }) };
  }
  const statusDetails = details === undefined ? text : `${text}\n${details}`;
  return { status: 'failed', statusText: sentence, statusDetails };
}

function busyStatus(facts: ConversationStatusInput): Status {
  const { backend, isAskingToSave = false, isSavingCheckpoint = false, transcript } = facts;
  if (isAskingToSave) return { status: 'starting', statusText: 'Waiting for your answer about unsaved files…' };
  if (transcript.isStarting) {
    if (backend?.kind === 'starting') return { status: 'starting', statusText: backend.message };
    return isSavingCheckpoint ? { status: 'starting', statusText: 'Saving a checkpoint…' } : { status: 'starting' };
  }
  if (backend?.kind === 'failed') {
    const { details: statusDetails, message: statusText } = backend;
    return { status: 'reconnecting', statusText, ...withoutUndefined({ statusDetails }) };
  }
  return { status: 'busy', ...withoutUndefined({ statusText: transcript.statusText }) };
}

/** What a view is made of. The members change with the conversation. */
export interface ConversationFacts {
  readonly conversation: Conversation;
  readonly connection: Pick<BackendConnection, 'state' | 'capabilities' | 'session'>;
  readonly turnRunner: { readonly phase: TurnPhase };
  readonly prompts: { readonly canSteer: boolean };
  readonly saves: { readonly isAsking: boolean };
  readonly otherWindow: Pick<OtherWindowControl, 'live' | 'readonlyReason'>;
  readonly clock: Clock;
}

/** Returns what a conversation is doing, or why it can't. */
export function conversationState(facts: ConversationFacts): Status & Pick<ConversationView, 'activity'> {
  const { clock, connection, conversation } = facts;
  const { isAsking: isAskingToSave } = facts.saves;
  const { phase } = facts.turnRunner;
  const { isSavingCheckpoint, queue, transcript } = conversation;
  const { backendTitle } = conversation.head;
  const isWaiting = isQueuedForSignIn(conversation.head, queue.first !== undefined, clock.now());
  const status = conversationStatus({
    agent: backendTitle,
    transcript,
    backend: connection.state,
    readonly: readonlyReason(conversation, facts.otherWindow),
    phase,
    isAskingToSave,
    isSavingCheckpoint,
    signInWait: isWaiting ? `Sign in to ${backendTitle} to send the waiting prompt.` : undefined,
  });
  const activity = activityOf({
    status: status.status,
    phase: phase.kind,
    backend: connection.state,
    isActing: connection.session !== undefined && connection.session.turn !== 'none',
    isAskingToSave,
    isSavingCheckpoint,
    pendingApprovals: transcript.approvals.count,
    step: transcript.step,
    statusText: transcript.statusText,
    turnStartedAt: transcript.turnStartedAt,
  });
  return { ...status, ...withoutUndefined({ activity }) };
}

/** Returns what a conversation of this window does. Undefined if the state in the head applies. */
export function liveConversation(facts: ConversationFacts): LiveConversation | undefined {
  const { file, head, transcript } = facts.conversation;
  if (!file.isOurs) return undefined;
  const { activity, status } = conversationState(facts);
  const { approvals, turnNumber: turn, turnStartedAt } = transcript;
  const state = activeRowState({ activity, status }, approvals.count);
  if (!state) return undefined;
  const live = { state, turn, ...withoutUndefined({ activity, turnStartedAt }) };
  if (state !== 'waiting') return live;
  const { backendTitle, signInWaitSince = 0 } = head;
  const need = conversationNeed({
    approval: approvals.firstAt(facts.clock.now()),
    isAskingToSave: facts.saves.isAsking,
    backendTitle,
    waitsSince: signInWaitSince > 0 ? signInWaitSince : turnStartedAt,
  });
  return { ...live, need };
}

/** Builds the view of a conversation for the page. */
export function conversationView(facts: ConversationFacts): ConversationView {
  const { clock, connection, conversation } = facts;
  const { file, journal, queue, transcript } = conversation;
  const { aside, backendId, backendTitle, id, title } = conversation.head;
  return {
    id,
    title,
    backendId,
    backendTitle,
    ...conversationState(facts),
    ...withoutUndefined({ aside, problem: file.problem }),
    ...transcriptView(transcript, clock.now()),
    ...(file.isInUseElsewhere ? viewInOtherWindow(facts.otherWindow.live) : {}),
    queue: queue.shownPrompts,
    ...(facts.prompts.canSteer && { canSteer: true }),
    // Images are assumed to be supported until the backend reports its capabilities.
    ...withoutUndefined({ preset: conversation.head.preset }),
    takesImages: connection.capabilities?.images ?? true,
    ...selectShownChanges(journal.changes),
  };
}

/** What differs if another window runs the conversation. Its approvals can be answered only if that window takes answers. */
function viewInOtherWindow(live: LiveConversation | undefined): Partial<ConversationView> {
  if (!live) return { isInUse: true, approvals: [] };
  return { isInUse: true, runsInOtherWindow: true, ...withoutUndefined({ activity: live.activity }) };
}

function readonlyReason(
  { file, transcript }: Conversation,
  { live, readonlyReason: reason }: ConversationFacts['otherWindow'],
): string | undefined {
  if (live) return runsElsewhereText(live);
  const isAsked = file.isInUseElsewhere && transcript.approvals.count > 0;
  return isAsked && reason !== undefined ? `${reason} An approval is waiting for you there.` : reason;
}

function transcriptView(
  transcript: ChatTranscript,
  now: number,
): Pick<ConversationView, 'approvals' | 'plan' | 'options' | 'commands' | 'context' | 'usage' | 'isBusy' | 'turn'> {
  const { isBusy, openPlan, session } = transcript;
  const { context, total } = session.usage;
  return {
    approvals: transcript.approvals.viewsAt(now),
    ...(openPlan.length > 0 ? { plan: [...openPlan] } : {}),
    options: toOptionViews(session.options),
    commands: toCommandViews(session.commands),
    isBusy,
    ...(isBusy && { turn: transcript.turnNumber }),
    ...(context ? { context: { ...context } } : {}),
    ...(total ? { usage: total } : {}),
  };
}
