import type { PromptInput } from '../../../session/common/sessionBackend';
import type { SessionTurn } from '../../../session/common/sessionTurn';
import type { ConfigOption, EventOf, SlashCommand, TokenUsage } from '../../../session/common/sessionEvents';
import type { WorkspaceContext } from '../api/apiSchema';
import type { CallId, Moment } from './sessionInput';

const defaultLimits = {
  /** Interval of status checks during a turn without events. */
  heartbeatMs: 20_000,
  /** How long to wait for further events after the status has reported the end of the turn. */
  settleMs: 2000,
  /** How long a turn stays open without a connection. */
  reconnectGraceMs: 60_000,
  /** How long a turn may take to end after it was cancelled. */
  cancelGraceMs: 10_000,
  /** Time limit for all attempts to stop a turn, including `cancelGraceMs`. */
  cancelTimeoutMs: 20_000,
  closeTimeoutMs: 10_000,
  /** How long a detached turn is followed and its approvals are denied. */
  detachedTurnMs: 30 * 60_000,
};
export type SessionLimits = Readonly<typeof defaultLimits>;

export interface SessionState {
  readonly sessionId: string;
  readonly limits: SessionLimits;
  /** `ended`: the end was emitted. `over`: readers are done, denials continue. `settled`: nothing remains. */
  readonly life: 'open' | 'ended' | 'over' | 'settled';
  readonly opening: CallId | undefined;
  readonly config: readonly ConfigOption[];
  readonly commands: readonly SlashCommand[];
  readonly usage: Usage;
  readonly turn: TurnState;
  readonly prompt: PromptPhase;
  readonly unnamedPrompts: number;
  readonly lastContext: WorkspaceContext | undefined;
  /** Approvals by Backline's ids, in the order of their arrival. */
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly age: AgeFacts;
  /** Whether no clear status has arrived since the last connection was opened. */
  readonly isNewlyConnected: boolean;
  /** Whether approvals that a new connection reports may be repetitions. */
  readonly isRepeatWindowOpen: boolean;
  /** When the status stopped identifying the pending approval, in milliseconds of the monotonic clock. */
  readonly unclearSinceMs: number | undefined;
  readonly connection: { readonly isConnected: boolean; readonly hasGrace: boolean };
  readonly receivedEventCount: number;
  readonly watch: StatusCheckState;
  readonly ending: RequestedEnd | undefined;
  readonly stop: Stop | undefined;
  readonly detachedTurn: DetachedTurn | undefined;
}

/** An approval, from its first report until it is answered or can no longer be answered. */
export type Approval = AnnouncedApproval | WithdrawnApproval | { readonly phase: 'resolved' };
export type OpenApproval = AnnouncedApproval | WithdrawnApproval;

interface ApprovalRequest {
  /** A unique id from Backline, because a server may use the same id for all approvals of a session. */
  readonly id: string;
  readonly wireId: string;
  readonly sentId: string | number;
  /** Whether the server supports our extensions: kinds of options in requests, and approval ids in answers. */
  readonly isExtended: boolean;
  readonly options: readonly string[];
  readonly deny: string | undefined;
  readonly prompt: string;
  /** What the request is about. Empty if the server did not say it. */
  readonly context: Readonly<Record<string, unknown>>;
  /** When the user's time to answer is over, by the monotonic clock and the time of day, which includes sleep. */
  readonly due: Moment;
}

/** An approval that readers of the session's events consider pending. `answering`: an answer is being sent. */
export interface AnnouncedApproval extends ApprovalRequest {
  readonly phase: 'waiting' | 'answering';
  readonly isBeingDenied: boolean;
  /** Whether the approval was denied because the user did not answer in time. */
  readonly isTimedOut: boolean;
  /** Whether an identical event repeats this approval, which the status or an earlier connection reported. */
  readonly mayComeAgain: boolean;
}

/** An approval that is closed for readers but may be pending. It is denied until that succeeds or takes too long. */
interface WithdrawnApproval extends ApprovalRequest {
  readonly phase: 'left';
  readonly triesLeft: number;
  readonly isSending: boolean;
}

/** Times for estimating the age of newly reported approvals. All of them are milliseconds since the epoch. */
interface AgeFacts {
  /** An approval that is reported now was requested after this time. */
  readonly noneBeforeMs: number | undefined;
  /** When the stream last delivered data. */
  readonly lastActivityAtMs: number;
  /** When to check whether the stream is silent. */
  readonly quietDueMs: number | undefined;
}

interface Usage {
  /** Whether `token_usage` of a completed prompt includes the whole session, which is the case for the real server. */
  readonly isCumulative: boolean;
  readonly soFar: TokenUsage;
}

export type TurnState =
  /** `hasEndedOwnEarly`: the client ended its last turn before the server did; the next events still belong to it. */
  | { readonly kind: 'none'; readonly hasEndedOwnEarly: boolean }
  | {
      readonly kind: 'open';
      /** The text by which the server's report of the prompt is recognized. */
      readonly prompt: string | undefined;
      readonly requestId: string | undefined;
      /** Whether the server's `prompt:submit` has arrived, or none is expected. Another one then starts a new turn. */
      readonly isEchoed: boolean;
      readonly isOwn: boolean;
    };
export type OpenTurn = Extract<TurnState, { kind: 'open' }>;

