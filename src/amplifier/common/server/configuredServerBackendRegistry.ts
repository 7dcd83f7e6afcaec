import { messageOf } from '../../../base/common/errors';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { BackendEntry, BackendHealth, BackendRegistry } from '../../../session/common/backendRegistry';
import { describeOwnServerProblem } from './serverUrl';
import type { ServerAvailability, ServerMonitor } from './serverMonitor';
import { KeyedQueue } from '../../../base/common/async';
import { OpenGenerations } from '../../../session/common/generations/openGenerations';
import { BackendError, type SessionBackend } from '../../../session/common/sessionBackend';

interface ConfiguredServerDeps {
  /** Returns the URL from the settings. @throws Error that names the invalid setting */
  readonly configuredUrl: () => URL;
  /** Creates a backend. The caller owns the result. */
  readonly createBackend: (server: URL) => Promise<SessionBackend>;
  readonly isTrusted: () => boolean;
  readonly isOwnServer: (server: URL) => boolean;
  /** Why the user has not allowed a server of the workspace; undefined if they have, or need not. Does not ask. */
  readonly missingConsent: (server: URL) => string | undefined;
  /** Asks the user if needed. @throws BackendError `notReady` if not allowed */
  readonly requireConsent: (server: URL) => Promise<void>;
  /** Whether a turn of the server runs in this window. */
  readonly isWorking: () => boolean;
  /** Called when turns go on although the settings have changed. The message is for a notification with “Restart Now”. */
  readonly onDidPostpone: (message: string) => void;
  readonly monitor: Pick<ServerMonitor, 'availability' | 'onDidChange' | 'checkIfStale' | 'updateFromBackend'>;
  readonly onListenerError: (error: unknown) => void;
}

export const configuredServerBackendId = 'amplifier';

const postponedMessage =
  'The settings of the Amplifier server have changed. They take effect with the next prompt. Restart Now stops the running answers.';

const untrustedMessage =
  'Amplifier servers are disabled in untrusted workspaces. Run "Workspaces: Manage Workspace Trust" to trust this one.';

/**
 * A registry whose only backend is the configured Amplifier server. After a change of the settings, another one is created,
 * and running turns are completed in the earlier one. A server that must not be used any more is left at once.
 */
