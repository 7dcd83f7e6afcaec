import type { PromptInput } from '../../../session/common/sessionBackend';
import type { ConfigOption, EventOf, SlashCommand, TokenUsage } from '../../../session/common/sessionEvents';
import type { WorkspaceContext } from '../api/apiSchema';
import type { Call, Moment } from './sessionInput';

const defaultLimits = {
  /** How often a turn without events is looked after by the session's status. */
  heartbeatMs: 20_000,
  /** How long events may still come once the status says that the turn is over. */
  settleMs: 2000,
  /** How long a turn is kept open without a connection. */
  reconnectGraceMs: 60_000,
  /** How long a turn may take to end after it was cancelled. */
  cancelGraceMs: 10_000,
  /** All that is done to stop a turn, that grace included. */
  cancelTimeoutMs: 20_000,
  closeTimeoutMs: 10_000,
  /** How long a turn that goes on without the user is followed, and denied what it asks for. */
  abandonedMs: 30 * 60_000,
};
export type SessionLimits = Readonly<typeof defaultLimits>;

/** All that the client knows of one session. A value: what changes is another state. */
export interface SessionState {
  readonly sessionId: string;
  readonly limits: SessionLimits;
  /** `ended`: its end is told. `over`: its readers are done, what is owed to the server goes on. `settled`: nothing does. */
  readonly life: 'open' | 'ended' | 'over' | 'settled';
  /** Who waits for the first connection. */
  readonly opening: Call | undefined;
  readonly config: readonly ConfigOption[];
  readonly commands: readonly SlashCommand[];
  readonly usage: Usage;
  readonly turn: Turn;
  readonly prompt: PromptPhase;
  /** Prompts without an id of the server's. */
  readonly unnamedPrompts: number;
  /** What the last prompt told of the editor. */
  readonly lastContext: WorkspaceContext | undefined;
  /** By our ids, in the order in which they came. */
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly age: AgeFacts;
  /** There is a new connection, and no status has come since that is clear. */
  readonly isNewlyConnected: boolean;
  /** Whether a timer runs behind which what comes is no request told again. */
  readonly isSealing: boolean;
  /** Since when the status does not say what waits. */
  readonly unclearSinceMs: number | undefined;
  readonly connection: { readonly isConnected: boolean; readonly hasGrace: boolean };
  /** Events of the stream so far. */
  readonly heard: number;
  readonly watch: StatusWatch;
  readonly ending: Ending | undefined;
  readonly stop: Stop | undefined;
  readonly abandoned: Abandoned | undefined;
}

/** One request for an approval, from when it is told until it is known to be answered, or nobody can answer it any more. */
export type Approval = ShownApproval | LeftApproval | { readonly phase: 'resolved' };
export type OpenApproval = ShownApproval | LeftApproval;

interface ApprovalRequest {
  /** Ours: a server may use one id for all requests of a session. */
  readonly id: string;
  readonly wireId: string;
  /** As the server is sent its id. */
  readonly sentId: string | number;
  /** The server says what options mean: it speaks our extensions, and reads which request an answer is for. */
  readonly isExtended: boolean;
  readonly options: readonly string[];
  readonly deny: string | undefined;
  readonly prompt: string;
  /** When the user's time is over: by the clock that never goes back, and by the time of day, which goes on in sleep. */
  readonly due: Moment;
}

/** Readers are told that it waits. `answering`: something is on its way that ends it. */
export interface ShownApproval extends ApprovalRequest {
  readonly phase: 'waiting' | 'answering';
  /** It is denied from here, again and again, until that has arrived. */
  readonly isBeingDenied: boolean;
  /** Nobody has answered in time: the denial that follows is not the user's. */
  readonly isTimedOut: boolean;
  /** Told by the status or before a new connection, just now: an event that looks the same is of the same request. */
  readonly mayComeAgain: boolean;
}

/** Told as over, while the server may still wait: denied until that has arrived, or the server's own time must be over. */
interface LeftApproval extends ApprovalRequest {
  readonly phase: 'left';
  readonly triesLeft: number;
  readonly isSending: boolean;
}

/** What is known of how old a request can be that is told now, all by the time of day. */
interface AgeFacts {
  /** Whatever waits and was not told by then began after this moment. */
  readonly noneBeforeMs: number | undefined;
  /** When the stream brought something last. */
  readonly heardAtMs: number;
  /** When it is looked whether the stream has fallen quiet. */
  readonly quietDueMs: number | undefined;
}

interface Usage {
  /** Whether `token_usage` of a completed prompt counts the whole session, as the server that exists does. */
  readonly isCumulative: boolean;
  /** The total of the session up to now. */
  readonly soFar: TokenUsage;
}

