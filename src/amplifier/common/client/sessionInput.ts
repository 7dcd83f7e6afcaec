import type { PromptInput } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { AmplifierApiError } from '../api/apiErrors';
import type { SentApprovalAnswer, OpenFile, PromptRequest, SessionStatus, WorkspaceContext } from '../api/apiSchema';

export type CallId = number;

/** The current time: `nowMs` is monotonic, `timeMs` since the epoch, comparable with times from the server. */
export interface Moment {
  readonly nowMs: number;
  readonly timeMs: number;
}

/** The reasons for which the status is requested. The reason is returned with the result. */
interface StatusPurposes {
  readonly check: { readonly receivedEventCount: number; readonly askedAtMs: number };
  readonly prompt: { readonly receivedEventCount: number; readonly askedAtMs: number };
  /** For an approval that the user wants to allow: to check that this approval is still the pending one. */
  readonly allowance: { readonly id: string; readonly option: string; readonly call: CallId };
  readonly stop: unknown;
  readonly detachedTurnCheck: unknown;
}
interface AnswerPurposes {
  readonly approval: { readonly id: string; readonly option: string; readonly call: CallId | undefined };
  /** Denies the pending approval of a detached turn. The approval was found by polling or by an event. */
  readonly detachedTurnCheck: unknown;
  readonly detachedTurnEvent: unknown;
}
export type StopMethod = 'route' | 'control';
type DeletePurpose = 'stop' | 'close' | 'discard';

export type FixedTimerKey =
  | 'heartbeat'
  | 'settle'
  | 'checkLater'
  | 'unclear'
  | 'repeatWindow'
  | 'quiet'
  | 'grace'
  | 'idleWait'
  | 'endingStage'
  | 'endingDeadline'
  | 'stopGrace'
  | 'detachedTurnCheck'
  | 'detachedTurn';
export type TimerKey = FixedTimerKey | `approval ${string}`;

interface Inputs {
  // Inputs from users of the session
  /** The session was created. */
  readonly begin: unknown;
  /** The session already existed. `askedAtMs` is the time of the status request. */
  readonly resume: { readonly status: SessionStatus; readonly askedAtMs: number };
  readonly start: { readonly call: CallId };
  readonly prompt: { readonly call: CallId; readonly prompt: PromptInput };
  readonly cancel: { readonly call: CallId };
  readonly close: { readonly call: CallId };
  readonly approve: { readonly call: CallId; readonly id: string; readonly option: string };
  readonly notice: { readonly level: 'info' | 'warning'; readonly message: string };
  readonly dispose: unknown;
  /** The time limit for pending denials has passed. */
  readonly giveUp: unknown;
  // Inputs from the stream
  readonly event: { readonly event: SessionEvent };
  readonly activity: unknown;
  readonly connected: unknown;
  readonly lasting: unknown;
  readonly reconnecting: { readonly attempt: number; readonly delayMs: number };
  readonly oversize: unknown;
  /** An `approval:required` event could not be parsed. */
  readonly lostApproval: unknown;
  readonly streamFailed: { readonly error: AmplifierApiError };
  // Results of effects. `error` is undefined on success
  readonly status: { readonly purpose: StatusPurpose; readonly status: SessionStatus };
  readonly statusFailed: { readonly purpose: StatusPurpose; readonly error: unknown };
  readonly collected: {
    readonly context: WorkspaceContext;
    readonly attached: readonly OpenFile[];
    /** The text by which the server's report of the prompt is recognized. */
    readonly wireText: string;
  } & Collecting;
  readonly promptTaken: { readonly call: CallId; readonly requestId: string | undefined; readonly isAccepted: boolean };
  readonly promptFailed: { readonly call: CallId; readonly error: unknown };
  readonly answered: { readonly purpose: ApprovalAnswerPurpose; readonly error: unknown };
  readonly stopSent: { readonly way: StopMethod; readonly error: unknown };
  readonly deleted: { readonly purpose: DeletePurpose; readonly error: unknown };
  readonly timer: { readonly key: TimerKey };
}

interface Effects {
  readonly setTimer: { readonly key: TimerKey; readonly delayMs: number };
  readonly clearTimer: { readonly key: TimerKey };
  readonly openStream: unknown;
  readonly reconnect: unknown;
  readonly closeStream: unknown;
  /** Skips the events until this one, including it. Comes before `openStream`. */
  readonly continueAfter: { readonly eventId: number };
  readonly askStatus: { readonly purpose: StatusPurpose; readonly timeoutMs: number | undefined };
  readonly collect: { readonly files: readonly string[] } & Collecting;
  readonly post: { readonly call: CallId; readonly request: PromptRequest };
  readonly answer: {
    readonly purpose: ApprovalAnswerPurpose;
    readonly body: SentApprovalAnswer;
    readonly timeoutMs: number | undefined;
  };
  /** Stops the turn but keeps the session. */
  readonly sendStop: { readonly way: StopMethod };
  readonly delete: { readonly purpose: DeletePurpose; readonly timeoutMs: number | undefined };
  /** Aborts requests and discards their results. */
  readonly abort: { readonly purpose: 'prompt' | 'stop' };
  readonly settle: { readonly call: CallId; readonly error: unknown; readonly requestId: string | undefined };
  readonly log: { readonly level: 'debug' | 'info' | 'warn'; readonly message: string };
  readonly reportConnected: unknown;
  readonly reportReconnecting: { readonly attempt: number; readonly delayMs: number };
  /** Ends the session for its readers. Denials may continue. */
  readonly reportEnded: unknown;
  readonly reportSettled: unknown;
}

interface Collecting {
  readonly call: CallId;
  readonly text: string;
}

type OneOf<Kinds, Kind extends keyof Kinds> = { [One in Kind]: { readonly kind: One } & Kinds[One] }[Kind];
type For<Kinds, First extends unknown[]> = {
  readonly [Kind in keyof Kinds]: (...args: [...First, OneOf<Kinds, Kind>]) => void;
};

export type StatusPurpose<Kind extends keyof StatusPurposes = keyof StatusPurposes> = OneOf<StatusPurposes, Kind>;
export type ApprovalAnswerPurpose<Kind extends keyof AnswerPurposes = keyof AnswerPurposes> = OneOf<
  AnswerPurposes,
  Kind
>;
export type InputKind = keyof Inputs;
export type SessionInput<Kind extends InputKind = InputKind> = OneOf<Inputs, Kind>;
export type SessionInputHandlers<Step> = For<Inputs, [Step]>;
export type EffectKind = keyof Effects;
export type SessionEffect<Kind extends EffectKind = EffectKind> = OneOf<Effects, Kind>;
export type EffectHandlers = For<Effects, []>;