export class ConfiguredServerBackendRegistry implements BackendRegistry, Disposable {
  private readonly emitter = new Emitter<void>((error) => this.deps.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private readonly opened: OpenGenerations<SessionBackend>;
  private readonly openQueue = new KeyedQueue();
  /** Counts changes of the server's token, which are not visible in its address. */
  private tokenChangeCount = 0;
  private isDisposed = false;
  private reportedAvailability = '';

  constructor(private readonly deps: ConfiguredServerDeps) {
    const { isWorking } = deps;
    this.opened = new OpenGenerations({ isWorking, onDidPostpone: () => deps.onDidPostpone(postponedMessage) });
  }

  /** Starts to report changes of the server's availability. The caller disposes the result. */
  start(): Disposable {
    const { monitor } = this.deps;
    return monitor.onDidChange(() => {
      const news = JSON.stringify(monitor.availability);
      if (this.reportedAvailability === news) return;
      this.reportedAvailability = news;
      this.emitter.fire();
    });
  }

  list(): Promise<readonly BackendEntry[]> {
    const { configuredUrl, isOwnServer, isTrusted, missingConsent, monitor } = this.deps;
    const entry = { id: configuredServerBackendId, title: 'Amplifier', source: 'server' } as const;
    try {
      const url = configuredUrl();
      const description = url.origin;
      if (!isTrusted()) return Promise.resolve([{ ...entry, description, problem: untrustedMessage }]);
      if (isOwnServer(url)) return Promise.resolve([{ ...entry, description, problem: describeOwnServerProblem(url) }]);
      const problem = missingConsent(url);
      if (problem !== undefined) return Promise.resolve([{ ...entry, description, problem, needsPermission: true }]);
      monitor.checkIfStale();
      return Promise.resolve([{ ...entry, description, health: toBackendHealth(monitor.availability, url) }]);
    } catch (error) {
      return Promise.resolve([{ ...entry, description: 'No server configured', problem: messageOf(error) }]);
    }
  }

  async open(id: string): Promise<SessionBackend> {
    if (id !== configuredServerBackendId) throw new BackendError('notFound', `There is no Amplifier server "${id}".`);
    if (!this.deps.isTrusted()) throw new BackendError('untrusted', untrustedMessage);
    const toAllow = this.opened.current ? undefined : this.serverWithoutConsent();
    // Not part of the opening, which other callers wait for.
    if (toAllow) await this.deps.requireConsent(toAllow);
    try {
      return await this.openQueue.run('open', async () => this.opened.current ?? (await this.createBackend()));
    } catch (error) {
      throw new BackendError('notReady', messageOf(error), undefined, { cause: error });
    }
  }

  /** Call after a change of the address, of trust or of consent. Never rejects. */
  async refresh(): Promise<void> {
    await this.followSettings();
    this.emitter.fire();
  }

  /** Call after a change of the server's token. Never rejects. */
  async handleTokenChange(): Promise<void> {
    this.tokenChangeCount++;
    await this.refresh();
  }

  /** Ends what still runs with earlier settings. The next prompt uses the present ones. Never rejects. */
  async restart(): Promise<void> {
    await this.opened.restart();
  }

  /** Stops all backends. Never rejects. */
  async stop(): Promise<void> {
    await this.openQueue.whenIdle('open');
    await this.opened.stopAll();
  }

  dispose(): void {
    this.isDisposed = true;
    this.opened.dispose();
    this.emitter.dispose();
  }

  private async followSettings(): Promise<void> {
    const { settings } = this;
    if (settings === undefined) await this.opened.stopAll();
    else this.opened.use(settings);
  }

  /** What a backend depends on. Undefined if no server may be used. An invalid address ends nothing that runs. */
  private get settings(): string | undefined {
    const { configuredUrl, isOwnServer, isTrusted, missingConsent } = this.deps;
    if (!isTrusted()) return undefined;
    try {
      const server = configuredUrl();
      const isAllowed = !isOwnServer(server) && missingConsent(server) === undefined;
      return isAllowed ? settingsKey(server, this.tokenChangeCount) : undefined;
    } catch {
      return '';
    }
  }

  private serverWithoutConsent(): URL | undefined {
    try {
      const server = this.deps.configuredUrl();
      return this.deps.missingConsent(server) === undefined ? undefined : server;
    } catch {
      // `createBackend` reports the invalid setting.
      return undefined;
    }
  }

  private async createBackend(): Promise<SessionBackend> {
    const server = this.deps.configuredUrl();
    if (this.deps.isOwnServer(server)) throw new Error(describeOwnServerProblem(server));
    // The settings may have changed while the user was asked.
    const problem = this.deps.missingConsent(server);
    if (problem !== undefined) throw new Error(problem);
    const settings = settingsKey(server, this.tokenChangeCount);
    const backend = await this.deps.createBackend(server);
    if (this.isDisposed) {
      backend.dispose();
      throw new Error('Backline is shutting down.');
    }
    const subscription = backend.onDidChangeState((state) => {
      if (backend.isOutdated !== true) this.deps.monitor.updateFromBackend(state);
      this.emitter.fire();
    });
    this.opened.add(backend, settings, subscription);
    // The settings may have changed while the backend was created.
    await this.followSettings();
    return backend;
  }
}

function settingsKey({ href }: URL, tokenChangeCount: number): string {
  return JSON.stringify([href, tokenChangeCount]);
}

function toBackendHealth(news: ServerAvailability, url: URL): BackendHealth {
  switch (news.kind) {
    case 'notAsked':
      return { kind: 'asking' };
    case 'unreachable': {
      const hint = 'Start it, or check amplifier.server.host and amplifier.server.port.';
      return { kind: 'silent', message: `No Amplifier server is running at ${url.host}. ${hint}` };
    }
    case 'answers':
    case 'needsToken':
      return news;
    case 'unusable':
    case 'missed':
      return { kind: 'silent', message: news.message };
  }
}
