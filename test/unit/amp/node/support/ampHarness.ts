import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { AmpServer, type AmpServerOptions } from '../../../../../src/amp/node/ampServer';
import { readLockfiles } from './readLockfiles';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { disabledTrafficTap } from '../../../../../src/wire/common/traffic';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { nobodyToAsk } from '../../../../fake/nobodyToAsk';
import { AmpTestClient } from './ampTestClient';

/** No port of this range can be bound without being root, so every server gets a free one. */
const anyPort = { first: 1, last: 0 };

/** A server on real sockets with a lockfile in a folder of its own. `close` ends everything and checks that it did. */
export class AmpHarness {
  private readonly clients: AmpTestClient[] = [];
  private readonly sockets: Socket[] = [];

  private constructor(
    readonly server: AmpServer,
    readonly editor: FakeEditor,
    readonly lockfileFolder: string,
    readonly token: string,
    /** A home folder whose clients find this server. */
    readonly home: string,
  ) {}

  static async start(editor = new FakeEditor(), overrides: Partial<AmpServerOptions> = {}): Promise<AmpHarness> {
    const root = await mkdtemp(path.join(tmpdir(), 'backline-amp-'));
    const lockfileFolder = path.join(root, '.local', 'share', 'amp', 'ide');
    const server = new AmpServer({
      editor,
      protectedEdits: nobodyToAsk(editor),
      policy: () => ({}),
      log: nullLogger,
      clock: systemClock,
      traffic: disabledTrafficTap,
      portRange: anyPort,
      lockfileFolders: [lockfileFolder],
      ideName: 'Visual Studio Code',
      pid: process.pid,
      version: '1.2.3',
      ...overrides,
    });
    await server.start();
    const [lockfile] = await readLockfiles(lockfileFolder);
    return new AmpHarness(server, editor, lockfileFolder, lockfile?.authToken ?? '', root);
  }

  get port(): number {
    return this.server.port ?? 0;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}?auth=${this.token}`;
  }

  async connect(): Promise<AmpTestClient> {
    const client = await AmpTestClient.connect(this.url);
    this.clients.push(client);
    return client;
  }

  /** A bare TCP connection to the server. */
  async dial(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => undefined);
    this.sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  /** A bare TCP connection that was upgraded and does nothing by itself. What it receives is not read. */
  async dialWebSocket(): Promise<Socket> {
    const socket = await this.dial();
    socket.write(upgradeRequest(`/?auth=${this.token}`));
    const [head] = (await once(socket, 'data')) as [Buffer];
    if (!head.toString().startsWith('HTTP/1.1 101')) throw new Error(`Not upgraded: ${head.toString()}`);
    socket.pause();
    return socket;
  }

  /** For tests that watch memory: the clients remember all that they were sent. */
  forgetClients(): void {
    this.clients.length = 0;
  }

  /** Hangs, and so fails the test, if anything keeps a socket of the server open. */
  async close(): Promise<void> {
    await this.server.stop();
    for (const client of this.clients) client.terminate();
    for (const socket of this.sockets) socket.destroy();
    const left = await readdir(this.lockfileFolder).catch(() => []);
    await rm(this.home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`Left behind: ${left.join(', ')}`);
  }
}

export function upgradeRequest(target: string, headers: Record<string, string> = {}): string {
  const all = {
    Host: 'localhost',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
