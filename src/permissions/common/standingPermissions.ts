import type { Disposable } from '../../base/common/disposable';
import type { PermissionRule } from './rules/permissionRules';
import type { AgentPolicy, PermissionPolicy } from './policy/policy';
import type { RuleGlobs } from './rules/ruleGlobs';
import { SessionGrants } from './sessionGrants';
import type { KeptRule, UserRules } from './rules/userRules';

interface StandingPermissionsOptions {
  /** Owned by the result. */
  readonly rules: UserRules;
  /** What holds now. */
  readonly policy: () => PermissionPolicy;
  readonly onListenerError: (error: unknown) => void;
  readonly globs: RuleGlobs;
}

/** What holds before anybody is asked: the user's rules, what sessions remember, and the policy. */
export class StandingPermissions implements Disposable {
  /** What sessions remember, with a way to take it back. */
  readonly grants: SessionGrants;

  constructor(private readonly options: StandingPermissionsOptions) {
    this.grants = new SessionGrants(options.onListenerError);
  }

  get rules(): readonly PermissionRule[] {
    return this.options.rules.rules;
  }

  /** The rules with since when they are, and how often they were used. */
  get kept(): readonly KeptRule[] {
    return this.options.rules.kept;
  }

  /** Of rules, each compiled once. */
  get globs(): RuleGlobs {
    return this.options.globs;
  }

  get policy(): PermissionPolicy {
    return this.options.policy();
  }

  policyOf(agent: string): AgentPolicy {
    return this.options.policy().of(agent);
  }

  /** Until the result is disposed. Told of rules and grants; the policy belongs to the settings. */
  onDidChange(listener: () => void): Disposable {
    const ofRules = this.options.rules.onDidChange(listener);
    const ofGrants = this.grants.onDidChange(listener);
    return {
      dispose: () => {
        ofRules.dispose();
        ofGrants.dispose();
      },
    };
  }

  /** Keeps a rule of scope `always`. @throws Error when there are too many */
  async add(rule: PermissionRule): Promise<void> {
    await this.options.rules.add(rule);
  }

  async remove(rule: PermissionRule): Promise<void> {
    await this.options.rules.remove(rule);
  }

  /** A rule has answered a question. */
  noteUse(rule: PermissionRule): void {
    this.options.rules.noteUse(rule);
  }

  /** Writes what is not written yet. Never rejects. */
  async flush(): Promise<void> {
    await this.options.rules.flush();
  }

  dispose(): void {
    this.options.rules.dispose();
  }
}
