import {
  agent,
  ContentBlock,
  RequestError,
  type AgentApp,
  type AgentContext,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk/experimental/v2';
import { messageOf } from '../../../base/common/errors';
import { RpcError, rpcErrorCode } from '../../../wire/common/connectionErrors';
import { answerPrompt } from '../answer/answerPrompt';
import { demoCommands } from '../answer/intent';
import { toPrompt, type PromptBlock } from '../answer/prompt';
import { configOptionsOf, setConfigOption } from '../session/config';
import type { DemoAgentDeps } from '../session/demoAgentDeps';
import { EditorToolClient } from '../session/editorToolClient';
import { ForkSession, type DemoSession } from '../session/sessions';
import { notSteered, steered, SteerSession, steeringOffer } from '../session/steering';
import { replayUpdateOf } from './v2Replay';
import { V2Turn } from './v2Turn';
import { sendSessionUpdate } from './v2ToolCall';

/** The demo agent over ACP v2: one connection, any number of sessions. */
export class V2Agent {
  constructor(private readonly deps: DemoAgentDeps) {}

  /** Creates the app with all handlers; connect it once. */
  createApp(): AgentApp {
    const { name, version, sessions } = this.deps;
    return agent({ name })
      .onRequest('initialize', () => ({
        protocolVersion: 2,
        info: { name: 'backline-demo-agent', title: name, version },
        capabilities: {
          session: {
            prompt: { embeddedContext: {} },
            mcp: { http: {} },
            delete: {},
            fork: {},
            additionalDirectories: {},
          },
        },
        authMethods: [],
        _meta: steeringOffer,
      }))
      .onRequest('session/new', async ({ params }) => {
        const session = await sessions.create(params.cwd, params.additionalDirectories ?? []);
        session.editorTools = EditorToolClient.of(params.mcpServers ?? []);
        return { sessionId: session.id, ...setupOf(session) };
      })
      .onRequest('session/resume', async ({ params, client }) => {
        const { replayFrom } = params;
        if (replayFrom && replayFrom.type !== 'start') throw RequestError.invalidParams({ replayFrom });
        const session = await sessions.resume(params.sessionId, params);
        if (!session) throw RequestError.sessionNotFound(params.sessionId);
        if (replayFrom) {
          for (const [index, item] of session.history.entries())
            await sendSessionUpdate(client, session, replayUpdateOf(item, messageIdOf(session, index)));
        }
        const state = session.turn ? ({ state: 'running' } as const) : ({ state: 'idle', stopReason: null } as const);
        await client.notify('session/update', {
          sessionId: session.id,
          update: { sessionUpdate: 'state_update', ...state },
        });
        return setupOf(session);
      })
      .onRequest('session/list', async ({ params }) => {
        const page = await sessions.listPage(params.cwd, params.cursor);
        if (!page) throw RequestError.invalidParams({ cursor: params.cursor });
        return page;
      })
      .onRequest('session/close', ({ params }) => {
        sessions.close(params.sessionId);
        return {};
      })
      .onRequest('session/delete', async ({ params }) => {
        await sessions.delete(params.sessionId);
        return {};
      })
      .onRequest('session/set_config_option', ({ params }) => {
        const session = this.requireSession(params.sessionId);
        const { configId, value } = params;
        const isKnownType = typeof value === 'string' || typeof value === 'boolean';
        if (!isKnownType || !setConfigOption(session, configId, value))
          throw RequestError.invalidParams({ configId, value });
        return { configOptions: setupOf(session).configOptions };
      })
      .onRequest('session/prompt', async ({ params, client }) => {
        const session = this.requireSession(params.sessionId);
        if (session.turn) throw new RequestError(-32600, 'This session is still answering. Cancel that turn or wait.');
        // The id is the same as in a replay.
        const messageId = messageIdOf(session, session.history.length);
        // The turn starts immediately, so that a `session/cancel` that follows cancels it.
        const sent = sendSessionUpdate(client, session, {
          sessionUpdate: 'user_message',
          messageId,
          content: params.prompt,
        });
        const turn = this.runTurn(client, session, params.prompt);
        turn.catch((error: unknown) => this.deps.warn(`Could not reach the client: ${messageOf(error)}`));
        await sent;
        return { messageId };
      })
      .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.turn?.abort())
      .onRequest('_session/steering', SteerSession, async ({ params, client }) => {
        const session = this.requireSession(params.sessionId);
        const messageId = messageIdOf(session, session.history.length);
        if (!this.deps.turns.steer(session, params.prompt)) return notSteered;
        const content = [{ type: 'text' as const, text: toPrompt(params.prompt).text }];
        await sendSessionUpdate(client, session, { sessionUpdate: 'user_message', messageId, content });
        return steered;
      })
      .onRequest('session/fork', ForkSession, async ({ params }) => {
        const session = await sessions.fork(params.sessionId, params);
        if (!session) throw RequestError.sessionNotFound(params.sessionId);
        return { sessionId: session.id, ...setupOf(session) };
      });
  }

  /** Reports the turn's beginning and end. @throws the error of a closed connection */
  private async runTurn(client: AgentContext, session: DemoSession, prompt: readonly ContentBlock[]): Promise<void> {
    const { turns } = this.deps;
    const sendUpdate = (update: Parameters<typeof sendSessionUpdate>[2]) => sendSessionUpdate(client, session, update);
    const sessionUpdate = 'state_update' as const;
    const blocks = prompt.flatMap(toPromptBlock);
    try {
      const running = turns.run(session, blocks, new AbortController().signal, {
        answer: async (received, signal) => {
          await sendUpdate({ sessionUpdate, state: 'running' });
          await answerPrompt(new V2Turn({ client, session, prompt: received, signal }));
        },
        sendTitle: (title) => sendUpdate({ sessionUpdate: 'session_info_update', title }),
        sendUsage: (usage) => sendUpdate({ sessionUpdate: 'usage_update', ...usage }),
      });
      const stopReason = await running;
      if (stopReason === 'end_turn') await sendUpdate({ sessionUpdate, state: 'idle', stopReason });
      else await sendUpdate({ sessionUpdate, state: 'idle', stopReason });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : rpcErrorCode.internalError;
      const failure = { code, message: messageOf(error) };
      await sendUpdate({ sessionUpdate, state: 'idle', stopReason: 'error', error: failure });
    }
  }

  private requireSession(id: string): DemoSession {
    const session = this.deps.sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }
}

