import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { PermissionPolicy } from './policy/policy';
import { RuleGlobs } from './rules/ruleGlobs';
import { SessionGrants } from './sessionGrants';
import type { UserRules } from './rules/userRules';

/** The permissions that apply without asking: the user's rules, the grants of sessions, and the policy. */
export class StandingPermissions implements Disposable {
  readonly grants: SessionGrants;
  readonly globs = new RuleGlobs();

  /** Disposes `rules` together with this object. */
  constructor(
    readonly rules: UserRules,
    readonly policy: () => PermissionPolicy,
    onListenerError: (error: unknown) => void,
  ) {
    this.grants = new SessionGrants(onListenerError);
  }

  /** Reports changes of rules and grants, but not of the policy. */
  onDidChangeRulesOrGrants(listener: () => void): Disposable {
    const disposables = new DisposableStore();
    disposables.add(this.rules.onDidChange(listener));
    disposables.add(this.grants.onDidChange(listener));
    return disposables;
  }

  dispose(): void {
    this.rules.dispose();
  }
}