export type Turn =
  /** `hasLeftOwn`: the last one was own, and was ended here and not by the server. What goes on there is the same turn. */
  | { readonly kind: 'none'; readonly hasLeftOwn: boolean }
  | {
      readonly kind: 'open';
      /** As the server may tell it again. */
      readonly prompt: string | undefined;
      readonly requestId: string | undefined;
      /** The server's own `prompt:submit` has come, or none will; another one is another turn. */
      readonly isEchoed: boolean;
      /** Begun by a prompt of this client. */
      readonly isOwn: boolean;
    };
export type OpenTurn = Extract<Turn, { kind: 'open' }>;

/** The prompt that is on its way from here to the server. */
export type PromptPhase =
  | { readonly kind: 'none' }
  /** Does the session really take one? */
  | { readonly kind: 'asking'; readonly call: Call; readonly input: PromptInput; readonly attempt: number }
  | { readonly kind: 'collecting'; readonly call: Call; readonly input: PromptInput }
  | {
      readonly kind: 'posting';
      readonly call: Call;
      readonly context: WorkspaceContext;
      /** As the server may tell it again. */
      readonly wireText: string;
      /** Without what was added for the server. */
      readonly shownText: string;
      /** Its events came before the answer to the request. */
      readonly hasTurn: boolean;
      /** It was stopped, and nobody waits for the answer any more. */
      readonly isLate: boolean;
    };

/** What the session's status is asked for; what it says is believed only if no event came meanwhile. */
export interface StatusWatch {
  readonly isAsking: boolean;
  readonly isToAskAgain: boolean;
  /** How many answers in a row an event has overtaken. */
  readonly overtaken: number;
  /** `heard` when the heart beat last. */
  readonly heardAtBeat: number;
  /** `heard` when the status said that the open turn is over. */
  readonly heardAtIdle: number;
}

/** The end of a turn or of the session that the user has asked for. */
export interface Ending {
  /** First a prompt on its way is waited for, then what waits is denied, then the turn is stopped, then the session is ended. */
  readonly stage: 'prompt' | 'denying' | 'stopping' | 'closing';
  readonly isCancel: boolean;
  readonly isClose: boolean;
  readonly calls: readonly Call[];
  /** An end of the session that a cancel may have brought about: why it ended is told first. */
  readonly heldEnd: EventOf<'session:end'> | undefined;
}

/** Stops a turn by the gentlest way the server has. */
interface Stop {
  readonly stage: 'telling' | 'grace' | 'asking' | 'deleting';
  /** The turn is told as over already: nobody hears when it ends. */
  readonly isLeft: boolean;
}

/** A turn that goes on after the user has left it. */
export interface Abandoned {
  readonly stage: 'looking' | 'denying' | 'pausing' | 'discarding';
  /** How far its stopping is. */
  readonly stopping: 'prompt' | 'turn' | 'done';
  readonly isStopped: boolean;
  /** The session is of no more use: it is ended on the server once its turn is over, or its time is up. */
  readonly isDiscarded: boolean;
  /** How often in a row the server had nothing to do. */
  readonly idleLooks: number;
  readonly pauseMs: number;
  /** What the stream told last, for servers whose status cannot be read. */
  readonly denial: string | undefined;
}

export function initialSession(options: {
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
    turn: { kind: 'none', hasLeftOwn: false },
    prompt: { kind: 'none' },
    unnamedPrompts: 0,
    lastContext: undefined,
    approvals: new Map(),
    age: { noneBeforeMs: undefined, heardAtMs: 0, quietDueMs: undefined },
    isNewlyConnected: false,
    isSealing: false,
    unclearSinceMs: undefined,
    connection: { isConnected: false, hasGrace: false },
    heard: 0,
    watch: { isAsking: false, isToAskAgain: false, overtaken: 0, heardAtBeat: 0, heardAtIdle: 0 },
    ending: undefined,
    stop: undefined,
    abandoned: undefined,
  };
}

/** Whether a turn is open, or about to be. */
export function isTurnOpen({ turn, prompt }: SessionState): boolean {
  return turn.kind === 'open' || prompt.kind === 'posting';
}

export function isSessionBusy(state: SessionState): boolean {
  return state.prompt.kind !== 'none' || state.turn.kind === 'open';
}

/** Whether a silence of the stream is suspicious. */
export function isExpectingEvents(state: SessionState): boolean {
  return state.life !== 'open' || isTurnOpen(state);
}

/** Whether the open turn answers a prompt of this client. */
export function isTurnOwn({ turn, prompt }: SessionState): boolean {
  return turn.kind === 'open' ? turn.isOwn : prompt.kind === 'posting';
}

/** Whether a turn is open, or on its way, that nobody else answers. */
export function isOwn(state: SessionState): boolean {
  return state.prompt.kind !== 'none' || isTurnOwn(state);
}

/** Whether a turn is open that nobody else is known to answer, or whose server lets all run that nobody answers. */
export function isUnattended(state: SessionState): boolean {
  return isOwn(state) || (isTurnOpen(state) && isRealDialect(state));
}

/** The server that exists: the end of a session ends no turn there, and silence is taken for a yes. */
export function isRealDialect({ usage }: SessionState): boolean {
  return usage.isCumulative;
}
