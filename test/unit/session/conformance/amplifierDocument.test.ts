import * as z from 'zod';
import { DocumentDialectServer } from '../../../fake/amplifier/documentDialectServer';
import { connectTo } from '../../amplifier/node/clientHarness';
import type { Agent, Opened, OpenOptions, Script } from './support/agent';
import { conforms } from './support/conforms';

const cwd = '/ws';
const Answer = z.object({ decision: z.string() });
const tool = { tool_name: 'bash', operation: 'run' };

/** One turn on the server of the API reference. It tells a text again when the turn ends. */
class DocumentTurn implements Agent {
  private isOver = false;
  private stop = (): void => undefined;
  private decide: (decision: string) => void = () => undefined;
  private readonly stopped = new Promise<void>((resolve) => (this.stop = resolve));
  private blocks = 0;
  private isInBlock = false;
  private said = '';

  constructor(
    private readonly server: DocumentDialectServer,
    private readonly deadlineMs: number | undefined,
  ) {}

  async run(script: Script): Promise<void> {
    try {
      await script(this);
    } catch (error) {
      this.server.status = 'idle';
      this.server.emit('error', { error: String(error) });
      return;
    }
    await this.endBlock();
    this.isOver = true;
    this.server.pendingApproval = null;
    this.server.complete(this.said);
  }

  say(text: string): Promise<void> {
    if (!this.isInBlock) this.server.emit('content_block:start', { block_type: 'text', block_index: this.blocks });
    this.isInBlock = true;
    this.said += text;
    this.server.emit('content_block:delta', { block_index: this.blocks, delta: text });
    return Promise.resolve();
  }

  endBlock(): Promise<void> {
    if (this.isInBlock) this.server.emit('content_block:end', { block_index: this.blocks++ });
    this.isInBlock = false;
    return Promise.resolve();
  }

  async think(text: string): Promise<void> {
    await this.endBlock();
    this.server.emit('thinking:delta', { delta: text });
    this.server.emit('thinking:final', { thinking: text });
  }

  begin(call: string): Promise<void> {
    void this.endBlock();
    this.server.emit('tool:pre', { ...tool, operation: call, input: { command: call } });
    return Promise.resolve();
  }

  end(call: string): Promise<void> {
    this.server.emit('tool:post', { ...tool, operation: call, result: { success: true, output: '' }, duration_ms: 3 });
    return Promise.resolve();
  }

  async use(call: string): Promise<void> {
    await this.begin(call);
    await this.end(call);
  }

  async misuse(call: string): Promise<void> {
    await this.begin(call);
    this.server.emit('tool:error', { ...tool, operation: call, error: 'It did not work.' });
  }

  async ask(call: string): Promise<void> {
    const { server } = this;
    void this.begin(call);
    const request = { approval_id: `appr-${call}`, prompt: `Allow ${call}?`, options: ['Allow', 'Deny'] };
    server.status = 'awaiting_approval';
    server.pendingApproval = request;
    const timeout = this.deadlineMs === undefined ? 300 : 1 + this.deadlineMs / 1000;
    server.emit('approval:required', { ...request, timeout, default: 'deny', context: {} });
    const decision = await new Promise<string>((resolve) => (this.decide = resolve));
    if (this.isOver) return;
    server.status = 'processing';
    server.pendingApproval = null;
    const outcome = { approval_id: request.approval_id, decision };
    if (decision !== 'Deny') {
      server.emit('approval:granted', outcome);
      await this.end(call);
      return;
    }
    server.emit('approval:denied', { ...outcome, reason: 'The user said no.' });
    server.emit('tool:error', { ...tool, operation: call, error: 'It was denied.' });
  }

  untilStopped(): Promise<void> {
    return this.stopped;
  }

  async lose(): Promise<void> {
    await this.server.stop();
    this.server.isDeleted = true;
    await this.server.start();
    await new Promise(() => undefined);
  }

  /** What the client asks of the turn. */
  hear(path: string, body: string): void {
    if (path.endsWith('/cancel')) this.stop();
    if (path.endsWith('/approval')) this.decide(Answer.parse(JSON.parse(body)).decision);
  }
}

async function open(stream: 'sse' | 'webSocket', { deadlineMs }: OpenOptions): Promise<Opened> {
  let play: Script = () => Promise.resolve();
  let turn: DocumentTurn | undefined;
  const script = (it: DocumentDialectServer): void => {
    turn = new DocumentTurn(it, deadlineMs);
    void turn.run(play);
  };
  const server = new DocumentDialectServer({ script, stream, hasCancelRoute: true });
  server.intercept = () => {
    const { path, body } = server.requests.at(-1) ?? { path: '', body: '' };
    turn?.hear(path, body);
    return false;
  };
  await server.start();
  const { backend } = connectTo(server.url, { limits: { settleMs: 20_000 } });
  const other = connectTo(server.url, { limits: { settleMs: 20_000 } });
  return {
    backend,
    play: (next) => (play = next),
    beginOther: async ({ id }, next) => {
      play = next;
      const theirs = await other.backend.loadSession(id, { cwd });
      await theirs.sendPrompt({ text: 'theirs' });
    },
    takeUp: ({ id }) => other.backend.loadSession(id, { cwd }),
    close: async () => {
      backend.dispose();
      other.backend.dispose();
      await server.stop();
    },
  };
}

for (const stream of ['sse', 'webSocket'] as const) {
  conforms({
    title: `an Amplifier server of the API reference, over ${stream}`,
    cwd: () => cwd,
    cannot: {
      saysStopped: 'the API reference tells a turn that was stopped as one that is complete',
      settings: 'the API reference has no way to set anything',
      history: 'the server tells no history',
    },
    open: (options) => open(stream, options),
  });
}
