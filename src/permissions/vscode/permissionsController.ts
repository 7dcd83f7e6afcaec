import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { EditorPort } from '../../editor/common/editorPort';
import { settingIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import type { PageTab } from '../../webview/vscode/pageTab';
import { ruleKey } from '../common/rules/permissionRules';
import type { PolicyChoice, PermissionsView } from '../common/page/permissionsApi';
import { permissionsView, type ListedGrant, type AgentUnderPolicy } from '../common/page/permissionsView';
import { withPolicyAnswer } from '../common/policy/policy';
import type { PolicyKind } from '../common/policy/policyKinds';
import { describeRule } from '../common/rules/ruleWords';
import type { SessionGrant } from '../common/sessionGrants';
import type { StandingPermissions } from '../common/standingPermissions';
import { askForRule } from './newRule';
import { createPermissionsTab, type PermissionsPageModel } from './permissionsTab';

export interface PermissionsControllerDeps extends FeatureContext {
  readonly standing: StandingPermissions;
  readonly agents: Pick<BackendRegistry, 'list' | 'onDidChange'>;
  /** Further agents that the policy controls. An agent that is also in `agents` is omitted. */
  readonly otherAgents: readonly AgentUnderPolicy[];
  readonly editor: Pick<EditorPort, 'folders' | 'onDidChangeFolders'>;
  readonly extensionUri: vscode.Uri;
}

/** Controls the page that shows and changes what agents can do. */
export class PermissionsController implements PermissionsPageModel, Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = new Emitter<void>((error) =>
    this.deps.log.error('a permissions listener failed', error),
  );
  readonly onDidChange = this.changeEmitter.event;
  private readonly idByGrant = new WeakMap<SessionGrant, string>();
  private readonly tab: PageTab;
  private lastGrantId = 0;

  /** The caller disposes the controller. */
  constructor(private readonly deps: PermissionsControllerDeps) {
    const { agents, clock, editor, extensionUri, log, settings, standing } = deps;
    const { disposables } = this;
    this.tab = disposables.add(createPermissionsTab({ model: this, extensionUri, clock, log }));
    const changed = (): void => this.changeEmitter.fire();
    disposables.add(standing.onDidChangeRulesOrGrants(changed));
    disposables.add(agents.onDidChange(changed));
    disposables.add(editor.onDidChangeFolders(changed));
    disposables.add(settings.onDidChangeOf([settingIds.permissions], changed));
    disposables.add(this.changeEmitter);
  }

  show(): void {
    this.tab.show();
  }

  /** Restores the tab after the window is reloaded. */
  restore(panel: vscode.WebviewPanel): void {
    this.tab.restore(panel);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  async loadView(): Promise<PermissionsView> {
    const { otherAgents, standing } = this.deps;
    const listed = await this.listAgents();
    const agents = [...listed, ...otherAgents.filter((other) => !listed.some(({ id }) => id === other.id))];
    return permissionsView({
      policy: standing.policy(),
      agents,
      storedRules: standing.rules.rulesWithUsage,
      grants: this.listGrants(),
    });
  }

  async setPolicy(agent: string, kind: PolicyKind, choice: PolicyChoice): Promise<void> {
    const { settings } = this.deps;
    const { user } = settings.permissions();
    await settings.setPermissions(withPolicyAnswer(user, agent, kind, choice === 'inherit' ? undefined : choice));
  }

  async removeRule(id: string): Promise<void> {
    const { standing } = this.deps;
    const rule = standing.rules.rules.find((other) => ruleKey(other) === id);
    if (rule) await standing.rules.remove(rule);
    for (const { grant, id: grantId } of this.listGrants()) {
      if (grantId === id && grant.kind === 'rule') grant.revoke();
    }
  }

  async addRule(): Promise<void> {
    const { editor, log, standing } = this.deps;
    const rule = await askForRule({ folder: editor.folders[0]?.path ?? homedir(), agents: await this.listAgents() });
    if (!rule) return;
    await standing.rules.add(rule);
    new Messages(log).info(`Added rule: ${describeRule(rule)}.`);
  }

  private async listAgents(): Promise<AgentUnderPolicy[]> {
    const { agents, log } = this.deps;
    try {
      return (await agents.list()).map(({ id, title }) => ({ id, title }));
    } catch (error) {
      log.error('could not list the agents', error);
      return [];
    }
  }

  private listGrants(): ListedGrant[] {
    return this.deps.standing.grants.grants.map((grant) => {
      const id = this.idByGrant.get(grant) ?? `grant-${++this.lastGrantId}`;
      this.idByGrant.set(grant, id);
      return { id, grant };
    });
  }
}
