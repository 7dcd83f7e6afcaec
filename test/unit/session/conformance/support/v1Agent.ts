import type { AgentContext, RequestPermissionRequest, SessionUpdate } from '@agentclientprotocol/sdk';
import { basics, says, type Script as SdkScript } from '../../../../fake/acp/scriptedAgent';
import type { Agent, Script } from './agent';

const mode = (id: string) => ({ id, name: id });
const setup = { modes: { currentModeId: 'ask', availableModes: [mode('ask'), mode('plan')] } };
const text = (words: string) => ({ type: 'text' as const, text: words });

/** An agent of ACP v1 in memory, of the official SDK. It counts what each turn uses. */
export class V1Agent {
  play: Script = () => Promise.resolve();
  private readonly stops = new Map<string, () => void>();
  private messages = 0;
  private sessions = 0;
  private client: AgentContext | undefined;

  readonly script: SdkScript = (app, process, nth) => {
    app.onRequest('session/new', ({ client }) => {
      this.client = client;
      return { sessionId: `s${++this.sessions}`, ...setup };
    });
    basics(app, {}, setup);
    app.onRequest('session/resume', () => setup);
    app.onRequest('session/load', async ({ params: { sessionId }, client }) => {
      const before = { sessionUpdate: 'user_message_chunk' as const, content: text('before') };
      await client.notify('session/update', { sessionId, update: before });
      await client.notify('session/update', says(sessionId, 'Earlier.'));
      return setup;
    });
    app.onRequest('session/set_mode', () => ({}));
    app.onNotification('session/cancel', ({ params: { sessionId } }) => this.stops.get(sessionId)?.());
    app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
      const { stop, stopped } = this.stopOf(sessionId);
      await this.play(this.agentOf(client, sessionId, stopped, () => process.crash(`start ${nth} crashed`)));
      const usage = { inputTokens: 100, outputTokens: 7, totalTokens: 107 };
      return { stopReason: stop.signal.aborted ? 'cancelled' : 'end_turn', usage };
    });
  };

  /** Goes on by itself, as agents do after they were steered. Nothing tells when it has ended. */
  beginOther(sessionId: string, script: Script): Promise<void> {
    if (!this.client) throw new Error('There is no session yet');
    void script(this.agentOf(this.client, sessionId, this.stopOf(sessionId).stopped, () => undefined));
    return Promise.resolve();
  }

  private stopOf(sessionId: string) {
    const stop = new AbortController();
    this.stops.set(sessionId, () => stop.abort());
    const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    return { stop, stopped };
  }

  private agentOf(client: AgentContext, sessionId: string, stopped: Promise<void>, crash: () => void): Agent {
    const update = (what: SessionUpdate) => client.notify('session/update', { sessionId, update: what });
    const ended = (toolCallId: string, status: 'completed' | 'failed') =>
      update({ sessionUpdate: 'tool_call_update', toolCallId, status });
    const begin = (toolCallId: string) =>
      update({ sessionUpdate: 'tool_call', toolCallId, title: `Do ${toolCallId}`, kind: 'execute' });
    return {
      say: (words) =>
        update({ sessionUpdate: 'agent_message_chunk', content: text(words), messageId: `m${this.messages}` }),
      endBlock: () => {
        this.messages++;
        return Promise.resolve();
      },
      think: (words) => update({ sessionUpdate: 'agent_thought_chunk', content: text(words) }),
      begin,
      end: (call) => ended(call, 'completed'),
      use: async (call) => {
        await begin(call);
        await ended(call, 'completed');
      },
      misuse: async (call) => {
        await begin(call);
        await ended(call, 'failed');
      },
      ask: async (call) => {
        void begin(call);
        const options = [
          { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
        ];
        const asked: RequestPermissionRequest = { sessionId, toolCall: { toolCallId: call }, options };
        const { outcome } = await client.request('session/request_permission', asked);
        const isAllowed = outcome.outcome === 'selected' && outcome.optionId === 'yes';
        await ended(call, isAllowed ? 'completed' : 'failed');
      },
      untilStopped: () => stopped,
      lose: () => {
        crash();
        return new Promise(() => undefined);
      },
    };
  }
}
