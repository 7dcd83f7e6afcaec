import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { CountingClock } from '../../../../fake/countingClock';
import { ServerHarness } from './serverHarness';
import { turns } from '../../../../support/turns';

/** One thing that a client or an agent does. `at` chooses among what there is. */
export type Step =
  | { readonly do: 'create'; readonly agentStalls: boolean; readonly size: number; readonly end: RequestEnd }
  | { readonly do: 'prompt'; readonly at: number; readonly size: number; readonly end: RequestEnd }
  | { readonly do: 'approve' | 'cancel' | 'delete'; readonly at: number; readonly end: RequestEnd }
  | { readonly do: 'follow'; readonly at: number; readonly by: 'sse' | 'webSocket'; readonly reads: boolean }
  | { readonly do: 'control'; readonly at: number; readonly message: string; readonly isCut: boolean }
  | { readonly do: 'say'; readonly at: number; readonly size: number }
  | { readonly do: 'ask' | 'finish' | 'fail' | 'quit' | 'forget'; readonly at: number }
  | { readonly do: 'leave'; readonly at: number }
  | { readonly do: 'wait' };

/** How a request ends: whole, or cut at a part of it, where the client stays silent, closes or resets the connection. */
export type RequestEnd =
  { readonly how: 'whole' } | { readonly how: 'stall' | 'close' | 'reset'; readonly part: number };

const Listed = z.object({ sessions: z.array(z.object({ session_id: z.string() })) });

/** Carries out steps against a server with small limits and an agent that does what the steps say. */
export class ScheduleRunner {
  private readonly sockets: (Socket | WebSocket)[] = [];
  private readonly release: (() => void)[] = [];
  private asked = 0;

  private constructor(
    readonly harness: ServerHarness,
    readonly clock: CountingClock,
  ) {}

  static async start(): Promise<ScheduleRunner> {
    const clock = new CountingClock();
    const limits = {
      maxSessions: 5,
      maxSubscribers: 3,
      maxBodyBytes: 200_000,
      maxTotalBodyBytes: 300_000,
      maxKeptEvents: 20,
    };
    return new ScheduleRunner(await ServerHarness.start({ clock, limits }), clock);
  }

  async run(step: Step): Promise<void> {
    const { backend } = this.harness;
    switch (step.do) {
      case 'create': {
        backend.beforeCreate = step.agentStalls
          ? () => new Promise((resolve) => this.release.push(resolve))
          : () => Promise.resolve();
        const context = {
          workspace_root: '/ws',
          open_files: [{ path: 'a', language: 'x', content: 'x'.repeat(step.size) }],
        };
        await this.request('POST', '/sessions', step.end, { profile: 'fake', context });
        return;
      }
      case 'prompt':
        await this.request('POST', `${await this.pathOf(step.at)}/prompt`, step.end, { prompt: 'x'.repeat(step.size) });
        return;
      case 'approve':
        await this.request('POST', `${await this.pathOf(step.at)}/approval`, step.end, { decision: 'Allow' });
        return;
      case 'cancel':
        await this.request('POST', `${await this.pathOf(step.at)}/cancel`, step.end);
        return;
      case 'delete':
        await this.request('DELETE', await this.pathOf(step.at), step.end);
        return;
      case 'follow':
        await this.follow(await this.pathOf(step.at), step.by, step.reads);
        return;
      case 'control': {
        const sockets = this.sockets.filter((one) => one instanceof WebSocket && one.readyState === WebSocket.OPEN);
        const socket = chosen(sockets, step.at);
        if (!(socket instanceof WebSocket)) return;
        socket.send(step.message, { fin: !step.isCut });
        return;
      }
      case 'leave': {
        const socket = chosen(this.sockets, step.at);
        if (socket) cut(socket);
        return;
      }
      case 'wait':
        await turns();
        return;
      default:
        this.agent(step);
    }
  }

  /** All clients go, and the agent does what it had put off. */
  leave(): void {
    for (const socket of this.sockets) cut(socket);
    for (const resolve of this.release.splice(0)) resolve();
    this.harness.backend.beforeCreate = () => Promise.resolve();
  }

  /** The agent ends all its turns, without a word on what it has asked in them. */
  endTurns(): void {
    for (const session of this.harness.backend.sessions) {
      if (session.turn !== 'none') session.emit('prompt:complete', { response: '' });
    }
  }

  async deleteSessions(): Promise<void> {
    for (const id of await this.sessionIds()) await this.harness.call('DELETE', `/sessions/${id}`);
  }

  private agent(step: Extract<Step, { do: 'say' | 'ask' | 'finish' | 'fail' | 'quit' | 'forget' }>): void {
    const session = chosen(this.harness.backend.sessions, step.at);
    if (!session) return;
    if (step.do === 'say') session.emit('content_block:delta', { block_index: 0, delta: 'x'.repeat(step.size) });
    else if (step.do === 'ask') {
      if (session.turn !== 'none') session.ask(`a${++this.asked}`);
    } else if (step.do === 'fail') session.emit('error', { error: 'crashed' });
    else if (step.do === 'finish') session.emit('prompt:complete', { response: '' });
    else if (step.do === 'quit') session.endLog();
    else session.failure = new Error('the agent does not take it');
  }

  private async sessionIds(): Promise<string[]> {
    const { json } = await this.harness.call('GET', '/sessions');
    return Listed.parse(json).sessions.map(({ session_id: id }) => id);
  }

  private async pathOf(at: number): Promise<string> {
    return `/sessions/${chosen(await this.sessionIds(), at) ?? 'none'}`;
  }

  /** Waits for the answer of a whole request only if no agent keeps it back. */
  private async request(method: string, path: string, end: RequestEnd, body?: object): Promise<void> {
    const socket = await this.dial();
    const text = body === undefined ? '' : JSON.stringify(body);
    const whole = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    if (end.how === 'whole') {
      socket.write(whole);
      await Promise.race([once(socket, 'data'), once(socket, 'close'), turns(50)]);
      return;
    }
    socket.write(whole.slice(0, Math.floor(whole.length * end.part)));
    if (end.how === 'close') socket.end();
    if (end.how === 'reset') socket.resetAndDestroy();
  }

  private async follow(path: string, by: 'sse' | 'webSocket', reads: boolean): Promise<void> {
    if (by === 'webSocket') {
      const socket = new WebSocket(`${this.harness.url.replace('http', 'ws')}${path}/ws`);
      this.sockets.push(socket);
      socket.on('error', () => undefined);
      await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined);
      if (!reads && socket.readyState === WebSocket.OPEN) socket.pause();
      return;
    }
    const socket = await this.dial();
    socket.write(`GET ${path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    if (!reads) socket.pause();
  }

  private async dial(): Promise<Socket> {
    const socket = connect(this.harness.port, '127.0.0.1');
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.resume();
    return socket;
  }
}

function chosen<T>(all: readonly T[], at: number): T | undefined {
  return all.length === 0 ? undefined : all[at % all.length];
}

function cut(socket: Socket | WebSocket): void {
  if (socket instanceof WebSocket) socket.terminate();
  else socket.destroy();
}
