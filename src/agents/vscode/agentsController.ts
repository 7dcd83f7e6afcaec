import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { RunningFeature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import { toVisibleText } from '../../base/common/text/visibleText';
import { commandIds, settingIds } from '../../manifest';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import type { PageTab } from '../../webview/vscode/pageTab';
import { AgentManager } from '../common/agentManager';
import type { AgentBackends, AgentQuestions, AgentSecrets, TryAgent } from '../common/agentPorts';
import { InstallConsents } from '../common/terms/installConsents';
import { agentsAndTheirAccounts, type AgentOrAccount } from '../common/agentAccounts';
import type { AgentActionKind, AgentsView } from '../common/page/agentsApi';
import { agentsView, listCardAgents, registryIdOf, type AgentOfCard } from '../common/page/agentsView';
import { OwnAgents } from '../common/ownAgents';
import { AgentUpdateChecker, updateOfferText, type UpdateOfferReason } from '../common/updateChecker';
import { toPlatformKey } from '../common/install/platformKey';
import { AgentInstaller } from '../node/agentInstaller';
import type { InstallPorts } from '../node/installPorts';
import bundledRegistry from '../common/registry/snapshot.json';
import { RegistryStore } from '../node/registryStore';
import { agentDialogs, confirm } from './agentDialogs';
import { createAgentsTab, type AgentsPageModel } from './agentsTab';

export interface AgentsControllerDeps extends NoticeContext {
  readonly install: Omit<InstallPorts, 'clock' | 'log'>;
  readonly backends: AgentBackends;
  readonly secrets: AgentSecrets;
  readonly tryAgent: TryAgent;
  /** Absolute path of the first workspace folder, or of the home folder. */
  readonly defaultFolder: () => string;
  readonly memento: Memento;
  /** Absolute path of the folder where agents and the list of the registry are stored. */
  readonly storageFolder: string;
  readonly extensionUri: vscode.Uri;
  /** Called when an agent was installed, updated or removed. */
  readonly onDidChangeInstalled: () => void;
}

/** The agents of a window, and their page. */
export interface RunningAgentsFeature extends RunningFeature {
  show(): void;
  /** Fills a restored tab after the window was reloaded. */
  restore(panel: vscode.WebviewPanel): void;
  /** The installed agents and their further accounts. */
  installed(): readonly AgentOrAccount[];
}

/** Number of icons that are loaded concurrently. */
const iconsAtOnce = 4;

/** Loads the installed agents, and opens the page of agents on request. */
export async function startAgentsController(deps: AgentsControllerDeps): Promise<RunningAgentsFeature> {
  const controller = new AgentsController({ ...deps, questions: agentDialogs });
  await controller.start();
  return controller;
}

/** The agents of a window. The dialogs are passed in. */
export class AgentsController implements RunningAgentsFeature, AgentsPageModel {
  private readonly disposables = new DisposableStore();
  private readonly registry: RegistryStore;
  private readonly installer: AgentInstaller;
  private readonly manager: AgentManager;
  private readonly ownAgents: OwnAgents;
  private readonly tab: PageTab;
  private readonly updateChecker: AgentUpdateChecker;
  private readonly messages: Messages;
  readonly onDidChange: AgentManager['onDidChange'];

  constructor(private readonly deps: AgentsControllerDeps & { readonly questions: AgentQuestions }) {
    const { backends, clock, extensionUri, install, log, memento, secrets, settings, storageFolder, tryAgent } = deps;
    this.messages = new Messages(log);
    const address = (): string => settings.agentsRegistryUrl();
    this.registry = new RegistryStore({
      address,
      folder: storageFolder,
      bundledRegistry,
      fetch: install.fetch,
      clock,
      log,
    });
    this.installer = new AgentInstaller({ folder: storageFolder, ports: { ...install, clock, log } });
    this.ownAgents = new OwnAgents({
      readSetting: () => settings.acpAgentsByLevel()[0]?.value,
      writeSetting: (value) => settings.setAcpAgents(value),
      secrets,
      tryAgent,
      stopAgent: (name) => backends.stop(name),
      resolveFolder: (folder) => path.resolve(deps.defaultFolder(), folder.replace(/^~(?=$|[\\/])/, homedir())),
    });
    this.manager = new AgentManager({
      registry: this.registry,
      installer: this.installer,
      backends,
      questions: deps.questions,
      consents: new InstallConsents(memento),
      deleteKeys: (backendId) => secrets.deleteAll(backendId),
      ownIds: () => this.ownAgents.names,
      isTrusted,
      platform: toPlatformKey(process.platform, process.arch),
      log,
    });
    this.onDidChange = this.manager.onDidChange;
    this.tab = createAgentsTab({ model: this, extensionUri, clock, log });
    this.updateChecker = new AgentUpdateChecker({
      manager: this.manager,
      backends,
      isAutomatic: () => settings.agentsAutoUpdate(),
      offer: (names, reason) => this.offerUpdates(names, reason),
      memento,
      clock,
      log,
    });
  }

  async start(): Promise<void> {
    const { onDidChangeInstalled, settings } = this.deps;
    const { disposables, installer, manager, registry, tab, updateChecker } = this;
    for (const part of [registry, installer, manager, updateChecker, tab]) disposables.add(part);
    disposables.add(installer.onDidChange(onDidChangeInstalled));
    disposables.add(settings.onDidChangeOf([settingIds.agentsRegistry], () => void manager.refreshRegistry()));
    disposables.add(
      settings.onDidChangeOf([settingIds.agentsAutoUpdate], () => void updateChecker.checkAndOfferOrInstall()),
    );
    manager.start();
    await Promise.all([registry.loadCached(), installer.start()]);
    updateChecker.start();
  }

  async stop(): Promise<void> {
    await this.manager.stop();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  show(): void {
    this.tab.show();
  }

  restore(panel: vscode.WebviewPanel): void {
    this.tab.restore(panel);
  }

  installed(): readonly AgentOrAccount[] {
    return agentsAndTheirAccounts(this.installer.installed());
  }

  async loadView(): Promise<AgentsView> {
    return agentsView(await this.manager.situation());
  }

  async loadIcons(post: (key: string, svg: string) => void, signal: AbortSignal): Promise<void> {
    try {
      const subjects = [...listCardAgents(await this.manager.situation())];
      const loadNext = async (): Promise<void> => {
        for (let next = subjects.shift(); next && !signal.aborted; next = subjects.shift()) {
          const svg = next.described && (await this.registry.icon(next.described));
          if (svg !== undefined) post(next.key, svg);
        }
      };
      await Promise.all(Array.from({ length: iconsAtOnce }, loadNext));
    } catch (error) {
      this.deps.log.debug(`the icons of agents cannot be loaded: ${String(error)}`);
    }
  }

  async refresh(): Promise<void> {
    await this.manager.refreshRegistry();
  }

  async act(key: string, action: AgentActionKind, showForm: (name: string) => void): Promise<void> {
    const subject = listCardAgents(await this.manager.situation()).find((other) => other.key === key);
    if (!subject) throw new Error('This agent is no longer listed.');
    const { backend, described, listed } = subject;
    const registryId = registryIdOf(subject);
    switch (action) {
      case 'install':
      case 'update':
        if (listed) await this.manager.install(listed);
        return;
      case 'cancel':
        if (registryId !== undefined) this.manager.cancel(registryId);
        return;
      case 'remove':
        await this.remove(subject);
        return;
      case 'addAccount': {
        const added = registryId === undefined ? undefined : await this.manager.addAccount(registryId);
        if (added !== undefined) await vscode.commands.executeCommand(commandIds.acpSignIn, added);
        return;
      }
      case 'removeAccount':
        if (registryId !== undefined && subject.account !== undefined)
          await this.manager.removeAccount(registryId, subject.account);
        return;
      case 'edit':
        if (backend) showForm(backend.id);
        return;
      case 'chat':
        await vscode.commands.executeCommand(commandIds.chatNew, { backendId: backend?.id });
        return;
      case 'signIn':
        await vscode.commands.executeCommand(commandIds.acpSignIn, backend?.id);
        return;
      case 'restart':
        await vscode.commands.executeCommand(commandIds.acpRestartAgent, backend?.id);
        return;
      case 'llmProviders':
        await vscode.commands.executeCommand(commandIds.acpManageProviders, backend?.id);
        return;
      case 'allow':
        await vscode.commands.executeCommand(commandIds.reviewWorkspace, backend?.id);
        return;
      case 'openWebsite': {
        const address = described?.website ?? described?.repository;
        // VS Code asks the user before it opens a page that is not trusted.
        if (address !== undefined) await vscode.env.openExternal(vscode.Uri.parse(address, true));
      }
    }
  }

  manageTrust(): PromiseLike<unknown> {
    return vscode.commands.executeCommand('workbench.trust.manage');
  }

  readOwnAgent(name: string): ReturnType<OwnAgents['read']> {
    return this.ownAgents.read(name);
  }

  testOwnAgent(...args: Parameters<OwnAgents['test']>): ReturnType<OwnAgents['test']> {
    return this.ownAgents.test(...args);
  }

  async saveOwnAgent(agent: Parameters<OwnAgents['save']>[0]): Promise<void> {
    const backends = await this.deps.backends.list();
    // An agent in the settings replaces a found or installed agent with the same id, which must not happen by accident.
    await this.ownAgents.save(agent, new Set(backends.map(({ id }) => id)));
  }

  private async remove(subject: AgentOfCard): Promise<void> {
    const { backend, installed } = subject;
    if (installed) {
      const message = await this.manager.remove(installed.id);
      if (message !== undefined) this.messages.info(message);
    } else if (backend && this.ownAgents.names.has(backend.id)) {
      const detail =
        'This removes the agent from your settings and deletes its stored secrets. Conversations are kept.';
      if (await confirm(`Remove ${toVisibleText(backend.title)}?`, detail, 'Remove'))
        await this.ownAgents.remove(backend.id);
    }
  }

  private offerUpdates(names: readonly string[], reason: UpdateOfferReason): void {
    const message = updateOfferText(names, reason);
    this.deps.notices.info(message, { label: 'Show Agents', run: () => this.show() });
  }
}

function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}
