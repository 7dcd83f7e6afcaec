import { toDisposable, type Disposable } from '../../base/common/disposable';

/** What the user has allowed or denied for the rest of a conversation. */
export interface SessionGrant {
  /** In words, for example `Allow running "npm test" in /work, in this session`. */
  readonly text: string;
  /** Who it was given to. */
  readonly agentTitle: string;
  /** Takes it back; absent where only the agent remembers it. */
  readonly revoke?: () => void;
}

/** The grants of all open sessions, for whoever manages them. */
export class SessionGrants {
  private readonly grants = new Set<SessionGrant>();

  get all(): readonly SessionGrant[] {
    return [...this.grants];
  }

  /** Until the result is disposed. */
  add(grant: SessionGrant): Disposable {
    this.grants.add(grant);
    return toDisposable(() => this.grants.delete(grant));
  }
}
