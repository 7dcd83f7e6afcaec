import { messageOf } from '../../../base/common/errors';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { BackendEntry, BackendRegistry } from '../../../session/common/backendRegistry';
import { serverHealth } from './serverHealth';
import { ownServerMessage } from './serverUrl';
import type { ServerWatch } from './serverWatch';
import { BackendError, type SessionBackend } from '../../../session/common/sessionBackend';

interface ServerRegistryOptions {
  /** The URL from the settings. @throws Error that names the invalid setting */
  readonly server: () => URL;
  /** The caller owns the result. */
  readonly createBackend: (server: URL) => Promise<SessionBackend>;
  readonly isTrusted: () => boolean;
  /** Whether the URL is that of this window's own server. */
  readonly isOwn: (server: URL) => boolean;
  readonly watch: Pick<ServerWatch, 'news' | 'onDidChange' | 'look' | 'heard'>;
  readonly onListenerError: (error: unknown) => void;
}

/** Identifies the Amplifier server among the backends. */
export const serverBackendId = 'amplifier';

const untrustedMessage =
  'Amplifier servers are disabled in untrusted workspaces. Run "Workspaces: Manage Workspace Trust" to trust this one.';

/** The Amplifier server from the settings as the only backend of a registry. It is recreated when the settings change. */
export class ServerRegistry implements BackendRegistry, Disposable {
  private readonly emitter = new Emitter<void>((error) => this.options.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private opened: Promise<SessionBackend> | undefined;
  private told = '';

  constructor(private readonly options: ServerRegistryOptions) {}

  /** Reports changes of the server's availability. The caller disposes the result. */
  start(): Disposable {
    const { watch } = this.options;
    return watch.onDidChange(() => {
      const news = JSON.stringify(watch.news);
      if (this.told === news) return;
      this.told = news;
      this.emitter.fire();
    });
  }

  list(): Promise<readonly BackendEntry[]> {
    const { isOwn, isTrusted, server, watch } = this.options;
    const entry = { id: serverBackendId, title: 'Amplifier', source: 'server' } as const;
    try {
      const url = server();
      const description = url.origin;
      if (!isTrusted()) return Promise.resolve([{ ...entry, description, problem: untrustedMessage }]);
      if (isOwn(url)) return Promise.resolve([{ ...entry, description, problem: ownServerMessage(url) }]);
      watch.look();
      return Promise.resolve([{ ...entry, description, health: serverHealth(watch.news, url) }]);
    } catch (error) {
      return Promise.resolve([{ ...entry, description: 'No server configured', problem: messageOf(error) }]);
    }
  }

  async open(id: string): Promise<SessionBackend> {
    if (id !== serverBackendId) throw new BackendError('notFound', `There is no Amplifier server "${id}".`);
    if (!this.options.isTrusted()) throw new BackendError('untrusted', untrustedMessage);
    const opened = (this.opened ??= this.create());
    try {
      return await opened;
    } catch (error) {
      if (this.opened === opened) this.opened = undefined;
      throw new BackendError('notReady', messageOf(error), undefined, { cause: error });
    }
  }

  /** Stops the backend after a change of the settings. Never rejects. */
  async reset(): Promise<void> {
    await this.stop();
    this.emitter.fire();
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await end(opened);
  }

  dispose(): void {
    void this.stop();
    this.emitter.dispose();
  }

  private async create(): Promise<SessionBackend> {
    const server = this.options.server();
    if (this.options.isOwn(server)) throw new Error(ownServerMessage(server));
    const backend = await this.options.createBackend(server);
    backend.onDidChangeState((state) => {
      this.options.watch.heard(state);
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
