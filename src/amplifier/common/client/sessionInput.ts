import type { PromptInput } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { AmplifierApiError } from '../api/apiErrors';
import type { ApprovalAnswer, OpenFile, PromptRequest, SessionStatus, WorkspaceContext } from '../api/apiSchema';

/** Names whom of this client a result is for. */
export type Call = number;

/** `nowMs` never goes back; `timeMs` is the time of day, to be compared with times of the wire. */
export interface Moment {
  readonly nowMs: number;
  readonly timeMs: number;
}

/** Whom an answer of the server is for: it comes back as it was sent. */
interface StatusPurposes {
  readonly check: { readonly heard: number; readonly askedAtMs: number };
  readonly prompt: { readonly heard: number; readonly askedAtMs: number };
  /** An allowance is sent only where it would go to the request that the user saw. */
  readonly allowance: { readonly id: string; readonly option: string; readonly call: Call };
  readonly stop: unknown;
  readonly look: unknown;
}
interface AnswerPurposes {
  readonly approval: { readonly id: string; readonly option: string; readonly call: Call | undefined };
  /** A denial of whatever waits, because a look or an event said that something does. */
  readonly look: unknown;
  readonly heard: unknown;
}
export type StopWay = 'route' | 'control';
type DeletePurpose = 'stop' | 'close' | 'discard';

export type PlainTimer =
  | 'heartbeat'
  | 'settle'
  | 'checkLater'
  | 'unclear'
  | 'seal'
  | 'quiet'
  | 'grace'
  | 'idleWait'
  | 'endingStage'
  | 'endingDeadline'
  | 'stopGrace'
  | 'look'
  | 'abandoned';
export type TimerKey = PlainTimer | `approval ${string}`;

interface Inputs {
  // Whoever uses the session
  /** The session was made just now. */
  readonly begin: unknown;
  /** It ran before; its status was asked for at `askedAtMs`. */
  readonly resume: { readonly status: SessionStatus; readonly askedAtMs: number };
  readonly start: { readonly call: Call };
  readonly prompt: { readonly call: Call; readonly prompt: PromptInput };
  readonly cancel: { readonly call: Call };
  readonly close: { readonly call: Call };
  readonly approve: { readonly call: Call; readonly id: string; readonly option: string };
  readonly notice: { readonly level: 'info' | 'warning'; readonly message: string };
  readonly dispose: unknown;
  /** There is no time left for what is owed to the server. */
  readonly giveUp: unknown;
  // The stream
  readonly event: { readonly event: SessionEvent };
  readonly activity: unknown;
  readonly connected: unknown;
  /** The connection has lasted. */
  readonly lasting: unknown;
  readonly reconnecting: { readonly attempt: number; readonly delayMs: number };
  readonly oversize: unknown;
  /** A request for an approval came in a shape that cannot be read. */
  readonly lostApproval: unknown;
  readonly streamFailed: { readonly error: AmplifierApiError };
  // What came of effects; `error` is undefined where all is well
  readonly status: { readonly purpose: StatusPurpose; readonly status: SessionStatus };
  readonly statusFailed: { readonly purpose: StatusPurpose; readonly error: unknown };
  readonly collected: {
    readonly context: WorkspaceContext;
    readonly attached: readonly OpenFile[];
    /** The prompt as the server may tell it again. */
    readonly wireText: string;
  } & Collecting;
  readonly promptTaken: { readonly requestId: string | undefined; readonly isAccepted: boolean };
  readonly promptFailed: { readonly call: Call; readonly error: unknown };
  readonly answered: { readonly purpose: AnswerPurpose; readonly error: unknown };
  readonly told: { readonly way: StopWay; readonly error: unknown };
  readonly deleted: { readonly purpose: DeletePurpose; readonly error: unknown };
  readonly timer: { readonly key: TimerKey };
}

interface Effects {
  /** One timer for each key: setting it anew puts the one before away. */
  readonly setTimer: { readonly key: TimerKey; readonly delayMs: number };
  readonly clearTimer: { readonly key: TimerKey };
  readonly openStream: unknown;
  readonly reconnect: unknown;
  readonly closeStream: unknown;
  /** Before the stream is opened: events up to this one are not asked for. */
  readonly goOnAfter: { readonly eventId: number };
  readonly askStatus: { readonly purpose: StatusPurpose; readonly timeoutMs: number | undefined };
  readonly collect: { readonly files: readonly string[] } & Collecting;
  readonly post: { readonly call: Call; readonly request: PromptRequest };
  readonly answer: {
    readonly purpose: AnswerPurpose;
    readonly body: ApprovalAnswer;
    readonly timeoutMs: number | undefined;
  };
  /** Tells the server to stop the turn and nothing else. */
  readonly tell: { readonly way: StopWay };
  readonly delete: { readonly purpose: DeletePurpose; readonly timeoutMs: number | undefined };
  /** Nobody waits for these requests any more: what comes of them is told to nobody. */
  readonly abort: { readonly purpose: 'prompt' | 'stop' };
  /** Resolves what a caller waits for; rejects it where there is an error. */
  readonly settle: { readonly call: Call; readonly error: unknown; readonly requestId: string | undefined };
  readonly log: { readonly level: 'debug' | 'info' | 'warn'; readonly message: string };
  readonly tellConnected: unknown;
  readonly tellReconnecting: { readonly attempt: number; readonly delayMs: number };
  /** Readers have got all there is; what is owed to the server may go on. */
  readonly tellEnded: unknown;
  readonly tellSettled: unknown;
}

interface Collecting {
  readonly call: Call;
  readonly text: string;
}

/** One of `Kinds`, or of those named. */
type OneOf<Kinds, Kind extends keyof Kinds> = { [One in Kind]: { readonly kind: One } & Kinds[One] }[Kind];
type For<Kinds, First extends unknown[]> = {
  readonly [Kind in keyof Kinds]: (...args: [...First, OneOf<Kinds, Kind>]) => void;
};

export type StatusPurpose<Kind extends keyof StatusPurposes = keyof StatusPurposes> = OneOf<StatusPurposes, Kind>;
export type AnswerPurpose<Kind extends keyof AnswerPurposes = keyof AnswerPurposes> = OneOf<AnswerPurposes, Kind>;
export type InputKind = keyof Inputs;
export type SessionInput<Kind extends InputKind = InputKind> = OneOf<Inputs, Kind>;
export type InputHandlers<Step> = For<Inputs, [Step]>;
export type EffectKind = keyof Effects;
export type SessionEffect<Kind extends EffectKind = EffectKind> = OneOf<Effects, Kind>;
export type EffectHandlers = For<Effects, []>;
