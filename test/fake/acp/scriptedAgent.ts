import { agent, type AgentApp, type AnyMessage, type Stream } from '@agentclientprotocol/sdk';
import { Emitter } from '../../../src/base/common/event';
import type { AgentExit } from '../../../src/acp/node/process/agentProcess';
import type { RunningAgent } from '../../../src/acp/node/connection/agentConnection';
import { duplexPair, type DuplexEnd } from './duplex';

/** What an agent does; `nth` counts its starts from 1. */
export type Script = (app: AgentApp, process: ScriptedAgent, nth: number) => void;

export const capabilities = {
  loadSession: true,
  promptCapabilities: { image: true, embeddedContext: true },
  sessionCapabilities: { list: {}, close: {}, delete: {}, resume: {} },
};

/** Starts agents of the official SDK's own agent side, joined in memory. */
export class ScriptedAgents {
  readonly started: ScriptedAgent[] = [];

  constructor(private readonly script: Script) {}

  readonly start = (): Promise<RunningAgent> => {
    const process = new ScriptedAgent();
    this.started.push(process);
    process.run(this.script, this.started.length);
    return Promise.resolve(process);
  };

  get last(): ScriptedAgent {
    const last = this.started.at(-1);
    if (!last) throw new Error('No agent has been started');
    return last;
  }
}

export class ScriptedAgent implements RunningAgent {
  readonly stream: DuplexEnd;
  /** The agent's end, to say what the SDK would not. */
  readonly end: DuplexEnd;
  private readonly exits = new Emitter<AgentExit>(() => undefined);
  private words = '';
  isGone = false;

  constructor() {
    [this.stream, this.end] = duplexPair();
  }

  get onDidExit() {
    return this.exits.event;
  }

  run(script: Script, nth: number): void {
    const app = agent({ name: 'scripted' });
    script(app, this, nth);
    app.connect(toSdkStream(this.end));
  }

  stderrTail(): string {
    return this.words;
  }

  stop(): Promise<void> {
    this.exit(0, '');
    return Promise.resolve();
  }

  killNow(): void {
    this.exit(null, '');
  }

  crash(stderrTail: string): void {
    this.exit(1, stderrTail);
  }

  private exit(code: number | null, stderrTail: string): void {
    if (this.isGone) return;
    this.isGone = true;
    this.words = stderrTail;
    this.end.dispose();
    const signal = code === null ? ('SIGKILL' as const) : null;
    queueMicrotask(() => this.exits.fire({ code, signal, stderrTail }));
  }
}

/** An agent that answers `initialize` and `session/new`; sessions are named s1, s2, … A handler set before this one wins. */
export function basics(app: AgentApp, initialize: object = {}, setup: object = {}): void {
  let sessions = 0;
  app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: capabilities, ...initialize }));
  app.onRequest('session/new', () => ({ sessionId: `s${++sessions}`, ...setup }));
  app.onRequest('session/close', () => ({}));
}

/** An update with a piece of the agent's answer. */
export const says = (sessionId: string, words: string) => ({
  sessionId,
  update: { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text: words } },
});

/** Answers every prompt with the words it got. */
export const echo: Script = (app) => {
  basics(app);
  app.onRequest('session/prompt', async ({ params, client }) => {
    const words = params.prompt.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join(' ');
    await client.notify('session/update', says(params.sessionId, words));
    return { stopReason: 'end_turn' };
  });
};

/** Works at every prompt until it is cancelled. */
export const waits: Script = (app) => {
  basics(app);
  const cancelled = new Map<string, () => void>();
  app.onNotification('session/cancel', ({ params }) => cancelled.get(params.sessionId)?.());
  app.onRequest('session/prompt', async ({ params, client }) => {
    const end = new Promise<void>((resolve) => cancelled.set(params.sessionId, resolve));
    await client.notify('session/update', says(params.sessionId, 'working'));
    await end;
    return { stopReason: 'cancelled' };
  });
};

/** Does what the first start is given to do; every later one is well. */
export const firstTime =
  (script: Script): Script =>
  (app, process, nth) => {
    if (nth === 1) {
      script(app, process, nth);
      return;
    }
    app.onRequest('session/resume', () => ({}));
    basics(app);
    app.onRequest('session/prompt', () => ({ stopReason: 'end_turn' }));
  };

export const never = (): Promise<never> => new Promise(() => undefined);

export function toSdkStream(end: DuplexEnd): Stream {
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      end.onMessage((message) => controller.enqueue(message as AnyMessage));
      end.onDidClose(() => controller.error(new Error('closed')));
    },
  });
  const writable = new WritableStream<AnyMessage>({ write: (message) => end.send(message) });
  return { readable, writable };
}
