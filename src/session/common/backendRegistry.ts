import type { Event } from '../../base/common/event';
import type { SessionBackend } from './sessionBackend';

/** Something to talk to that the user can choose. */
export interface BackendEntry {
  /** Stable across restarts; unique within its registry. */
  readonly id: string;
  readonly title: string;
  /** `found`: nobody has configured it, it was just there. */
  readonly source: 'configured' | 'found' | 'demo' | 'server';
  /** One line, for example the command it is started by. */
  readonly description: string;
  /** Why it cannot be used as things are, and what to do. */
  readonly problem?: string;
  /** The workspace brings it, and the user has not allowed it. `problem` says so too. */
  readonly needsPermission?: true;
  /** It is known that it cannot list the conversations it keeps. */
  readonly cannotList?: true;
  /** What the user's settings want new sessions to begin with: an option's id, or `mode` or `model`, and its value. */
  readonly defaults?: Readonly<Record<string, string | boolean>> | undefined;
  /** A command line that would install what is missing. */
  readonly install?: string;
  /** What was heard last of one that runs without us. */
  readonly health?: BackendHealth;
}

export type BackendHealth =
  | { readonly kind: 'asking' }
  | { readonly kind: 'answers'; readonly version?: string }
  /** `message` says what to do. */
  | { readonly kind: 'silent' | 'needsToken'; readonly message: string };

/** The backends there are. It owns those it has opened: callers dispose sessions, never backends. */
export interface BackendRegistry {
  /** The entries, or the state of an open backend, may have changed. */
  readonly onDidChange: Event<void>;
  /**
   * Looks again at each call; starts nothing, and waits for no answer of a server: that is told by `onDidChange`. Never
   * rejects for a single bad entry.
   */
  list(signal?: AbortSignal): Promise<readonly BackendEntry[]>;
  /**
   * The one backend of that entry; it starts when it is used. After a change of its settings, ask again: the old one has
   * been stopped.
   * @throws BackendError `notFound`, `notReady` (the entry's problem), `untrusted`
   */
  open(id: string): Promise<SessionBackend>;
}
