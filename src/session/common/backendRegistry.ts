import type { Event } from '../../base/common/event';
import type { SessionBackend } from './sessionBackend';

export interface BackendEntry {
  /** Stable across restarts; unique within its registry. */
  readonly id: string;
  readonly title: string;
  /** `installed`: by Backline. `found`: detected without configuration. */
  readonly source: 'configured' | 'installed' | 'found' | 'demo' | 'server';
  /** A one-line description, for example the command that starts the agent. */
  readonly description: string;
  /** Why the backend is unavailable, and what to do. */
  readonly problem?: string;
  /** Set if the workspace defines the agent and the user has not allowed the agent yet. `problem` is also set. */
  readonly needsPermission?: true;
  /** Set if the agent refused to work without a sign-in when it was used last. */
  readonly needsSignIn?: true;
  /** Set if the backend is known not to support listing its sessions. */
  readonly isListingUnsupported?: true;
  /**
   * Files with instructions that the backend reads by itself, as globs in a workspace folder. Of several in one list, it reads only the
   * first one that exists.
   */
  readonly instructionFiles?: readonly (readonly string[])[] | undefined;
  /** Initial option values for new sessions, from the settings. Keys are option ids, or `mode` and `model`. */
  readonly defaults?: Readonly<Record<string, string | boolean>> | undefined;
  readonly install?: string;
  /** The machine where an agent runs that Backline connects to. Absent for this machine. */
  readonly remoteHost?: string;
  /** Last known health of a server that Backline does not start. */
  readonly health?: BackendHealth;
}

export type BackendHealth =
  | { readonly kind: 'asking' }
  | { readonly kind: 'answers'; readonly version?: string }
  /** `message` explains what to do. */
  | { readonly kind: 'silent' | 'needsToken'; readonly message: string };

/** Lists and opens backends. Owns the opened ones: callers dispose sessions, never backends. */
export interface BackendRegistry {
  /** Fires when the entries or the state of an open backend may have changed. */
  readonly onDidChange: Event<void>;
  /** Fires with the id of a backend that the user has signed in to. */
  readonly onDidSignIn?: Event<string>;
  /** Refreshes the entries, without starting agents or waiting for servers. `onDidChange` reports later results. */
  list(signal?: AbortSignal): Promise<readonly BackendEntry[]>;
  /**
   * Returns the backend of an entry. All callers share it, and it starts on first use. After a change of its settings, it is
   * `isOutdated` and only completes what it does; then call again.
   * @throws BackendError `notFound`, `notReady` (the entry's problem), `untrusted`
   */
  open(id: string): Promise<SessionBackend>;
}
