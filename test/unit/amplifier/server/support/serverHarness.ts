import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import { connect, type Socket } from 'node:net';
import { createParser } from 'eventsource-parser';
import * as z from 'zod';
import { AmplifierServer, type AmplifierServerDeps } from '../../../../../src/amplifier/node/server/amplifierServer';
import { BackendError, type SessionBackend } from '../../../../../src/session/common/sessionBackend';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { MemoryLogger } from '../../node/clientHarness';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { FakeBackend, type FakeSession } from './fakeBackend';

/** Backends by their ids. */
export function registryOf(backends: Readonly<Record<string, SessionBackend>>): AmplifierServerDeps['backends'] {
  const titles = Object.entries(backends);
  return {
    list: () =>
      Promise.resolve(titles.map(([id, { title }]) => ({ id, title, source: 'configured', description: 'a test' }))),
    open: (id) => {
      const backend = backends[id];
      return backend ? Promise.resolve(backend) : Promise.reject(new BackendError('notFound', `There is no ${id}.`));
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: http.OutgoingHttpHeaders;
  /** Without one, each call opens a connection of its own. */
  readonly agent?: http.Agent;
}

export const Failure = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
});

const Created = z.object({ session_id: z.uuid() });

/** A server on a port of its own, by default over a fake backend and without a token. */
export class ServerHarness {
  private readonly streams: SseClient[] = [];

  private constructor(
    readonly server: AmplifierServer,
    readonly backend: FakeBackend,
    readonly log: MemoryLogger,
  ) {}

  static async start(options: Partial<AmplifierServerDeps> = {}): Promise<ServerHarness> {
    const backend = new FakeBackend();
    const editor = new FakeEditor({ '/ws/src/a.ts': 'a', '/ws/b.ts': 'b' });
    const log = new MemoryLogger();
    const server = new AmplifierServer({
      backends: registryOf({ fake: backend }),
      workspace: editor,
      clock: systemClock,
      log,
      newId: randomUUID,
      version: '0.1.0',
      host: '127.0.0.1',
      ports: [0],
      token: undefined,
      profilesFrom: 'the test',
      ...options,
    });
    await server.start();
    return new ServerHarness(server, backend, log);
  }

  get url(): string {
    return this.server.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async stop(): Promise<void> {
    for (const stream of this.streams) stream.close();
    await this.server.stop();
    this.backend.dispose();
  }

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return call(this.url, method, path, options);
  }

  /** A session of the profile `fake`: its id here, and what stands behind it. */
  async createSession(body: object = { profile: 'fake' }): Promise<{ id: string; fake: FakeSession }> {
    const { json } = await this.call('POST', '/sessions', { body });
    return { id: Created.parse(json).session_id, fake: this.backend.session };
  }

  async subscribe(id: string, headers: http.OutgoingHttpHeaders = {}): Promise<SseClient> {
    const stream = await SseClient.open(`${this.url}/sessions/${id}/events`, headers);
    this.streams.push(stream);
    return stream;
  }

  /** A bare connection, for what is no HTTP or not all of it. */
  async dial(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }
}

/** A string as body goes out as it is, anything else as JSON. */
export async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { agent = false, body, headers = {} } = options;
  const { port, hostname } = new URL(url);
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const request = http.request({
    method,
    path,
    port,
    hostname: hostname.replace(/[[\]]/gu, ''),
    agent,
    headers: { ...(bytes ? { 'Content-Length': bytes.length } : {}), ...headers },
  });
  const answered = once(request, 'response', { signal: AbortSignal.timeout(45_000) });
  // What is answered before it is sent whole may be cut off after the answer.
  request.on('error', () => undefined);
  request.end(bytes);
  const [response] = z.tuple([z.instanceof(http.IncomingMessage)]).parse(await answered);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += z.string().parse(chunk);
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { status: response.statusCode ?? 0, headers: response.headers, text, json };
}

const Event = z.object({ event: z.string(), data: z.looseObject({ session_id: z.string() }) });
export type ReadEvent = z.infer<typeof Event> & { readonly id: number | undefined };

/** A client of the event stream that keeps all it gets. */
export class SseClient {
  readonly events: ReadEvent[] = [];
  /** As it came. */
  text = '';
  hasEnded = false;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly response: http.IncomingMessage) {
    const parser = createParser({
      onEvent: ({ data, id }) =>
        this.events.push({ ...Event.parse(JSON.parse(data)), id: id === undefined ? undefined : Number(id) }),
    });
    response.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk;
      parser.feed(chunk);
      this.wake();
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      this.hasEnded = true;
      this.wake();
    });
  }

  static async open(url: string, headers: http.OutgoingHttpHeaders = {}): Promise<SseClient> {
    const request = http.get(url, { agent: false, headers: { Accept: 'text/event-stream', ...headers } });
    const [response] = z.tuple([z.instanceof(http.IncomingMessage)]).parse(await once(request, 'response'));
    return new SseClient(response);
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  /** @throws Error after three quarters of a minute */
  async next(name: string, count = 1): Promise<ReadEvent> {
    await this.until(() => this.events.filter(({ event }) => event === name).length >= count, `${count} ${name}`);
    const event = this.events.filter((item) => item.event === name)[count - 1];
    if (!event) throw new Error(`no ${name}`);
    return event;
  }

  async end(): Promise<void> {
    await this.until(() => this.hasEnded, 'the end');
  }

  async until(isDone: () => boolean, what: string): Promise<void> {
    const deadline = AbortSignal.timeout(45_000);
    deadline.addEventListener('abort', () => this.wake(), { once: true });
    while (!isDone()) {
      if (deadline.aborted) throw new Error(`${what} did not come; there are: ${this.names.join(', ')}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  close(): void {
    this.response.destroy();
  }

  private wake(): void {
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }
}
