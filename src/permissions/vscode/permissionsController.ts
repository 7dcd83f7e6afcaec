import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, panelTypes, settingIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import { ruleKey } from '../common/rules/permissionRules';
import type { Choice, PermissionsView } from '../common/page/permissionsApi';
import { permissionsView, type ListedGrant, type NamedAgent } from '../common/page/permissionsView';
import { withChoice } from '../common/policy/policy';
import type { PolicyKind } from '../common/policy/policyKinds';
import { describeRule } from '../common/rules/ruleWords';
import type { SessionGrant } from '../common/sessionGrants';
import type { StandingPermissions } from '../common/standingPermissions';
import { askForRule } from './newRule';
import { PermissionsPanel, type PermissionsModel } from './permissionsPanel';

interface PermissionsControllerOptions extends FeatureContext {
  readonly standing: StandingPermissions;
  /** The agents that the policy can be about. */
  readonly agents: Pick<BackendRegistry, 'list' | 'onDidChange'>;
  /** Who else it can be about. One with the id of an agent is not listed beside it. */
  readonly others: readonly NamedAgent[];
  readonly editor: Pick<EditorPort, 'folders' | 'onDidChangeFolders'>;
  readonly extensionUri: vscode.Uri;
}

/** The page on which the user sees and changes what agents may do. */
export class PermissionsController implements PermissionsModel, Disposable {
  private readonly store = new DisposableStore();
  private readonly changes = new Emitter<void>((error) =>
    this.options.log.error('a listener of the permissions failed', error),
  );
  readonly onDidChange = this.changes.event;
  private readonly grantIds = new WeakMap<SessionGrant, string>();
  private grantCount = 0;

  constructor(private readonly options: PermissionsControllerOptions) {}

  start(): void {
    const { agents, clock, commands, editor, extensionUri, log, settings, standing } = this.options;
    const { store } = this;
    const panel = store.add(new PermissionsPanel({ model: this, extensionUri, clock, log }));
    const changed = (): void => this.changes.fire();
    store.add(standing.onDidChange(changed));
    store.add(agents.onDidChange(changed));
    store.add(editor.onDidChangeFolders(changed));
    store.add(settings.onDidChangeOf([settingIds.permissions], changed));
    store.add(commands.handle(commandIds.permissionsShow, () => panel.show()));
    store.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.permissions, {
        deserializeWebviewPanel: (restored) => {
          panel.restore(restored);
          return Promise.resolve();
        },
      }),
    );
    store.add(this.changes);
  }

  dispose(): void {
    this.store.dispose();
  }

  async view(): Promise<PermissionsView> {
    const { others, standing } = this.options;
    const listed = await this.agents();
    const agents = [...listed, ...others.filter((other) => !listed.some(({ id }) => id === other.id))];
    return permissionsView({ policy: standing.policy, agents, kept: standing.kept, grants: this.grants() });
  }

  async setPolicy(agent: string, kind: PolicyKind, choice: Choice): Promise<void> {
    const { settings } = this.options;
    const { user } = settings.permissions();
    await settings.setPermissions(withChoice(user, agent, kind, choice === 'inherit' ? undefined : choice));
  }

  async removeRule(id: string): Promise<void> {
    const { standing } = this.options;
    const rule = standing.rules.find((other) => ruleKey(other) === id);
    if (rule) await standing.remove(rule);
    for (const { grant, id: grantId } of this.grants()) {
      if (grantId === id && grant.kind === 'rule') grant.revoke();
    }
  }

  async addRule(): Promise<void> {
    const { editor, log, standing } = this.options;
    const rule = await askForRule({ folder: editor.folders[0]?.path ?? homedir(), agents: await this.agents() });
    if (!rule) return;
    await standing.add(rule);
    new Messages(log).info(`Added the rule: ${describeRule(rule)}.`);
  }

  private async agents(): Promise<NamedAgent[]> {
    const { agents, log } = this.options;
    try {
      return (await agents.list()).map(({ id, title }) => ({ id, title }));
    } catch (error) {
      log.error('could not list the agents', error);
      return [];
    }
  }

  private grants(): ListedGrant[] {
    return this.options.standing.grants.all.map((grant) => {
      const id = this.grantIds.get(grant) ?? `grant-${++this.grantCount}`;
      this.grantIds.set(grant, id);
      return { id, grant };
    });
  }
}
