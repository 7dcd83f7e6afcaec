import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { SessionEvent, ConfigOption, SlashCommand } from './sessionEvents';
import type { TurnSource } from './sessionTurn';

/** An ACP agent or an Amplifier server, which holds sessions. */
export interface SessionBackend extends Disposable {
  /** Identifies the backend in settings and stored sessions. Stable across restarts. */
  readonly id: string;
  readonly title: string;
  readonly state: BackendState;
  readonly onDidChangeState: Event<BackendState>;
  /** Whether it keeps sessions with `isReadOnly` from changing and running anything. Others must not be given such a session. */
  readonly holdsReadOnly?: boolean;

  /** Returns the capabilities. Starts the backend if needed. @throws BackendError */
  capabilities(signal?: AbortSignal): Promise<BackendCapabilities>;
  /** Creates a session. @throws BackendError */
  createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession>;
  /**
   * Creates a session before the first prompt, so that its options can be shown. Resolves to undefined if that would
   * require user interaction or a download. Absent if the options are known without a session. @throws BackendError
   */
  prepareSession?(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession | undefined>;
  /** Returns the options for a new session, which may depend on the choices in `chosen`. @throws BackendError */
  sessionOptions?(chosen: ProfileAndModel, signal?: AbortSignal): Promise<readonly ConfigOption[]>;
  /** Lists the stored sessions of the backend, newest first. @throws BackendError `unsupported` */
  listSessions(options?: { cwd?: string; signal?: AbortSignal }): Promise<readonly SessionSummary[]>;
  /**
   * Resumes a stored session. A replayed history arrives as events. The `turn` of the result tells whether one runs in the
   * backend. @throws BackendError
   */
  loadSession(sessionId: string, options: LoadSessionOptions, signal?: AbortSignal): Promise<BackendSession>;
  /**
   * Copies a session as it is now. Resolves to the id of the copy, for `loadSession`, or to undefined if the backend
   * cannot copy sessions. @throws BackendError
   */
  forkSession?(sessionId: string, options: CreateSessionOptions, signal?: AbortSignal): Promise<string | undefined>;
  /** Closes a copy from `forkSession` that was not loaded. Does nothing for other sessions. @throws BackendError */
  closeFork?(sessionId: string): Promise<void>;
  /** Deletes a stored session. @throws BackendError `unsupported` */
  deleteSession(sessionId: string): Promise<void>;
  /** Gives a stored session the title that the user has chosen; see `canSetTitle`. @throws BackendError `unsupported` */
  setSessionTitle?(sessionId: string, title: string): Promise<void>;
  /**
   * Tries again what failed earlier and is no longer done, such as starting. Call when the user restarts the agent, or sends a
   * prompt again.
   */
  forgetFailures?(): void;
  /** Whether `retire` was called. The next prompt needs a session of the backend that `BackendRegistry.open` returns now. */
  readonly isOutdated?: boolean;
  /**
   * Call when another backend replaces this one because the settings have changed. What works goes on: each session ends as
   * soon as it has no turn and no other work. Resolves when nothing is left to wait for; then call `stop`. Never rejects.
   */
  retire(): Promise<void>;
  /** Resolves when processes have exited and connections are closed. Never rejects. */
  stop(): Promise<void>;
}

export type BackendState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting'; readonly message: string }
  | { readonly kind: 'ready'; readonly version?: string }
  | { readonly kind: 'authRequired'; readonly message: string; readonly methods: readonly AuthMethod[] }
  | { readonly kind: 'failed'; readonly message: string; readonly details?: string };

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /**
   * `agent`: the agent signs in by itself. `terminal`: the user signs in, in a visible terminal. `key`: the agent takes
   * `keys` from its environment.
   */
  readonly type: 'agent' | 'terminal' | 'key';
  readonly keys?: readonly AuthKeyVariable[];
}

/** A key that a user can store for an agent. */
export interface AuthKeyVariable {
  /** The environment variable that the agent reads. */
  readonly variable: string;
  readonly name: string;
  /** The address of the page where the user gets a key. */
  readonly page?: string;
  readonly advice?: string;
}

export interface BackendCapabilities {
  readonly canLoad: boolean;
  readonly canList: boolean;
  readonly canDelete: boolean;
  readonly canSetTitle?: boolean;
  readonly images: boolean;
  /** Whether prompts may contain file contents instead of links. */
  readonly embeddedContext: boolean;
  /** Whether its model gets the `instructions` of a session. Otherwise they have to be sent with a prompt. */
  readonly takesInstructions?: boolean;
}

/** Stricter answers of the policy for one session, by kind of action. They cannot allow anything. */
export type SessionLimits = Readonly<Partial<Record<'read' | 'edit' | 'run' | 'fetch', 'ask' | 'deny'>>>;

export interface CreateSessionOptions {
  /** Working directory of the session, as an absolute path. */
  readonly cwd: string;
  /** Absolute paths of further roots of a multi-root workspace. */
  readonly additionalDirectories?: readonly string[];
  /** What the model is told in each turn, after the backend's own instructions; see `takesInstructions`. */
  readonly instructions?: string;
  /** What agents may do less in this session than the policy of the settings allows. Rules of the user apply as to that policy. */
  readonly limits?: SessionLimits;
  /** Profile and model of an Amplifier session; agents ignore them. */
  readonly profile?: string;
  readonly model?: string;
  /** Time after which an unanswered approval is denied; none by default. */
  readonly approvalTimeoutMs?: number;
  /**
   * Whether the session can only read: all that is not known to only read is denied, whatever rules, policy and user say, and
   * no option can be set with which the agent acts without asking. Needs `SessionBackend.holdsReadOnly`.
   */
  readonly isReadOnly?: boolean;
}

