import { toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { PermissionRule } from './rules/permissionRules';

/** A lasting answer of the user for the rest of a conversation. */
export type SessionGrant = RuleGrant | RememberedGrant;

interface GrantBase {
  readonly agentId: string;
  /** Display name of the agent. */
  readonly agentTitle: string;
}

interface RuleGrant extends GrantBase {
  readonly kind: 'rule';
  readonly rule: PermissionRule;
  readonly revoke: () => void;
}

/** A lasting answer that only the agent stores. The agent does not ask Backline again. */
interface RememberedGrant extends GrantBase {
  readonly kind: 'remembered';
  readonly effect: PermissionRule['effect'];
  readonly optionLabel: string;
}

/** The grants of all open sessions. */
export class SessionGrants {
  private readonly grantSet = new Set<SessionGrant>();
  private readonly changeEmitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  get grants(): readonly SessionGrant[] {
    return [...this.grantSet];
  }

  /** Disposing the result removes the grant. */
  add(grant: SessionGrant): Disposable {
    this.grantSet.add(grant);
    this.changeEmitter.fire();
    return toDisposable(() => {
      if (this.grantSet.delete(grant)) this.changeEmitter.fire();
    });
  }
}