export type PromptPhase =
  | { readonly kind: 'none' }
  /** The status was requested, to check whether the session accepts a prompt. */
  | { readonly kind: 'asking'; readonly call: CallId; readonly input: PromptInput; readonly triesLeft: number }
  | { readonly kind: 'collecting'; readonly call: CallId; readonly input: PromptInput }
  | {
      readonly kind: 'posting';
      readonly call: CallId;
      readonly context: WorkspaceContext;
      /** The text by which the server's report of the prompt is recognized. */
      readonly wireText: string;
      /** The user's text, without the attachments that were added. */
      readonly shownText: string;
      /** Whether events of the turn arrived before the response to the prompt. */
      readonly hasTurn: boolean;
      /** Whether the user cancelled the prompt while its request was in progress. */
      readonly isLate: boolean;
    };

/** State of the status checks. A status is only used if no event arrived during its request. */
export interface StatusCheckState {
  readonly isCheckRunning: boolean;
  readonly mustCheckAgain: boolean;
  /** Number of consecutive checks that were not used because an event arrived. */
  readonly overtakenCheckCount: number;
  /** Value of `receivedEventCount` at the last heartbeat. */
  readonly eventCountAtHeartbeat: number;
  /** Value of `receivedEventCount` when the status reported `idle` during an open turn. */
  readonly eventCountAtIdle: number;
}

export interface RequestedEnd {
  /**
   * The current stage. The stages follow each other in this order: wait for the prompt that is being sent, deny
   * approvals, stop the turn, end the session.
   */
  readonly stage: 'prompt' | 'denying' | 'stopping' | 'closing';
  readonly isCancel: boolean;
  readonly isClose: boolean;
  readonly calls: readonly CallId[];
  /** A `session:end` that arrived while the turn was being cancelled, held back until its cause is reported. */
  readonly heldEnd: EventOf<'session:end'> | undefined;
}

/** Progress of stopping a turn. The gentlest method that the server supports is used. */
interface Stop {
  readonly stage: 'sending' | 'grace' | 'asking' | 'deleting';
  /** Whether the end of the turn was already emitted. */
  readonly isTurnDetached: boolean;
}

/** A turn that continues on the server although it has ended for the user. */
export interface DetachedTurn {
  readonly stage: 'checking' | 'denying' | 'pausing' | 'discarding';
  /** `prompt`: the prompt is still being sent. `turn`: the turn is being stopped. */
  readonly stopping: 'prompt' | 'turn' | 'done';
  readonly isStopped: boolean;
  /** Whether to end the session on the server when the turn is over or its time limit has passed. */
  readonly isDiscarded: boolean;
  readonly idleChecks: number;
  readonly pauseMs: number;
  /** The denying option that the stream reported last. Used for servers whose status is unreadable. */
  readonly denial: string | undefined;
}

export function initialSessionState(options: {
  readonly sessionId: string;
  readonly usageIsCumulative: boolean;
  readonly limits: Partial<SessionLimits> | undefined;
}): SessionState {
  return {
    sessionId: options.sessionId,
    limits: { ...defaultLimits, ...options.limits },
    life: 'open',
    opening: undefined,
    config: [],
    commands: [],
    usage: { isCumulative: options.usageIsCumulative, soFar: { input_tokens: 0, output_tokens: 0 } },
    turn: { kind: 'none', hasEndedOwnEarly: false },
    prompt: { kind: 'none' },
    unnamedPrompts: 0,
    lastContext: undefined,
    approvals: new Map(),
    age: { noneBeforeMs: undefined, lastActivityAtMs: 0, quietDueMs: undefined },
    isNewlyConnected: false,
    isRepeatWindowOpen: false,
    unclearSinceMs: undefined,
    connection: { isConnected: false, hasGrace: false },
    receivedEventCount: 0,
    watch: {
      isCheckRunning: false,
      mustCheckAgain: false,
      overtakenCheckCount: 0,
      eventCountAtHeartbeat: 0,
      eventCountAtIdle: 0,
    },
    ending: undefined,
    stop: undefined,
    detachedTurn: undefined,
  };
}

export function isTurnOpenOrPosting({ turn, prompt }: SessionState): boolean {
  return turn.kind === 'open' || prompt.kind === 'posting';
}

export function isSessionBusy(state: SessionState): boolean {
  return state.prompt.kind !== 'none' || state.turn.kind === 'open';
}

export function isExpectingEvents(state: SessionState): boolean {
  return state.life !== 'open' || isTurnOpenOrPosting(state);
}

export function isOwnTurnOpenOrPosting({ turn, prompt }: SessionState): boolean {
  return turn.kind === 'open' ? turn.isOwn : prompt.kind === 'posting';
}

/** Whether a turn of this client is open or will be opened soon. */
export function hasOwnTurn(state: SessionState): boolean {
  return state.prompt.kind !== 'none' || isOwnTurnOpenOrPosting(state);
}

export function turnOf(state: SessionState): SessionTurn {
  const { life, turn } = state;
  if (life !== 'open') return 'none';
  if (hasOwnTurn(state)) return 'own';
  if (turn.kind === 'none') return 'none';
  return turn.prompt === undefined ? 'agent' : 'other';
}

/**
 * Whether this client must answer the approvals of the turn: it is the client's own turn, or the server treats
 * unanswered approvals as permission.
 */
export function isResponsibleForApprovals(state: SessionState): boolean {
  return hasOwnTurn(state) || (isTurnOpenOrPosting(state) && isRealServerSession(state));
}

/** Whether this is the real server. It treats a time-out as approval, and continues the turn of a deleted session. */
export function isRealServerSession({ usage }: SessionState): boolean {
  return usage.isCumulative;
}
