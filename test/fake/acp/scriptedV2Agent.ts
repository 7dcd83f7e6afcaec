import {
  agent,
  type AgentApp,
  type AgentContext,
  type ContentBlock,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import type { RunningAgent } from '../../../src/acp/node/connection/agentConnection';
import { backendOf } from '../backendHarness';
import { ScriptedAgent, toSdkStream } from './scriptedAgent';

/** What an agent of ACP v2 does; `nth` counts its starts from 1. */
export type V2Script = (app: AgentApp, process: ScriptedAgent, nth: number) => void;

export const v2Capabilities = {
  session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {}, http: {} }, delete: {} },
};

/** Starts agents of the official SDK's own agent side of ACP v2, joined in memory. */
export class ScriptedV2Agents {
  readonly started: ScriptedAgent[] = [];

  constructor(private readonly script: V2Script) {}

  readonly start = (): Promise<RunningAgent> => {
    const process = new ScriptedAgent();
    this.started.push(process);
    const app = agent({ name: 'scripted' });
    this.script(app, process, this.started.length);
    app.connect(toSdkStream(process.end));
    return Promise.resolve(process);
  };

  get last(): ScriptedAgent {
    const last = this.started.at(-1);
    if (!last) throw new Error('No agent has been started');
    return last;
  }
}

/** An agent that answers `initialize` and `session/new`; sessions are named s1, s2, … A handler set before this one wins. */
export function v2Basics(app: AgentApp, initialize: object = {}, setup: object = {}): void {
  let sessions = 0;
  const info = { name: 'scripted', version: '1.0.0' };
  app.onRequest('initialize', () => ({ protocolVersion: 2, info, capabilities: v2Capabilities, ...initialize }));
  app.onRequest('session/new', () => ({ sessionId: `s${++sessions}`, ...setup }));
  app.onRequest('session/list', () => ({ sessions: [] }));
  app.onRequest('session/close', () => ({}));
}

/** Tells updates of one session. */
export class V2Teller {
  private messages = 0;

  constructor(
    readonly client: AgentContext,
    readonly sessionId: string,
  ) {}

  tell(update: SessionUpdate): Promise<void> {
    return this.client.notify('session/update', { sessionId: this.sessionId, update });
  }

  say(words: string, messageId = 'a1'): Promise<void> {
    return this.tell({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text: words } });
  }

  state(state: 'running' | 'requires_action'): Promise<void> {
    return this.tell(
      state === 'running' ? { sessionUpdate: 'state_update', state } : { sessionUpdate: 'state_update', state },
    );
  }

  /** Without a reason: `null`. */
  idle(stopReason: 'end_turn' | 'cancelled' | null): Promise<void> {
    const sessionUpdate = 'state_update' as const;
    if (stopReason === 'end_turn') return this.tell({ sessionUpdate, state: 'idle', stopReason });
    if (stopReason === 'cancelled') return this.tell({ sessionUpdate, state: 'idle', stopReason });
    return this.tell({ sessionUpdate, state: 'idle', stopReason });
  }

  /** Tells the user's prompt and returns its id. */
  async tellPrompt(content: ContentBlock[]): Promise<string> {
    const messageId = `${this.sessionId}-u${++this.messages}`;
    await this.tell({ sessionUpdate: 'user_message', messageId, content });
    return messageId;
  }
}

/** Works on each prompt after it was accepted, as the protocol wants it. */
export function onV2Prompt(app: AgentApp, work: (teller: V2Teller, prompt: ContentBlock[]) => Promise<void>): void {
  const tellers = new Map<string, V2Teller>();
  app.onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const teller = tellers.get(sessionId) ?? new V2Teller(client, sessionId);
    tellers.set(sessionId, teller);
    const messageId = await teller.tellPrompt(prompt);
    await teller.state('running');
    // The answer goes first: the work is not part of it.
    setImmediate(() => void work(teller, prompt));
    return { messageId };
  });
}

/** A backend over agents of ACP v2 in memory. */
export function v2BackendOf(script: V2Script, options: Parameters<typeof backendOf>[1] = {}) {
  const agents = new ScriptedV2Agents(script);
  return { ...backendOf(() => undefined, { startAgent: agents.start, protocol: '2', ...options }), agents };
}