export interface LoadSessionOptions extends CreateSessionOptions {
  /** The text of a turn that may still be running, as far as it was already received. It is not emitted again. */
  readonly receivedTurnText?: string;
  /**
   * Called with the session before its history arrives, so that the caller reads all of it while it loads. A session
   * keeps only a part of what nobody reads. The session must not be used for anything else until it is loaded.
   */
  readonly onLoading?: (session: Pick<BackendSession, 'events' | 'holdBack'>) => void;
}

/** What the options of a new session may depend on. */
export type ProfileAndModel = Pick<CreateSessionOptions, 'profile' | 'model'>;

export interface SessionSummary {
  readonly id: string;
  readonly title?: string;
  readonly cwd?: string;
  /** Time of the last change, in RFC 3339 format. */
  readonly updatedAt?: string;
}

export interface ReadEventsOptions {
  /** The number of the event after which reading starts. Default 0. */
  readonly afterSequence?: number;
  /** Ends reading. */
  readonly signal?: AbortSignal;
  /**
   * Whether the reader stores what it reads, so that nobody needs it from the session later. Without such a reader, a
   * session keeps as much as it can for later ones. Default false.
   */
  readonly isStoring?: boolean;
}

export interface SequencedEvent {
  /** Position of the event in its session: 1, 2, 3 and so on. */
  readonly sequence: number;
  readonly event: SessionEvent;
}

/**
 * A session of a backend. Every turn ends with a `prompt:complete` or `error` event, even if the backend fails. When the
 * event of an own turn's end can be read, the session accepts the next prompt.
 */
export interface BackendSession extends TurnSource, Disposable {
  readonly id: string;
  readonly config: readonly ConfigOption[];
  readonly commands: readonly SlashCommand[];

  /**
   * Reads the events until the session closes. Several readers can read concurrently. Dropped events leave a gap in
   * `sequence`.
   */
  events(options?: ReadEventsOptions): AsyncIterable<SequencedEvent>;

  /**
   * Stops reading from the backend until the result is disposed, for a reader that can't keep up. Also delays the
   * backend's other sessions, its requests and its answers. Absent if the backend does not send faster than events are read.
   */
  holdBack?(): Disposable;

  /**
   * Resolves when the backend has accepted the prompt.
   * @throws BackendError, for example `busy`, `closed` or `authRequired`
   */
  sendPrompt(input: PromptInput): Promise<{ requestId: string }>;
  /**
   * Adds a prompt to the turn that runs. `joined`: the agent has taken it and goes on in the same turn. `accepted`: the same, but it
   * says when it reads it: the event `prompt:read` has the `promptId`. It may come before this returns, after the turn, or never. `noTurn`: no
   * turn ran, and nothing was taken. Absent while that is not possible: the agent cannot do it, waits for a sign-in, or works on what was not
   * asked in this session since it was opened.
   * @throws BackendError; the agent has not taken the prompt, unless `isDoubtful`: then it is not known
   */
  readonly steer?: ((input: PromptInput, promptId: string) => Promise<SteerResult>) | undefined;
  /** Cancels the turn, whoever began it. Resolves when it has ended, or after the backend's grace period. */
  cancel(): Promise<void>;
  /**
   * Stops one call, its terminal or its subagent, while the turn goes on. Resolves when it has ended. Only for calls whose events
   * say `can_stop`. Absent if the backend cannot do that. @throws BackendError if it refuses, or does not do it in time
   */
  stopCall?(callId: string): Promise<void>;
  /**
   * Cancels the turn because the window closes. Resolves when the turn has ended; there is no time limit. Never
   * rejects. Absent if the turn continues without the window.
   */
  interrupt?(): Promise<void>;
  /** `option` must be identical to a listed option. @throws BackendError `approvalInvalid`, `approvalResolved` */
  answerApproval(approvalId: string, option: string): Promise<void>;
  /** @throws BackendError `unsupported` */
  setConfig(optionId: string, value: string | boolean): Promise<void>;
  close(): Promise<void>;
}

/** See `BackendSession.steer`. */
export type SteerResult = 'joined' | 'accepted' | 'noTurn';

export interface PromptInput {
  readonly text: string;
  readonly attachments?: readonly PromptAttachment[];
  /** Returns the earlier conversation, which is sent with the prompt if the session must be recreated. */
  readonly reminder?: () => readonly PromptAttachment[];
}

export type PromptAttachment =
  /** A file, with its contents if supported, and otherwise as a link. Lines are 1-based and inclusive. */
  | { readonly type: 'file'; readonly path: string; readonly lines?: { readonly first: number; readonly last: number } }
  /** Text from another source, such as a context item, an unsaved document or problems. */
  | { readonly type: 'text'; readonly uri?: string; readonly title: string; readonly text: string }
  /** An image as base64 data. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };

export type BackendErrorCode =
  | 'notReady'
  | 'notFound'
  | 'busy'
  | 'closed'
  | 'unsupported'
  | 'authRequired'
  | 'approvalInvalid'
  /** An option that the user chose could not be set, so the prompt was not sent. */
  | 'optionRefused'
  | 'approvalResolved'
  | 'untrusted'
  | 'invalidRequest'
  | 'timeout'
  | 'cancelled'
  | 'protocol'
  | 'backend';

/** An error of a backend. The message is for the user, `details` is for the log. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
  constructor(
    readonly code: BackendErrorCode,
    message: string,
    readonly details?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether it is not known after this error if the backend has got what was sent: there was no answer, or an unreadable one. */
export function isDoubtful({ code }: BackendError): boolean {
  return code === 'timeout' || code === 'closed' || code === 'protocol';
}

/** Like `instanceof BackendError`, also for errors from other bundles with their own copy of the class. */
export function isBackendError(error: unknown): error is BackendError {
  return error instanceof Error && error.name === 'BackendError';
}
