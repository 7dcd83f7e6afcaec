import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Event } from '../../base/common/event';
import type { Feature, RunningFeature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import type { ConsentPort } from '../../consent/common/consentManager';
import type { ConsentSubjectSource } from '../../consent/common/consentSubject';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import { manageTrustAction, openSettingsAction } from '../../platform/common/statusActions';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import type { TrafficTap } from '../../wire/common/traffic';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import { EditorContextChips } from '../common/context/editorContextChips';
import type { ContextCollector, ContextCollectorDeps } from '../common/context/contextCollector';
import { restoreContextSwitches, type ContextSwitches } from '../common/context/contextSwitches';
import { ApiKeyStore, type SecretStore } from '../common/server/apiKeyStore';
import {
  configuredServerBackendId,
  ConfiguredServerBackendRegistry,
} from '../common/server/configuredServerBackendRegistry';
import { serverStatus, type ServerStatusActions, type ServerStatusInput } from '../common/server/serverStatus';
import { ServerTokens } from '../common/server/serverTokens';
import { configuredServerUrl, isSameLoopbackServer, describeOwnServerProblem } from '../common/server/serverUrl';
import { ServerMonitor } from '../common/server/serverMonitor';
import type { AmplifierBackend } from '../node/client/amplifierBackend';
import type { AmplifierClient } from '../node/client/http/amplifierClient';
import { missingServerConsentMessage, ServerConsent } from '../node/serverConsent';
import { chooseContext } from './chooseContext';
import { DocumentLanguages } from './documentLanguages';
import { createContextCollector, editorContextChangeEvents } from './editorContext';
import type { OutgoingHttp } from '../../wire/node/outgoingHttp';

interface AmplifierFeatureDeps extends NoticeContext {
  readonly http: OutgoingHttp;
  readonly editor: EditorPort;
  readonly traffic: TrafficTap;
  readonly secrets: SecretStore;
  readonly memento: Memento;
  /** The URL at which this window serves its own agents, if it does. */
  readonly served: { readonly url: URL | undefined; readonly onDidChange: Event<void> };
  readonly isReported: ContextCollectorDeps['isReported'];
  readonly consent: ConsentPort;
  /** Whether a turn of the backend runs in this window. */
  readonly isWorking: (backendId: string) => boolean;
}

/** Offers the configured Amplifier server as a backend, and registers its commands. */
export class AmplifierFeature implements Feature {
  readonly id = 'amplifier';
  readonly title = 'Amplifier server';
  private readonly contextSwitches: ContextSwitches;
  /** The context that is sent automatically. The chat shows it as chips. */
  readonly chips: EditorContextChips;
  private readonly contextCollector: ContextCollector;
  private readonly documentLanguages = new DocumentLanguages();
  private readonly configuredServer: ConfiguredServerBackendRegistry;
  private readonly serverMonitor: ServerMonitor;
  private readonly serverConsent: ServerConsent;
  private readonly apiKeyStore: ApiKeyStore;
  private readonly serverTokens: ServerTokens;
  private unsentKeyMessage: string | undefined;

  constructor(private readonly deps: AmplifierFeatureDeps) {
    const { editor, isReported, log, clock, secrets, memento } = deps;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    const confirm = async (origin: string): Promise<boolean> =>
      await (await import('./secretDialogs')).confirmSendingApiKey(origin);
    this.apiKeyStore = new ApiKeyStore({ secrets, state: memento, confirm });
    this.serverTokens = new ServerTokens(secrets);
    this.contextSwitches = restoreContextSwitches(memento, onListenerError);
    this.contextCollector = createContextCollector(editor, this.contextSwitches, this.documentLanguages, isReported);
    const { contextCollector: collector, contextSwitches: switches } = this;
    const changes = editorContextChangeEvents(editor, onListenerError);
    this.chips = new EditorContextChips({ collector, switches, changes, clock, onListenerError });
    this.serverConsent = new ServerConsent({
      consent: this.deps.consent,
      sourceOf: (server) => this.workspaceSourceOf(server),
    });
    this.serverMonitor = new ServerMonitor({
      checkHealth: (signal) => this.checkHealth(signal),
      clock,
      onListenerError,
    });
    this.configuredServer = new ConfiguredServerBackendRegistry({
      configuredUrl: () => this.configuredUrl(),
      createBackend: (server) => this.createBackend(server),
      isTrusted,
      isOwnServer: (server) => this.isOwnServer(server),
      missingConsent: (server) => this.missingConsent(server),
      requireConsent: (server) => this.serverConsent.require(server),
      isWorking: () => deps.isWorking(configuredServerBackendId),
      onDidPostpone: (message) => {
        const restart = (): Promise<void> => this.configuredServer.restart();
        deps.notices.info(message, { label: 'Restart Now', run: restart });
      },
      monitor: this.serverMonitor,
      onListenerError,
    });
  }

  get backends(): BackendRegistry {
    return this.configuredServer;
  }

  start(): Promise<RunningFeature> {
    const { commands, served, settings, status, log } = this.deps;
    const { apiKeyStore, chips, configuredServer, contextSwitches, documentLanguages, serverMonitor } = this;
    const disposables = new DisposableStore();
    const messages = new Messages(log);
    const showStatus = (): void => {
      status.set({ id: this.id, title: this.title, ...serverStatus(this.serverStatusInput(), actions) });
    };
    /** Called after a change of the server's address, of consent or of workspace trust. */
    const refresh = async (): Promise<void> => {
      await configuredServer.refresh();
      if (!disposables.isDisposed && isTrusted()) serverMonitor.start();
    };

    for (const owned of [contextSwitches, chips, documentLanguages, configuredServer, serverMonitor])
      disposables.add(owned);
    chips.start();
    documentLanguages.followExtensions();
    disposables.add(serverMonitor.onDidChange(showStatus));
    disposables.add(configuredServer.start());
    disposables.add(configuredServer.onDidChange(showStatus));
    disposables.add(status.onDidRequestRefresh(() => void serverMonitor.check()));
    disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void refresh()));
    disposables.add(served.onDidChange(() => void refresh()));
    disposables.add(this.onDidChangeConsent(() => void refresh()));
    disposables.add(settings.onDidChangeOf([settingIds.amplifierHost, settingIds.amplifierPort], () => void refresh()));
    disposables.add(
      commands.setHandler(commandIds.amplifierSetApiKey, async () => {
        await (await import('./secretDialogs')).manageApiKey(apiKeyStore, messages);
        await serverMonitor.check();
      }),
    );
    disposables.add(
      commands.setHandler(commandIds.amplifierSetToken, async () => {
        const { manageToken } = await import('./secretDialogs');
        if (!(await manageToken(this.serverTokens, this.configuredUrl(), messages))) return;
        await configuredServer.handleTokenChange();
        if (isTrusted()) serverMonitor.start();
      }),
    );
    disposables.add(
      commands.setHandler(commandIds.amplifierChooseContext, () =>
        chooseContext(this.contextCollector, contextSwitches),
      ),
    );
    showStatus();
    if (isTrusted()) serverMonitor.start();
    return Promise.resolve({ stop: () => configuredServer.stop(), dispose: () => disposables.dispose() });
  }

  private serverStatusInput(): ServerStatusInput {
    const shared = { isTrusted: isTrusted(), news: this.serverMonitor.availability, keyProblem: this.unsentKeyMessage };
    try {
      const url = this.configuredUrl();
      return { ...shared, server: { url }, isOwn: this.isOwnServer(url) };
    } catch (error) {
      return { ...shared, server: { problem: messageOf(error) } };
    }
  }

  /** Returns the URL in the settings. @throws Error that names the invalid setting */
  private configuredUrl(): URL {
    return configuredServerUrl(this.deps.settings.amplifierServer());
  }

  private isOwnServer(server: URL): boolean {
    const { url } = this.deps.served;
    return url !== undefined && isSameLoopbackServer(server, url);
  }

  /** Returns where the workspace defines the server's address, unless it is the one of the user. */
  private workspaceSourceOf({ origin }: URL): ConsentSubjectSource | undefined {
    const { ofUser, workspace } = this.deps.settings.amplifierServer();
    if (!workspace || originOf(ofUser) === origin) return undefined;
    return { file: workspace.file, keys: [settingIds.amplifierHost] };
  }

  private missingConsent(server: URL): string | undefined {
    const decision = this.serverConsent.decide(server);
    return decision === 'allowed' ? undefined : missingServerConsentMessage(server, decision);
  }

  /** Calls the listener if the consent for the configured server has changed, and not for other subjects. */
  private onDidChangeConsent(listener: () => void): Disposable {
    let known = this.currentMissingConsent;
    return this.deps.consent.onDidChange(() => {
      const before = known;
      known = this.currentMissingConsent;
      if (known !== before) listener();
    });
  }

  private get currentMissingConsent(): string | undefined {
    try {
      return this.missingConsent(this.configuredUrl());
    } catch {
      // The settings are invalid, which is reported when they are used.
      return undefined;
    }
  }

  private async checkHealth(signal: AbortSignal): Promise<{ version?: string | undefined }> {
    const server = this.configuredUrl();
    if (this.isOwnServer(server)) throw new Error(describeOwnServerProblem(server));
    const missing = this.missingConsent(server);
    if (missing !== undefined) throw new Error(missing);
    this.unsentKeyMessage = await this.apiKeyStore.explainWhyKeyIsNotSent(server);
    const client = await this.createClient(server);
    try {
      return await client.health(signal);
    } finally {
      client.dispose();
    }
  }

  private async createBackend(server: URL): Promise<AmplifierBackend> {
    const { AmplifierBackend } = await loadClient();
    const { clock, log, settings } = this.deps;
    return new AmplifierBackend({
      id: configuredServerBackendId,
      title: 'Amplifier',
      client: await this.createClient(server),
      clock,
      random: Math.random,
      log,
      context: this.contextCollector,
      profile: () => settings.amplifierProfile(),
      credentials: (url) => this.apiKeyStore.credentialsFor(url),
      keyProblem: (url) => this.apiKeyStore.explainWhyKeyIsNotSent(url),
    });
  }

  private async createClient(baseUrl: URL): Promise<AmplifierClient> {
    const { AmplifierClient } = await loadClient();
    const { http, log, traffic } = this.deps;
    const token = await this.serverTokens.tokenFor(baseUrl);
    return new AmplifierClient({ baseUrl, http, log, traffic, ...(token === undefined ? {} : { token }) });
  }
}

/** Loads the client bundle when it is first needed, so that activation stays fast. */
function loadClient() {
  return import('../node/client/serverClient');
}

const actions: ServerStatusActions = {
  openSettings: openSettingsAction('amplifier.server'),
  setApiKey: { label: 'Set API Key', command: commandIds.amplifierSetApiKey },
  setToken: { label: 'Set Server Token', command: commandIds.amplifierSetToken },
  chooseContext: { label: 'Configure Editor Context', command: commandIds.amplifierChooseContext },
  manageTrust: manageTrustAction,
};

/** Returns undefined if the settings are invalid. */
function originOf(settings: Parameters<typeof configuredServerUrl>[0]): string | undefined {
  try {
    return configuredServerUrl(settings).origin;
  } catch {
    return undefined;
  }
}

function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}
