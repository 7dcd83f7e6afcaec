import { toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { PermissionRule } from './rules/permissionRules';

/** What the user has allowed or denied for the rest of a conversation. */
export type SessionGrant = RuleGrant | RememberedGrant;

interface Grantee {
  readonly agentId: string;
  /** Who it was given to. */
  readonly agentTitle: string;
}

interface RuleGrant extends Grantee {
  readonly kind: 'rule';
  readonly rule: PermissionRule;
  /** Takes it back. */
  readonly revoke: () => void;
}

/** A lasting answer that only the agent knows: it does not ask again, and Backline does not hear of it. */
interface RememberedGrant extends Grantee {
  readonly kind: 'remembered';
  readonly effect: PermissionRule['effect'];
  /** The option that was chosen, as it was offered. */
  readonly option: string;
}

/** The grants of all open sessions, for whoever manages them. */
export class SessionGrants {
  private readonly grants = new Set<SessionGrant>();
  private readonly changes = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.changes.event;

  constructor(private readonly onListenerError: (error: unknown) => void) {}

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
