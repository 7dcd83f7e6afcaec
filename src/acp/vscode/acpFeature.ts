import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import type { SessionBackend } from '../../session/common/sessionBackend';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Feature, RunningFeature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import type { ConsentPort } from '../../consent/common/consentManager';
import { commandIds, settingIds } from '../../manifest';
import { manageTrustAction, openSettingsAction } from '../../platform/common/statusActions';
import type { NoticeBoard } from '../../platform/common/noticeBoard';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import { networkEnvironment } from '../../wire/common/networkEnvironment';
import type { TrafficTap } from '../../wire/common/traffic';
import { parseAgentSettings } from '../common/catalogue/agentSettings';
import { AgentLimitStore } from '../common/connection/agentLimitStore';
import { WindowToolsStore } from '../common/connection/windowToolsState';
import type { InstalledPrograms } from '../common/catalogue/installedAgents';
import { agentsStatus, type AgentStatusActions } from '../common/catalogue/agentsStatus';
import { loadAgentCatalogue } from '../node/catalogue/agentCatalogue';
import type { AgentLauncher, AgentLauncherDeps } from '../node/catalogue/agentLauncher';
import { AgentReaper } from '../node/process/agentReaper';
import { AgentBackendRegistry } from '../node/catalogue/agentBackendRegistry';
import type { AgentConsentContext } from '../node/catalogue/agentConsent';
import { diskCommandFileAccess } from '../node/process/commandLookup';
import { editorEnvironment } from '../node/process/editorEnvironment';
import { AgentOriginServices } from './agentOriginServices';
import { AgentsPort } from './agentsPort';
import { askToLoadSession } from './loadQuestion';
import { McpInputAnswers } from '../node/catalogue/mcpInputAnswers';
import { McpInputStore } from '../common/catalogue/mcpInputStore';
import { LlmProviderServices } from './providers/providerServices';
import { SignInServices, type AgentKeysPort } from './signIn/signInServices';
import { SignInTerminals } from './signIn/signInTerminal';

type SharedLauncherDeps = Required<
  Pick<AgentLauncherDeps, 'editor' | 'http' | 'windowMcpServers' | 'standing' | 'threadSources' | 'writeObserver'>
>;

interface AcpFeatureDeps extends NoticeContext, SharedLauncherDeps {
  readonly traffic: TrafficTap;
  readonly demoAgentFile: string;
  /** Absolute path where the demo agent stores its sessions. */
  readonly demoStateFolder: string;
  readonly agentReaperFile: string;
  readonly version: string;
  readonly consent: ConsentPort;
  readonly installed: InstalledPrograms;
  readonly secrets: vscode.SecretStorage;
  /** Memento for all windows. Stores which agents have keys, never the keys. */
  readonly memento: Memento;
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (agentId: string) => boolean;
  /** Fires when a turn has ended. */
  readonly onDidEndTurn: Event<void>;
}

/** What other features may do with the stored secrets of agents. */
interface AgentSecretsPort extends AgentKeysPort {
  /** Copies the LLM providers that the user has set, for an agent that gets another id. */
  copyProviders(fromId: string, toId: string): Promise<void>;
}

/** Provides agents as backends, and the commands for them. Starts no agent itself. */
export class AcpFeature implements Feature {
  readonly id = 'acp';
  readonly title = 'Agents';
  /** Used by the page of agents and the installer. */
  readonly agentsPort: AgentsPort;
  private readonly registry: AgentBackendRegistry;
  private readonly reaper: AgentReaper;
  private readonly signInTerminals = new SignInTerminals();
  private readonly guardProcess = (leader: number): Disposable => this.reaper.watch(leader);
  private readonly environment = editorEnvironment(process.env);
  private readonly signIn: SignInServices;
  private readonly providers: LlmProviderServices;
  private readonly mcpInputs: McpInputAnswers;
  private readonly origins: AgentOriginServices;
  private launcher: Promise<AgentLauncher> | undefined;
  /** The warnings about MCP servers that this window has shown. */
  private readonly shownWarnings = new Set<string>();
  private loadedLauncher: AgentLauncher | undefined;

