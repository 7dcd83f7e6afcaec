import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { PermissionRule } from './rules/permissionRules';
import type { AgentPolicy, PermissionPolicy } from './policy/policy';
import type { RuleGlobs } from './rules/ruleGlobs';
import { SessionGrants } from './sessionGrants';
import type { StoredRule, UserRules } from './rules/userRules';

interface StandingPermissionsDeps {
  /** The user's rules. `StandingPermissions` disposes them. */
  readonly rules: UserRules;
  readonly policy: () => PermissionPolicy;
  readonly onListenerError: (error: unknown) => void;
  readonly globs: RuleGlobs;
}

/** The permissions that apply without asking: the user's rules, the grants of sessions, and the policy. */
export class StandingPermissions implements Disposable {
  readonly grants: SessionGrants;

  constructor(private readonly deps: StandingPermissionsDeps) {
    this.grants = new SessionGrants(deps.onListenerError);
  }

  get rules(): readonly PermissionRule[] {
    return this.deps.rules.rules;
  }

  /** The rules with creation dates and usage. */
  get storedRules(): readonly StoredRule[] {
    return this.deps.rules.storedRules;
  }

  get ruleGlobs(): RuleGlobs {
    return this.deps.globs;
  }

  get policy(): PermissionPolicy {
    return this.deps.policy();
  }

  policyOfAgent(agent: string): AgentPolicy {
    return this.deps.policy().forAgent(agent);
  }

  /** Reports changes of rules and grants, but not of the policy. */
  onDidChange(listener: () => void): Disposable {
    const disposables = new DisposableStore();
    disposables.add(this.deps.rules.onDidChange(listener));
    disposables.add(this.grants.onDidChange(listener));
    return disposables;
  }

  /** Stores a rule with scope `always`. @throws Error if there are too many rules */
  async addRule(rule: PermissionRule): Promise<void> {
    await this.deps.rules.add(rule);
  }

  async removeRule(rule: PermissionRule): Promise<void> {
    await this.deps.rules.remove(rule);
  }

  /** Records that a rule answered a request. */
  recordUse(rule: PermissionRule): void {
    this.deps.rules.recordUse(rule);
  }

  /** Stores the collected usage counts. Never rejects. */
  async flush(): Promise<void> {
    await this.deps.rules.flush();
  }

  dispose(): void {
    this.deps.rules.dispose();
  }
}
