import type { AgentContext, RequestPermissionRequest } from '@agentclientprotocol/sdk/experimental/v2';
import { onV2Prompt, v2Basics, V2Teller, type V2Script } from '../../../../fake/acp/scriptedV2Agent';
import type { Agent, Script } from './agent';

const choice = (value: string) => ({ value, name: value });
const mode = (currentValue: string) => ({
  type: 'select' as const,
  configId: 'mode',
  name: 'Mode',
  category: 'mode',
  currentValue,
  options: [choice('ask'), choice('plan')],
});
const text = (words: string) => ({ type: 'text' as const, text: words });

/** An agent of ACP v2 in memory, of the official SDK. */
export class V2Agent {
  play: Script = () => Promise.resolve();
  private readonly stops = new Map<string, () => void>();
  private messages = 0;
  private sessions = 0;
  private client: AgentContext | undefined;

  readonly script: V2Script = (app, process, nth) => {
    app.onRequest('session/resume', async ({ params: { sessionId, replayFrom }, client }) => {
      const tell = (update: Parameters<V2Teller['tell']>[0]) => client.notify('session/update', { sessionId, update });
      if (replayFrom) {
        await tell({ sessionUpdate: 'user_message', messageId: 'u0', content: [text('before')] });
        await tell({ sessionUpdate: 'agent_message', messageId: 'm-earlier', content: [text('Earlier.')] });
      }
      await tell({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
      return { configOptions: [mode('ask')] };
    });
    app.onRequest('session/set_config_option', ({ params }) => ({
      configOptions: [mode(params.type === 'id' && typeof params.value === 'string' ? params.value : 'ask')],
    }));
    app.onRequest('session/new', ({ client }) => {
      this.client = client;
      return { sessionId: `s${++this.sessions}`, configOptions: [mode('ask')] };
    });
    v2Basics(app, {}, { configOptions: [mode('ask')] });
    app.onNotification('session/cancel', ({ params: { sessionId } }) => this.stops.get(sessionId)?.());
    onV2Prompt(app, async (teller) => {
      const end = await this.work(teller, this.play, () => process.crash(`start ${nth} crashed`));
      if (!process.isGone) await end();
    });
  };

  /** Works on the prompt of another client. */
  async beginOther(sessionId: string, script: Script): Promise<void> {
    if (!this.client) throw new Error('There is no session yet');
    const teller = new V2Teller(this.client, sessionId);
    await teller.tell({ sessionUpdate: 'user_message', messageId: 'theirs', content: [text('theirs')] });
    await teller.state('running');
    void this.work(teller, script, () => undefined).then((end) => end());
  }

  /** Returns what tells the end. */
  private async work(teller: V2Teller, script: Script, crash: () => void): Promise<() => Promise<void>> {
    const stop = new AbortController();
    this.stops.set(teller.sessionId, () => stop.abort());
    const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    try {
      await script(this.agentOf(teller, stopped, crash));
    } catch (error) {
      const failure = { code: -32603, message: String(error) };
      return () => teller.tell({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'error', error: failure });
    }
    return () => teller.idle(stop.signal.aborted ? 'cancelled' : 'end_turn');
  }

  private agentOf(teller: V2Teller, stopped: Promise<void>, crash: () => void): Agent {
    const { client, sessionId } = teller;
    const ended = (toolCallId: string, status: 'completed' | 'failed') =>
      teller.tell({ sessionUpdate: 'tool_call_update', toolCallId, status });
    const begin = (toolCallId: string) =>
      teller.tell({ sessionUpdate: 'tool_call_update', toolCallId, title: `Do ${toolCallId}`, kind: 'execute' });
    return {
      say: (words) => teller.say(words, `m${this.messages}`),
      endBlock: () => {
        this.messages++;
        return Promise.resolve();
      },
      think: (words) =>
        teller.tell({ sessionUpdate: 'agent_thought_chunk', messageId: `t${this.messages}`, content: text(words) }),
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
        const subject = { type: 'tool_call' as const, toolCall: { toolCallId: call } };
        const asked: RequestPermissionRequest = { sessionId, title: `Do ${call}`, subject, options };
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