/** `index` is the position of the message in the history. */
function messageIdOf({ id }: DemoSession, index: number): string {
  return `${id}/${index}`;
}

function setupOf(session: DemoSession) {
  const configOptions = configOptionsOf(session, true).map(toV2Option);
  const availableCommands = demoCommands.map(({ name, description, hint }) => ({
    type: 'command' as const,
    name,
    description,
    ...(hint === undefined ? {} : { input: { type: 'text' as const, hint } }),
  }));
  return { configOptions, availableCommands };
}

function toV2Option(option: ReturnType<typeof configOptionsOf>[number]): SessionConfigOption {
  const { id: configId, name, category = null, description = null } = option;
  const shared = { configId, name, category, description };
  if (option.type === 'boolean') return { ...shared, type: 'boolean', currentValue: option.currentValue };
  const options = option.options.filter((choice) => 'value' in choice);
  return { ...shared, type: 'select', currentValue: option.currentValue, options };
}

/** Ignores blocks of other types, because the demo cannot answer them. */
function toPromptBlock(block: ContentBlock): PromptBlock[] {
  if (ContentBlock.isText(block)) return [{ type: 'text', text: block.text }];
  if (ContentBlock.isResourceLink(block)) return [{ type: 'resource_link', uri: block.uri }];
  return ContentBlock.isResource(block) ? [{ type: 'resource', resource: block.resource }] : [];
}
