import {
  agent,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import { messageOf } from '../../../base/common/errors';
import { RpcError } from '../../../wire/common/connectionErrors';
import { answerPrompt } from '../answer/answerPrompt';
import { configOptionsOf, modeStateOf, setConfigOption } from '../session/config';
import { demoCommands } from '../answer/intent';
import type { PromptBlock } from '../answer/prompt';
import { EditorToolClient } from '../session/editorToolClient';
import { replayUpdateOf } from './replay';
import { ForkSession, type DemoSession } from '../session/sessions';
import { notSteered, steered, SteerSession, steeringOffer } from '../session/steering';
import type { DemoAgentDeps } from '../session/demoAgentDeps';
import { sendSessionUpdate } from './v1ToolCall';
import { V1Turn } from './v1Turn';

/** The demo agent over ACP v1: one connection, any number of sessions. */
export class V1Agent {
  private clientCapabilities: ClientCapabilities = {};

  constructor(private readonly deps: DemoAgentDeps) {}

  /** Creates the app with all handlers. Connect it only once. */
  createApp(): AgentApp {
    const { name, version, sessions } = this.deps;
    return agent({ name })
      .onRequest('initialize', ({ params }) => {
        this.clientCapabilities = params.clientCapabilities ?? {};
        return {
          protocolVersion: 1,
          agentInfo: { name: 'backline-demo-agent', title: name, version },
          agentCapabilities: {
            loadSession: true,
            mcpCapabilities: { http: true },
            promptCapabilities: { embeddedContext: true },
            sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
          },
          authMethods: [],
          _meta: steeringOffer,
        };
      })
      .onRequest('session/new', async ({ params, client }) => {
        const session = await sessions.create(params.cwd, params.additionalDirectories ?? []);
        session.editorTools = EditorToolClient.of(params.mcpServers);
        this.announceCommands(client, session);
        return { sessionId: session.id, ...this.modesAndOptionsOf(session) };
      })
      .onRequest('session/load', async ({ params, client }) => {
        const session = await this.loadSession(params);
        for (const item of session.history) {
          await sendSessionUpdate(client, session, replayUpdateOf(item));
        }
        this.announceCommands(client, session);
        return this.modesAndOptionsOf(session);
      })
      .onRequest('session/resume', async ({ params, client }) => {
        const session = await this.loadSession(params);
        this.announceCommands(client, session);
        return this.modesAndOptionsOf(session);
      })
      .onRequest('session/list', async ({ params }) => {
        const page = await sessions.listPage(params.cwd, params.cursor);
        if (!page) throw RequestError.invalidParams({ cursor: params.cursor });
        return page;
      })
      .onRequest('session/close', ({ params }) => {
        this.requireSession(params.sessionId);
        sessions.close(params.sessionId);
        return {};
      })
      .onRequest('session/delete', async ({ params }) => {
        await sessions.delete(params.sessionId);
        return {};
      })
      .onRequest('session/set_mode', async ({ params, client }) => {
        const session = this.requireSession(params.sessionId);
        if (!setConfigOption(session, 'mode', params.modeId))
          throw RequestError.invalidParams({ modeId: params.modeId });
        await this.announceConfig(client, session);
        return {};
      })
      .onRequest('session/set_config_option', async ({ params, client }) => {
        const session = this.requireSession(params.sessionId);
        const before = session.mode;
        if (!setConfigOption(session, params.configId, params.value)) {
          throw RequestError.invalidParams({ configId: params.configId, value: params.value });
        }
        if (session.mode !== before) await this.announceMode(client, session);
        return { configOptions: this.modesAndOptionsOf(session).configOptions };
      })
      .onRequest('session/prompt', async ({ params, client, signal }) => ({
        stopReason: await this.runTurn(client, this.requireSession(params.sessionId), params.prompt, signal),
      }))
      .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.turn?.abort())
      .onRequest('_session/steering', SteerSession, ({ params }) =>
        this.deps.turns.steer(this.requireSession(params.sessionId), params.prompt) ? steered : notSteered,
      )
      .onRequest('session/fork', ForkSession, async ({ params, client }) => {
        const session = await sessions.fork(params.sessionId, params);
        if (!session) throw RequestError.sessionNotFound(params.sessionId);
        this.announceCommands(client, session);
        return { sessionId: session.id, ...this.modesAndOptionsOf(session) };
      });
  }

  private async runTurn(
    client: AgentContext,
    session: DemoSession,
    blocks: readonly PromptBlock[],
    signal: AbortSignal,
  ): Promise<'end_turn' | 'cancelled'> {
    if (session.turn) {
      throw new RequestError(-32600, 'This session is still answering. Cancel that turn or wait for its end.');
    }
    const { clientCapabilities } = this;
    try {
      return await this.deps.turns.run(session, blocks, signal, {
        answer: (prompt, turnSignal) =>
          answerPrompt(new V1Turn({ client, session, clientCapabilities, prompt, signal: turnSignal })),
        sendTitle: (title) => sendSessionUpdate(client, session, { sessionUpdate: 'session_info_update', title }),
        sendUsage: (usage) => sendSessionUpdate(client, session, { sessionUpdate: 'usage_update', ...usage }),
      });
    } catch (error) {
      throw error instanceof RpcError ? new RequestError(error.code, error.message, error.data) : error;
    }
  }

  /** Must run after the response that contains the session's id, because the client does not know the id before. */
  private announceCommands(client: AgentContext, session: DemoSession): void {
    const availableCommands = demoCommands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    }));
    setImmediate(() => {
      sendSessionUpdate(client, session, { sessionUpdate: 'available_commands_update', availableCommands }).catch(
        (error: unknown) => {
          this.deps.warn(`Could not reach the client: ${messageOf(error)}`);
        },
      );
    });
  }

  private async announceConfig(client: AgentContext, session: DemoSession): Promise<void> {
    const { configOptions } = this.modesAndOptionsOf(session);
    await sendSessionUpdate(client, session, { sessionUpdate: 'config_option_update', configOptions });
    await this.announceMode(client, session);
  }

  private async announceMode(client: AgentContext, session: DemoSession): Promise<void> {
    await sendSessionUpdate(client, session, { sessionUpdate: 'current_mode_update', currentModeId: session.mode });
  }

  private modesAndOptionsOf(session: DemoSession) {
    const takesBooleans = this.clientCapabilities.session?.configOptions?.boolean !== undefined;
    return { modes: modeStateOf(session), configOptions: configOptionsOf(session, takesBooleans) };
  }

  private async loadSession(params: ResumeSessionRequest): Promise<DemoSession> {
    const session = await this.deps.sessions.resume(params.sessionId, params);
    if (!session) throw RequestError.sessionNotFound(params.sessionId);
    return session;
  }

  private requireSession(id: string): DemoSession {
    const session = this.deps.sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }
}
