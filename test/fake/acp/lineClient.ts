import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { until } from '../../support/eventually';

const Message = z.looseObject({
  jsonrpc: z.literal('2.0').optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number().int(), message: z.string() }).optional(),
});
export type LineMessage = z.infer<typeof Message>;

/** An agent's process, line by line, without any library between. The caller stops it. */
export class LineClient {
  /** All lines that the agent wrote. */
  readonly lines: string[] = [];
  /** Their messages, in order; an array is its elements. */
  readonly messages: LineMessage[] = [];
  private readonly child: ChildProcess;
  private count = 0;
  /** Answers requests of the agent; without it, they stay open. */
  onRequest: ((request: LineMessage) => unknown) | undefined;

  constructor(args: readonly string[], cwd: string) {
    this.child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    const { stdout } = this.child;
    if (!stdout) throw new Error('The agent has no output.');
    createInterface({ input: stdout }).on('line', (line) => this.receive(line));
  }

  sendLine(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  send(message: object): void {
    this.sendLine(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  notify(method: string, params: object): void {
    this.send({ method, params });
  }

  /** Sends a request without waiting. Returns its id. */
  ask(method: string, params: object, id: string | number = ++this.count): string | number {
    this.send({ id, method, params });
    return id;
  }

  async request(method: string, params: object, id?: string | number): Promise<LineMessage> {
    return await this.answerTo(this.ask(method, params, id));
  }

  async answerTo(id: string | number | null): Promise<LineMessage> {
    const find = (): LineMessage | undefined =>
      this.messages.find((message) => message.id === id && message.method === undefined);
    await until(`the answer to ${String(id)}`, () => find() !== undefined);
    const found = find();
    if (!found) throw new Error('no answer');
    return found;
  }

  /** The updates of a session, of one kind if that is given. */
  updates(sessionId: string, kind?: string): z.infer<typeof Update>[] {
    return this.messages.flatMap(({ method, params }) => {
      const update = method === 'session/update' ? Notification.safeParse(params).data : undefined;
      const isWanted = update?.sessionId === sessionId && (kind === undefined || update.update.sessionUpdate === kind);
      return update && isWanted ? [update.update] : [];
    });
  }

  /** Closes the agent's input, and resolves with how long it took to end by itself, in milliseconds. */
  async end(): Promise<number> {
    const start = performance.now();
    const exited = this.child.exitCode === null ? once(this.child, 'exit') : Promise.resolve();
    this.child.stdin?.end();
    await exited;
    return performance.now() - start;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private receive(line: string): void {
    this.lines.push(line);
    const value: unknown = JSON.parse(line);
    for (const item of Array.isArray(value) ? value : [value]) {
      const message = Message.parse(item);
      this.messages.push(message);
      if (message.method !== undefined && message.id !== undefined && this.onRequest)
        this.send({ id: message.id, result: this.onRequest(message) });
    }
  }
}

const Update = z.looseObject({ sessionUpdate: z.string(), messageId: z.string().optional() });
const Notification = z.looseObject({ sessionId: z.string(), update: Update });