  constructor(private readonly deps: AcpFeatureDeps) {
    const { agentReaperFile, log } = deps;
    this.reaper = new AgentReaper({ file: agentReaperFile, log });
    this.signIn = new SignInServices(deps);
    this.providers = new LlmProviderServices(deps);
    this.mcpInputs = new McpInputAnswers({
      store: new McpInputStore(deps),
      ask: async (...asked) => (await import('./accountDialogs')).askForMcpInput(...asked),
      log,
    });
    this.origins = new AgentOriginServices({
      ...deps,
      keys: this.signIn.keys,
      forgetSignIn: (id) => this.signIn.memory.forget(id),
      providers: this.providers.store,
    });
    this.registry = new AgentBackendRegistry({
      loadCatalogue: () => this.loadCatalogue(),
      settleOrigin: (entry) => this.origins.guard.settle(entry),
      createBackend: async (entry) => (await this.getLauncher()).createBackend(entry),
      isTrusted,
      hasDeniedServers: (backend) => this.loadedLauncher?.hasDeniedServers(backend),
      agentConsent: this.createAgentConsentContext(),
      needsSignIn: (id) => this.signIn.memory.needsSignIn(id),
      isWorking: (id) => deps.isWorking(id),
      onDidPostpone: (agent) => tellPostponed(deps.notices, agent),
      log,
    });
    this.agentsPort = new AgentsPort({
      registry: this.registry,
      origins: this.origins.store,
      getLauncher: () => this.getLauncher(),
      loadedLauncher: () => this.loadedLauncher,
      hasChangedProviders: (id) => this.providers.store.agentIds.includes(id),
      environment: () => networkEnvironment(this.environment, this.deps.settings.network()),
      guardProcess: this.guardProcess,
    });
  }

  get backends(): BackendRegistry {
    return this.registry;
  }

  get agentSecrets(): AgentSecretsPort {
    const { agentKeysPort } = this.signIn;
    const { store } = this.providers;
    return {
      ...agentKeysPort,
      deleteAll: async (agentId) => {
        await agentKeysPort.deleteAll(agentId);
        await store.deleteAll(agentId);
      },
      copyProviders: (fromId, toId) => store.copy(fromId, toId),
    };
  }

