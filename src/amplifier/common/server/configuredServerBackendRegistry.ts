import { messageOf } from '../../../base/common/errors';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { BackendEntry, BackendHealth, BackendRegistry } from '../../../session/common/backendRegistry';
import { describeOwnServerProblem } from './serverUrl';
import type { ServerAvailability, ServerMonitor } from './serverMonitor';
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
  readonly monitor: Pick<ServerMonitor, 'availability' | 'onDidChange' | 'checkIfStale' | 'updateFromBackend'>;
  readonly onListenerError: (error: unknown) => void;
}

export const amplifierBackendId = 'amplifier';

const untrustedMessage =
  'Amplifier servers are disabled in untrusted workspaces. Run "Workspaces: Manage Workspace Trust" to trust this one.';

/** A registry whose only backend is the configured Amplifier server. Created again if the settings change. */
export class ConfiguredServerBackendRegistry implements BackendRegistry, Disposable {
  private readonly emitter = new Emitter<void>((error) => this.deps.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private openBackend: Promise<SessionBackend> | undefined;
  private reportedAvailability = '';

  constructor(private readonly deps: ConfiguredServerDeps) {}

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
    const entry = { id: amplifierBackendId, title: 'Amplifier', source: 'server' } as const;
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
    if (id !== amplifierBackendId) throw new BackendError('notFound', `There is no Amplifier server "${id}".`);
    if (!this.deps.isTrusted()) throw new BackendError('untrusted', untrustedMessage);
    const toAllow = this.openBackend ? undefined : this.serverWithoutConsent();
    // Not part of the opening, which `stop` waits for.
    if (toAllow) await this.deps.requireConsent(toAllow);
    const opened = (this.openBackend ??= this.createBackend());
    try {
      return await opened;
    } catch (error) {
      if (this.openBackend === opened) this.openBackend = undefined;
      throw new BackendError('notReady', messageOf(error), undefined, { cause: error });
    }
  }

  /** Stops the backend after a change of the settings. Never rejects. */
  async reset(): Promise<void> {
    await this.stop();
    this.emitter.fire();
  }

  /** Stops the backend. Never rejects. */
  async stop(): Promise<void> {
    const { openBackend } = this;
    this.openBackend = undefined;
    await end(openBackend);
  }

  dispose(): void {
    void this.stop();
    this.emitter.dispose();
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
    const backend = await this.deps.createBackend(server);
    backend.onDidChangeState((state) => {
      this.deps.monitor.updateFromBackend(state);
      this.emitter.fire();
    });
    return backend;
  }
}

async function end(opened: Promise<SessionBackend> | undefined): Promise<void> {
  const backend = await opened?.catch(() => undefined);
  await backend?.stop();
  backend?.dispose();
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
