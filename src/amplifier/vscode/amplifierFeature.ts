import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Event } from '../../base/common/event';
import type { Feature, RunningFeature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import type { TrafficTap } from '../../wire/common/traffic';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import { ContextChips } from '../common/context/contextChips';
import type { ContextCollector, ContextCollectorPorts } from '../common/context/contextCollector';
import type { ContextSwitches } from '../common/context/contextSwitches';
import { Credentials, type SecretStore } from '../common/server/credentials';
import { keptSwitches } from '../common/context/keptSwitches';
import { serverBackendId, ServerRegistry } from '../common/server/serverRegistry';
import { serverStatus, type ServerActions, type ServerSituation } from '../common/server/serverStatus';
import { ServerTokens } from '../common/server/serverTokens';
import { configuredServer, isSameLoopback, ownServerMessage } from '../common/server/serverUrl';
import { ServerWatch } from '../common/server/serverWatch';
import type { AmplifierBackend } from '../node/client/amplifierBackend';
import type { AmplifierClient } from '../node/client/http/amplifierClient';
import { chooseContext } from './chooseContext';
import { DocumentLanguages } from './documentLanguages';
import { editorContext, editorContextChanges } from './editorContext';
import { confirmServer, manageApiKey, manageToken } from './secretDialogs';

interface AmplifierFeatureOptions extends FeatureContext {
  readonly editor: EditorPort;
  readonly traffic: TrafficTap;
  /** For the API key and the tokens. */
  readonly secrets: SecretStore;
  /** For the user's choices. */
  readonly memento: Memento;
  /** The URL at which this window serves its own agents. */
  readonly served: { readonly url: URL | undefined; readonly onDidChange: Event<void> };
  readonly isReported: ContextCollectorPorts['isReported'];
}

/** Offers the configured Amplifier server as a backend, and registers its commands. */
export class AmplifierFeature implements Feature {
  readonly id = 'amplifier';
  readonly title = 'Amplifier server';
  private readonly switches: ContextSwitches;
  /** The automatically sent context, shown in the chat. */
  readonly chips: ContextChips;
  private readonly context: ContextCollector;
  private readonly languages = new DocumentLanguages();
  private readonly registry: ServerRegistry;
  private readonly watch: ServerWatch;
  private readonly credentials: Credentials;
  private readonly tokens: ServerTokens;
  private keyProblem: string | undefined;

  constructor(private readonly options: AmplifierFeatureOptions) {
    const { editor, isReported, log, clock, secrets, memento } = options;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    this.credentials = new Credentials({ secrets, state: memento, confirm: confirmServer });
    this.tokens = new ServerTokens(secrets);
    this.switches = keptSwitches(memento, onListenerError);
    this.context = editorContext(editor, this.switches, this.languages, isReported);
    const { context: collector, switches } = this;
    const changes = editorContextChanges(editor, onListenerError);
    this.chips = new ContextChips({ collector, switches, changes, clock, onListenerError });
    this.watch = new ServerWatch({ askHealth: (signal) => this.askHealth(signal), clock, onListenerError });
    this.registry = new ServerRegistry({
      server: () => this.server(),
      createBackend: (server) => this.createBackend(server),
      isTrusted,
      isOwn: (server) => this.isOwn(server),
      watch: this.watch,
      onListenerError,
    });
  }

  get backends(): BackendRegistry {
    return this.registry;
  }

  start(): Promise<RunningFeature> {
    const { commands, served, settings, status, log } = this.options;
    const { registry, watch, switches, context, chips, credentials, tokens } = this;
    const store = new DisposableStore();
    const messages = new Messages(log);
    const showStatus = (): void => {
      status.set({ id: this.id, title: this.title, ...serverStatus(this.situation(), actions) });
    };
    /** After a change of the server, its token or the workspace trust. */
    const startAnew = async (): Promise<void> => {
      await registry.reset();
      if (!store.isDisposed && isTrusted()) watch.start();
    };

    store.add(switches);
    store.add(chips);
    chips.start();
    this.languages.start();
    store.add(this.languages);
    store.add(registry);
    store.add(watch);
    store.add(watch.onDidChange(showStatus));
    store.add(registry.start());
    store.add(registry.onDidChange(showStatus));
    store.add(status.onDidLook(() => void watch.ask()));
    store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void startAnew()));
    store.add(served.onDidChange(() => void startAnew()));
    store.add(settings.onDidChangeOf([settingIds.amplifierHost, settingIds.amplifierPort], () => void startAnew()));
    store.add(
      commands.handle(commandIds.amplifierSetApiKey, async () => {
        await manageApiKey(credentials, messages);
        await watch.ask();
      }),
    );
    store.add(
      commands.handle(commandIds.amplifierSetToken, async () => {
        if (await manageToken(tokens, this.server(), messages)) await startAnew();
      }),
    );
    store.add(commands.handle(commandIds.amplifierChooseContext, () => chooseContext(context, switches)));
    showStatus();
    if (isTrusted()) watch.start();
    return Promise.resolve({ stop: () => registry.stop(), dispose: () => store.dispose() });
  }

  private situation(): ServerSituation {
    const shared = { isTrusted: isTrusted(), news: this.watch.news, keyProblem: this.keyProblem };
    try {
      const url = this.server();
      return { ...shared, server: { url }, isOwn: this.isOwn(url) };
    } catch (error) {
      return { ...shared, server: { problem: messageOf(error) } };
    }
  }

  /** @throws Error that names the invalid setting */
  private server(): URL {
    return configuredServer(this.options.settings.amplifierServer());
  }

  private isOwn(server: URL): boolean {
    const { url } = this.options.served;
    return url !== undefined && isSameLoopback(server, url);
  }

  private async askHealth(signal: AbortSignal): Promise<{ version?: string | undefined }> {
    const server = this.server();
    if (this.isOwn(server)) throw new Error(ownServerMessage(server));
    this.keyProblem = await this.credentials.problem(server);
    const client = await this.createClient(server);
    try {
      return await client.health(signal);
    } finally {
      client.dispose();
    }
  }

  private async createBackend(server: URL): Promise<AmplifierBackend> {
    const { AmplifierBackend } = await loadClient();
    const { clock, log, settings } = this.options;
    return new AmplifierBackend({
      id: serverBackendId,
      title: 'Amplifier',
      client: await this.createClient(server),
      clock,
      random: Math.random,
      log,
      context: this.context,
      profile: () => settings.amplifierProfile(),
      credentials: (url) => this.credentials.for(url),
      keyProblem: (url) => this.credentials.problem(url),
    });
  }

  private async createClient(baseUrl: URL): Promise<AmplifierClient> {
    const { AmplifierClient } = await loadClient();
    const { log, traffic } = this.options;
    const token = await this.tokens.for(baseUrl);
    return new AmplifierClient({ baseUrl, log, traffic, ...(token === undefined ? {} : { token }) });
  }
}

/** Loads the client bundle with the first request, to keep the activation fast. */
function loadClient() {
  return import('../node/client/serverClient');
}

const actions: ServerActions = {
  openSettings: {
    label: 'Open settings',
    command: 'workbench.action.openSettings',
    arguments: ['amplifier.server'],
  },
  setApiKey: { label: 'Set API key', command: commandIds.amplifierSetApiKey },
  setToken: { label: 'Set server token', command: commandIds.amplifierSetToken },
  chooseContext: { label: 'Configure editor context', command: commandIds.amplifierChooseContext },
  manageTrust: { label: 'Manage workspace trust', command: 'workbench.trust.manage' },
};

function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}
