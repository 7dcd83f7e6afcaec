import { methods, type ContentBlock } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import type {
  AgentDescription,
  AgentOption,
  PermissionRequest as AgentPermissionRequest,
  SessionSetupResult as AgentSessionSetup,
  TurnResult,
} from '../../common/session/agentMessages';
import {
  ConfigChangeResult,
  PermissionRequest,
  PromptResult,
  SessionSetupResult,
  toTurnResult,
  type InitializeResult,
} from '../../common/v1/v1Schema';
import {
  parseAnswer,
  type OptionChange,
  type ProtocolRequests,
  type SendRequest,
  type SessionParams,
} from '../connection/protocolRequests';

const { agent: methodNames } = methods;

/** The messages of ACP v1. */
export class V1Requests implements ProtocolRequests {
  readonly version = 1;
  readonly agent: AgentDescription;

  constructor(
    initialized: z.infer<typeof InitializeResult>,
    private readonly send: SendRequest,
  ) {
    this.agent = toDescription(initialized);
  }

  newSession(params: SessionParams, signal?: AbortSignal, sourceId?: string): Promise<unknown> {
    if (sourceId === undefined) return this.send(methodNames.session.new, params, signal, false);
    return this.send('session/fork', { sessionId: sourceId, ...params }, signal, false);
  }

  parseSetup(answer: unknown, method: string): AgentSessionSetup {
    return parseAnswer(SessionSetupResult, answer, method);
  }

  async restoreSession(
    params: SessionParams & { readonly sessionId: string },
    replays: boolean,
    signal?: AbortSignal,
  ): Promise<AgentSessionSetup> {
    const method = replays ? methodNames.session.load : methodNames.session.resume;
    return this.parseSetup(await this.send(method, params, signal), method);
  }

  async prompt(sessionId: string, prompt: ContentBlock[]): Promise<TurnResult> {
    const method = methodNames.session.prompt;
    return toTurnResult(parseAnswer(PromptResult, await this.send(method, { sessionId, prompt }), method));
  }

  async setOption(
    sessionId: string,
    { route, optionId, value }: OptionChange,
    signal?: AbortSignal,
  ): Promise<readonly AgentOption[] | undefined> {
    if (route === 'set_config_option') {
      const change = typeof value === 'boolean' ? ({ type: 'boolean', value } as const) : { value };
      const method = methodNames.session.setConfigOption;
      const params = { sessionId, configId: optionId, ...change };
      return parseAnswer(ConfigChangeResult, await this.send(method, params, signal), method);
    }
    if (route === 'set_mode') await this.send(methodNames.session.setMode, { sessionId, modeId: value }, signal);
    // For agents that still offer `models`, which were removed from the protocol.
    else await this.send('session/set_model', { sessionId, modelId: value }, signal);
    return undefined;
  }

  async authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    await this.send(methodNames.authenticate, { methodId }, signal);
  }

  async logout(signal?: AbortSignal): Promise<void> {
    await this.send(methodNames.logout, {}, signal);
  }

  parsePermissionRequest(params: unknown): AgentPermissionRequest {
    return PermissionRequest.parse(params);
  }
}

function toDescription({
  agentCapabilities,
  agentInfo,
  authMethods,
  _meta,
}: z.infer<typeof InitializeResult>): AgentDescription {
  const { loadSession, mcpCapabilities, promptCapabilities, sessionCapabilities } = agentCapabilities ?? {};
  return {
    agentInfo,
    authMethods: authMethods ?? [],
    abilities: {
      load: loadSession === true,
      resume: sessionCapabilities?.resume === true,
      list: sessionCapabilities?.list === true,
      close: sessionCapabilities?.close === true,
      delete: sessionCapabilities?.delete === true,
      fork: sessionCapabilities?.fork === true,
      additionalDirectories: sessionCapabilities?.additionalDirectories === true,
      title: sessionCapabilities?.title === true,
      systemPrompt: sessionCapabilities?.systemPrompt === true,
      images: promptCapabilities?.image === true,
      embeddedContext: promptCapabilities?.embeddedContext === true,
      logout: agentCapabilities?.auth?.logout === true,
      authStatus: agentCapabilities?.auth?.status === true,
      providers: agentCapabilities?.providers === true,
      steering: _meta?.steering !== undefined,
      mcp: { stdio: true, http: mcpCapabilities?.http === true, sse: mcpCapabilities?.sse === true },
    },
  };
}
