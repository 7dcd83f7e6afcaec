import {
  agent,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
} from '@agentclientprotocol/sdk';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { RpcError } from '../../../wire/common/connectionErrors';
import { answerPrompt } from '../answer/answerPrompt';
import { configOptionsOf, modeStateOf, setConfigOption } from '../session/config';
import { demoCommands } from '../answer/intent';
import type { PromptBlock } from '../answer/prompt';
import { EditorTools } from '../session/editorTools';
import { replayUpdateOf } from './replay';
import type { DemoSession, DemoSessions } from '../session/sessions';
import type { DemoSignIn } from '../session/demoSignIn';
import type { DemoTurns } from '../session/demoTurns';
import { sendUpdate } from './toolCall';
import { V1Turn } from './v1Turn';

interface V1AgentDeps {
  readonly name: string;
  readonly version: string;
  readonly sessions: DemoSessions;
  readonly signIn: DemoSignIn;
  readonly turns: DemoTurns;
  readonly warn: (message: string) => void;
}

const sessionsPerPage = 50;

/** The demo agent over ACP v1: one connection, any number of sessions. */
export class V1Agent {
  private capabilities: ClientCapabilities = {};

  constructor(private readonly options: V1AgentDeps) {}

  /** Creates the app with all handlers. Connect it only once. */
  createApp(): AgentApp {
    const { name, version, sessions, signIn } = this.options;
    return agent({ name })
      .onRequest('initialize', ({ params }) => {
        this.capabilities = params.clientCapabilities ?? {};
        return {
          protocolVersion: 1,
          agentInfo: { name: 'backline-demo-agent', title: name, version },
          agentCapabilities: {
            loadSession: true,
            mcpCapabilities: { http: true },
            promptCapabilities: { embeddedContext: true },
            sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
            auth: { logout: {} },
          },
          authMethods: signIn.methods(this.capabilities.auth?.terminal === true),
        };
      })
      .onRequest('authenticate', async ({ params }) => {
        if (params.methodId !== 'demo-sign-in') throw RequestError.invalidParams({ methodId: params.methodId });
        await signIn.signIn();
        return {};
      })
      .onRequest('logout', async () => {
        await signIn.signOut();
        return {};
      })
      .onRequest('session/new', async ({ params, client }) => {
        await this.requireSignIn();
        const session = await sessions.create(params.cwd, params.additionalDirectories ?? []);
        session.editorTools = EditorTools.of(params.mcpServers);
        this.announceCommands(client, session);
        return { sessionId: session.id, ...this.modesAndOptionsOf(session) };
      })
      .onRequest('session/load', async ({ params, client }) => {
        const session = await this.loadSession(params);
        for (const item of session.history) {
          await sendUpdate(client, session, replayUpdateOf(item));
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
        const start = Number(params.cursor ?? 0);
        if (!Number.isSafeInteger(start) || start < 0) throw RequestError.invalidParams({ cursor: params.cursor });
        const all = (await sessions.list()).filter(({ cwd }) => cwd === (params.cwd ?? cwd));
        const page = all.slice(start, start + sessionsPerPage);
        return {
          sessions: page.map(({ id, cwd, additionalDirectories, title, updatedAt }) => ({
            sessionId: id,
            cwd,
            additionalDirectories,
            updatedAt,
            ...withoutUndefined({ title }),
          })),
          ...(start + page.length < all.length ? { nextCursor: String(start + page.length) } : {}),
        };
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
      .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.turn?.abort());
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
    const { capabilities } = this;
    try {
      return await this.options.turns.run(session, blocks, signal, {
        answer: (prompt, turnSignal) =>
          answerPrompt(new V1Turn({ client, session, capabilities, prompt, signal: turnSignal })),
        tellTitle: (title) => sendUpdate(client, session, { sessionUpdate: 'session_info_update', title }),
        tellUsage: (usage) => sendUpdate(client, session, { sessionUpdate: 'usage_update', ...usage }),
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
      sendUpdate(client, session, { sessionUpdate: 'available_commands_update', availableCommands }).catch(
        (error: unknown) => {
          this.options.warn(`Could not reach the client: ${messageOf(error)}`);
        },
      );
    });
  }

  private async announceConfig(client: AgentContext, session: DemoSession): Promise<void> {
    const { configOptions } = this.modesAndOptionsOf(session);
    await sendUpdate(client, session, { sessionUpdate: 'config_option_update', configOptions });
    await this.announceMode(client, session);
  }

  private async announceMode(client: AgentContext, session: DemoSession): Promise<void> {
    await sendUpdate(client, session, { sessionUpdate: 'current_mode_update', currentModeId: session.mode });
  }

  private modesAndOptionsOf(session: DemoSession) {
    const takesBooleans = this.capabilities.session?.configOptions?.boolean !== undefined;
    return { modes: modeStateOf(session), configOptions: configOptionsOf(session, takesBooleans) };
  }

  private async loadSession(params: {
    sessionId: string;
    cwd: string;
    additionalDirectories?: readonly string[];
    mcpServers?: readonly McpServer[];
  }): Promise<DemoSession> {
    await this.requireSignIn();
    const session = await this.options.sessions.load(params.sessionId);
    if (!session) throw RequestError.sessionNotFound(params.sessionId);
    session.cwd = params.cwd;
    session.editorTools = EditorTools.of(params.mcpServers ?? []);
    session.additionalDirectories = [...(params.additionalDirectories ?? [])];
    return session;
  }

  private requireSession(id: string): DemoSession {
    const session = this.options.sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }

  private async requireSignIn(): Promise<void> {
    if (!(await this.options.signIn.hasSignedInIfRequired())) throw RequestError.authRequired();
  }
}
