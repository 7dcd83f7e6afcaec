import type { Event } from '../../base/common/event';
import type { AuthMethod, SessionBackend } from '../../session/common/sessionBackend';

/** A backend that the user can sign in to. */
export interface SignInFacet {
  /**
   * Signs in. `methodId` is a method from the state `authRequired`, or `key:VARIABLE` for a stored key. Rejects if the
   * backend still refuses a session. @throws BackendError, for example `authRequired`
   */
  authenticate(methodId: string, signal?: AbortSignal, onWaiting?: (wait: SignInWait) => void): Promise<void>;
  /** Fires when the user has signed in through `authenticate`. */
  readonly onDidSignIn: Event<void>;
  /** Asks the backend for a session, to see whether a sign-in is missing. Starts the backend. @throws BackendError */
  signInMethods(signal: AbortSignal): Promise<SignInOverview>;
  /** Signs out in the backend. Resolves to false if the backend does not support that. @throws BackendError */
  signOut(signal?: AbortSignal): Promise<boolean>;
}

/** A backend whose LLM providers the user can choose. */
export interface LlmProviderFacet {
  /** Whether the agent that runs offers `llmProviders`. False until it was started. */
  readonly hasLlmProviders: boolean;
  /**
   * Lists where the agent sends its requests to models. Starts it. Resolves to undefined if the user cannot change
   * that here. @throws BackendError
   */
  llmProviders(signal: AbortSignal): Promise<readonly LlmProvider[] | undefined>;
}

/** A backend of the agent registry. Agents of the dialect of June 2025 have no facets. */
export type AgentBackend = SessionBackend & Partial<SignInFacet & LlmProviderFacet>;

/** A sign-in that restarts the agent waits for the turns of other conversations. */
export interface SignInWait {
  /** Says who waits for which conversations, and what the user can do. For a notification with the button “Restart Now”. */
  readonly message: string;
  /** Ends the wait: the turns are lost. Does nothing after it. */
  readonly restartNow: () => void;
}

export interface SignInOverview {
  readonly isSignedIn: boolean;
  readonly methods: readonly AuthMethod[];
  /** Names of the accounts in use, if the backend reports them. For display only. Never logged. */
  readonly accounts?: readonly string[];
  readonly canSignOut: boolean;
}

/** A service that an agent sends its requests to models to. Names and addresses are the agent's words. */
export interface LlmProvider {
  readonly id: string;
  /** The API protocols that it can use, such as `anthropic`. May include unknown ones. */
  readonly supported: readonly string[];
  /** Whether it cannot be disabled. */
  readonly isRequired: boolean;
  /** Undefined if it is disabled. */
  readonly current?: { readonly apiType: string; readonly baseUrl: string };
}
