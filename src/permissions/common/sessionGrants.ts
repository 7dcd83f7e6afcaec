import { toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { PermissionRule } from './permissionRules';

/** What the user has allowed or denied for the rest of a conversation. */
export interface SessionGrant {
  /** In words, for example `Allow running "npm test" in /work, in this session`. */
  readonly text: string;
  /** Who it was given to. */
  readonly agentTitle: string;
  /** Absent where only the agent remembers it. */
  readonly rule?: PermissionRule;
  /** Takes it back; absent where only the agent remembers it. */
  readonly revoke?: () => void;
}

/** The grants of all open sessions, for whoever manages them. */
export class SessionGrants {
  private readonly grants = new Set<SessionGrant>();
  private readonly changes: Emitter<void>;

  constructor(onListenerError: (error: unknown) => void) {
    this.changes = new Emitter(onListenerError);
  }

  get onDidChange(): Event<void> {
    return this.changes.event;
  }

  get all(): readonly SessionGrant[] {
    return [...this.grants];
  }

  /** Until the result is disposed. */
  add(grant: SessionGrant): Disposable {
    this.grants.add(grant);
    this.changes.fire();
    return toDisposable(() => {
      if (this.grants.delete(grant)) this.changes.fire();
    });
  }
}