  start(): Promise<RunningFeature> {
    const { commands, editor, isWorking, log, settings } = this.deps;
    const { registry } = this;
    const disposables = new DisposableStore();
    const messages = new Messages(log);
    const restartAgent = async (id: unknown): Promise<void> => {
      const { AgentCommands } = await import('./accountDialogs');
      await new AgentCommands({ agents: registry, messages, isWorking }).restart(id);
    };
    const refresh = (): void => {
      registry.refresh().catch((error: unknown) => log.error('could not look at the agents again', error));
    };
    const showStatus = (): void => {
      if (!disposables.isDisposed) this.showStatus();
    };

    disposables.add(this.reaper);
    disposables.add(registry);
    // If the extension host exits abruptly, agents that ignore the end of their input would keep running.
    const kill = (): void => registry.dispose();
    process.once('exit', kill);
    disposables.add({ dispose: () => process.off('exit', kill) });
    disposables.add(this.signInTerminals);
    disposables.add(registry.onDidChange(showStatus));
    disposables.add(editor.onDidChangeFolders(refresh));
    disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(refresh));
    disposables.add(this.deps.consent.onDidChange(refresh));
    disposables.add(this.deps.installed.onDidChange(refresh));
    disposables.add(settings.onDidChangeOf([settingIds.acpAgents], refresh));
    disposables.add(commands.setHandler(commandIds.acpRestartAgent, restartAgent));
    disposables.add(this.signIn.start(registry, commands, messages));
    disposables.add(this.providers.start(registry, commands, messages));
    disposables.add(
      commands.setHandler(commandIds.acpForgetMcpInputs, async () => {
        await this.mcpInputs.forget();
        messages.info('Your inputs for MCP servers are forgotten. The next conversation asks for them again.');
      }),
    );
    showStatus();
    return Promise.resolve({ stop: () => registry.stopAll(), dispose: () => disposables.dispose() });
  }

  private getLauncher(): Promise<AgentLauncher> {
    return (this.launcher ??= this.createLauncher());
  }

  /** Loads a separate bundle, because most windows never start an agent. */
  private async createLauncher(): Promise<AgentLauncher> {
    const { AgentLauncher, LoadQuestions } = await import('../node/catalogue/agentLauncher');
    const { log, memento, traffic, version } = this.deps;
    const onError = (error: unknown): void => log.error('What is known about agents cannot be stored', error);
    const loadQuestions = new LoadQuestions({ ask: askToLoadSession });
    this.loadedLauncher = new AgentLauncher({
      ...this.deps,
      clientInfo: { name: 'backline', title: 'Backline', version },
      tap: traffic,
      environment: this.environment,
      defaultFolder: () => this.defaultFolder(),
      isTrusted,
      agentConsent: this.createAgentConsentContext(),
      newestEntry: (entry) => this.registry.newestEntry(entry),
      valueOfMcpInput: (...asked) => this.mcpInputs.valueOf(...asked),
      onMcpServersSkipped: (notes) => this.warnOnce(notes),
      guard: this.guardProcess,
      createId: randomUUID,
      versionMemory: new AgentLimitStore({ memento, mementoName: 'backline.agentsLimitedToVersion1', onError }),
      toolsMemory: new WindowToolsStore({ memento, mementoName: 'backline.agentsAndWindowTools', onError }),
      random: Math.random,
      elicit: async (...asked) => (await import('./accountDialogs')).askUserForAgent(...asked),
      confirmLoad: (...asked) => loadQuestions.mayLoad(...asked),
      runInTerminal: (command, signal) => this.signInTerminals.run(command, signal),
      keysOf: (agentId) => this.signIn.keys.keysOf(agentId),
      providersOf: (agentId) => this.providers.choicesForStart(agentId),
    });
    return this.loadedLauncher;
  }

  /** Each session looks at the servers again, so the same words come once. */
  private warnOnce(notes: readonly string[]): void {
    const text = notes.join(' ');
    if (this.shownWarnings.has(text)) return;
    this.shownWarnings.add(text);
    this.deps.notices.warning(text);
  }

  private createAgentConsentContext(): AgentConsentContext {
    const { consent, editor } = this.deps;
    const places = () => ({ cwd: this.defaultFolder(), folders: editor.folders.map(({ path }) => path) });
    return { consent, places };
  }

  private async loadCatalogue() {
    const { demoAgentFile, demoStateFolder: stateFolder, installed, settings } = this.deps;
    const programs = await installed.installedAgents();
    const levels = settings.acpAgentsByLevel();
    await this.origins.takeOverOnce(programs, levels);
    const catalogue = await loadAgentCatalogue({
      platform: process.platform,
      levels,
      installed: programs,
      origins: this.origins.store,
      env: this.environment,
      cwd: this.defaultFolder(),
      files: diskCommandFileAccess,
      demo: { execPath: process.execPath, script: demoAgentFile, stateFolder },
    });
    await this.origins.recordHolders(catalogue.agents);
    return catalogue;
  }

  private showStatus(): void {
    const { settings, status } = this.deps;
    const { registry } = this;
    const { id, title } = this;
    const levels = settings.acpAgentsByLevel().filter((level) => level.isTrusted);
    const entries = registry.catalogue?.agents;
    const installed = entries?.filter(({ source }) => source === 'installed') ?? [];
    const installedIds = new Set(installed.map((entry) => entry.id));
    const parsed = levels.map(({ origin, value }) => parseAgentSettings(value, origin !== undefined, installedIds));
    const situation = {
      isTrusted: isTrusted(),
      problems: [
        ...parsed.flatMap(({ problems }) => problems),
        // Shows no warnings for agents that are not used, because they would appear in each window.
        ...registry.requestedAgentProblems,
      ],
      configuredCount: parsed.reduce((count, { agents }) => count + agents.size, 0),
      unavailableCount: entries?.filter(({ problem }) => problem !== undefined).length,
      foundCount: entries?.filter(({ source }) => source === 'found').length,
      agents: registry.backends,
    };
    status.set({ id, title, ...agentsStatus(situation, actions) });
  }

  /** The folder where agents run: the first workspace folder, or the user's home folder. */
  private defaultFolder(): string {
    return this.deps.editor.folders[0]?.path ?? homedir();
  }
}

const actions: AgentStatusActions = {
  restart: { label: 'Restart Agent', command: commandIds.acpRestartAgent },
  signIn: { label: 'Sign In', command: commandIds.acpSignIn },
  openSettings: openSettingsAction(settingIds.acpAgents),
  manageTrust: manageTrustAction,
};

function tellPostponed(notices: NoticeBoard, { id, title }: Pick<SessionBackend, 'id' | 'title'>): void {
  const message = `The settings of ${title} have changed. They take effect with the next prompt. Restart Now stops the running answers.`;
  notices.info(message, {
    label: 'Restart Now',
    run: () => vscode.commands.executeCommand(commandIds.acpRestartAgent, id),
  });
}

function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}
