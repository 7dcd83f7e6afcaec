import { once } from 'node:events';
import * as net from 'node:net';

/** Stands between a client and a server on this machine, and loses connections when it is told to. Stop it. */
export class CuttableProxy {
  private readonly sockets = new Set<net.Socket>();
  private readonly server: net.Server;

  constructor(target: URL) {
    this.server = net.createServer((socket) => {
      const upstream = net.connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        this.sockets.add(from);
        from.on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
        from.on('error', () => from.destroy());
        from.pipe(to);
      }
    });
  }

  get url(): URL {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy does not listen');
    return new URL(`http://127.0.0.1:${address.port}`);
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }
}
