import { once } from 'node:events';
import { WebSocket, type RawData } from 'ws';

export interface ServerResponse {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly [method: string]: unknown;
}
export type ServerNotification = Readonly<Record<string, unknown>>;

interface ServerMessage {
  readonly serverResponse?: ServerResponse;
  readonly serverNotification?: ServerNotification;
}

const patienceMs = 45_000;

/** A client of the protocol that remembers all it was sent. */
export class AmpTestClient {
  readonly responses: ServerResponse[] = [];
  readonly notifications: ServerNotification[] = [];
  private lastId = 0;
  private readonly onMessage = new Set<() => void>();
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: RawData) => {
      if (!Buffer.isBuffer(data)) throw new Error('A client that is not told otherwise gets buffers.');
      const message = JSON.parse(data.toString()) as ServerMessage;
      if (message.serverResponse) this.responses.push(message.serverResponse);
      if (message.serverNotification) this.notifications.push(message.serverNotification);
      for (const check of this.onMessage) check();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  static async connect(url: string): Promise<AmpTestClient> {
    const client = new AmpTestClient(new WebSocket(url, { perMessageDeflate: false }));
    await once(client.socket, 'open');
    return client;
  }

  /** Asks in the CLI's dialect. */
  ask(method: string, params: unknown): Promise<ServerResponse> {
    return this.send((id) => ({ id, [method]: params }));
  }

  /** Asks in the document's dialect. */
  askDocument(method: string, params: unknown): Promise<ServerResponse> {
    return this.send((id) => ({ id, method: { [method]: params } }));
  }

  async send(makeRequest: (id: string) => object): Promise<ServerResponse> {
    const id = String(++this.lastId);
    this.sendText(JSON.stringify({ clientRequest: makeRequest(id) }));
    return await this.until(() => this.responses.find((response) => response.id === id));
  }

  sendText(text: string): void {
    this.socket.send(text);
  }

  /** The data of the newest notification of a kind, named as the CLI names it. */
  newest(kind: string): unknown {
    return this.notifications.findLast((notification) => kind in notification)?.[kind];
  }

  /** Waits until `find` finds something in what was received. @throws Error after three quarters of a minute */
  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.onMessage.delete(check);
      };
      const check = (): void => {
        const found = find();
        if (found === undefined) return;
        finish();
        resolve(found);
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`Not received in ${patienceMs} ms; got ${JSON.stringify(this.notifications)}`));
      }, patienceMs);
      this.onMessage.add(check);
      check();
    });
  }

  terminate(): void {
    this.socket.terminate();
  }
}
