import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { SessionEvent, ConfigOption, SlashCommand } from './sessionEvents';

/** Something that holds conversations: an ACP agent, or an Amplifier server. All of them speak Amplifier's events. */
export interface SessionBackend extends Disposable {
  /** Stable across restarts; names the backend in settings and stored sessions. */
  readonly id: string;
  readonly title: string;
  readonly state: BackendState;
  readonly onDidChangeState: Event<BackendState>;

  /** What the running backend can do; asks it to start when it has not. @throws BackendError */
  capabilities(signal?: AbortSignal): Promise<BackendCapabilities>;
  /** @throws BackendError */
  createSession(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession>;
  /**
   * The same before there is a prompt, so that its options can be seen. Undefined where that would need the user, or a
   * download: a prompt is worth that, looking is not. Absent where a session shows nothing that was not known before.
   * @throws BackendError
   */
  prepareSession?(options: CreateSessionOptions, signal?: AbortSignal): Promise<BackendSession | undefined>;
  /**
   * What can be chosen for a new session, as far as that depends on what is `chosen` already. Absent where there is
   * nothing. @throws BackendError
   */
  sessionOptions?(chosen: SessionChoices, signal?: AbortSignal): Promise<readonly ConfigOption[]>;
  /** The sessions the backend itself remembers, newest first. @throws BackendError `unsupported` */
  listSessions(options?: { cwd?: string; signal?: AbortSignal }): Promise<readonly SessionSummary[]>;
  /** Takes up a session of the backend. Its history, when the backend tells it, arrives as events. @throws BackendError */
  loadSession(sessionId: string, options: LoadSessionOptions, signal?: AbortSignal): Promise<BackendSession>;
  /** Makes the backend forget a session. @throws BackendError `unsupported` */
  deleteSession(sessionId: string): Promise<void>;
  /**
   * Signs in by one of the methods of state `authRequired`; resolves when the backend can be used. Absent where signing
   * in is a setting. @throws BackendError
   */
  authenticate?(methodId: string): Promise<void>;
  /** Resolves when processes and connections are gone. Never rejects. */
  stop(): Promise<void>;
}

export type BackendState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting'; readonly message: string }
  | { readonly kind: 'ready'; readonly version?: string }
  /** `methods` are what the user may choose from to sign in. */
  | { readonly kind: 'authRequired'; readonly message: string; readonly methods: readonly AuthMethod[] }
  | { readonly kind: 'failed'; readonly message: string; readonly details?: string };

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** `terminal` methods run in a terminal that the user sees. */
  readonly type: 'agent' | 'terminal';
}

export interface BackendCapabilities {
  readonly canLoad: boolean;
  readonly canList: boolean;
  readonly canDelete: boolean;
  readonly images: boolean;
  /** Contents of files may be put into the prompt; without it only links. */
  readonly embeddedContext: boolean;
}

export interface CreateSessionOptions {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute; further roots of a multi-root workspace. */
  readonly additionalDirectories?: readonly string[];
  /** Amplifier's profile and model; agents ignore them. */
  readonly profile?: string;
  readonly model?: string;
  /** How long a question to the user stays open before it counts as denied, in milliseconds. Without it there is no end. */
  readonly approvalTimeoutMs?: number;
}

export interface LoadSessionOptions extends CreateSessionOptions {
  /** What was heard of the last turn, when it may still run: what its end has of that is not told again. */
  readonly heard?: string;
}

/** What the user chooses before a session begins, by the ids of the options. */
export type SessionChoices = Pick<CreateSessionOptions, 'profile' | 'model'>;

export interface SessionSummary {
  readonly id: string;
  readonly title?: string;
  readonly cwd?: string;
  /** RFC 3339. */
  readonly updatedAt?: string;
}

export interface SequencedEvent {
  /** Counts from 1 without gaps within a session. */
  readonly sequence: number;
  readonly event: SessionEvent;
}

/** One conversation. Its turn ends by a `prompt:complete` or `error` event, whatever happens to the backend. */
export interface BackendSession extends Disposable {
  readonly id: string;
  readonly isBusy: boolean;
  readonly config: readonly ConfigOption[];
  readonly commands: readonly SlashCommand[];

  /**
   * Follows the session from the event after `afterSequence` (default 0: from the first one kept). Any number of readers
   * may follow at once, each sees every event in order. Ends when the session is closed, or when `signal` fires.
   * A reader that asks for events that are no longer kept gets the oldest kept one; the gap shows in `sequence`.
   */
  events(options?: { afterSequence?: number; signal?: AbortSignal }): AsyncIterable<SequencedEvent>;

  /** Resolves when the backend has taken the prompt. @throws BackendError `busy`, `closed`, `authRequired`, … */
  prompt(input: PromptInput): Promise<{ requestId: string }>;
  /** Ends the turn; resolves when it has ended, at the latest after the backend's grace time. */
  cancel(): Promise<void>;
  /** `option` must be one of the listed options, byte for byte. @throws BackendError `approvalInvalid`, `approvalResolved` */
  approve(approvalId: string, option: string): Promise<void>;
  /** @throws BackendError `unsupported` */
  setConfig(optionId: string, value: string | boolean): Promise<void>;
  close(): Promise<void>;
}

export interface PromptInput {
  readonly text: string;
  readonly attachments?: readonly PromptAttachment[];
  /** What was said before this prompt; asked for and sent along when the session has to begin anew for it. */
  readonly reminder?: () => readonly PromptAttachment[];
}

export type PromptAttachment =
  /** Sent with its text where the backend takes it, else as a link. Lines are 1-based, the last one included. */
  | { readonly type: 'file'; readonly path: string; readonly lines?: { readonly first: number; readonly last: number } }
  /** Text from elsewhere: a context item, a selection of an unsaved document, problems. Without a URI it is at no place. */
  | { readonly type: 'text'; readonly uri?: string; readonly title: string; readonly text: string }
  /** Base64 data. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };

export type BackendErrorCode =
  | 'notReady'
  | 'notFound'
  | 'busy'
  | 'closed'
  | 'unsupported'
  | 'authRequired'
  | 'approvalInvalid'
  /** It cannot be set to what the user has chosen: nothing was sent. */
  | 'optionRefused'
  | 'approvalResolved'
  | 'untrusted'
  | 'invalidRequest'
  | 'timeout'
  | 'cancelled'
  | 'protocol'
  | 'backend';

/** What the user reads when a backend did not do what was asked; `details` is for the log and for copying. */
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

/** Whether it is a `BackendError`, also one from another bundle of ours, whose class is another one. */
export function isBackendError(error: unknown): error is BackendError {
  return error instanceof Error && error.name === 'BackendError';
}
