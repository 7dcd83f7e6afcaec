import { RequestError, type ContentBlock, type McpServer } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import { BackendError } from '../../../session/common/sessionBackend';
import {
  turnResultOf,
  type AgentDescription,
  type AgentOption,
  type PermissionRequest as AgentPermissionRequest,
  type SessionSetupResult as AgentSessionSetup,
  type TurnResult,
} from '../../common/session/agentMessages';
import {
  findPromptEndReport,
  nextProgress,
  initialPromptProgress,
  type PromptProgressInput,
  type PromptProgress,
} from '../../common/v2/promptProgress';
import {
  ConfigChangeResult,
  PermissionRequest,
  PromptAccepted,
  SessionSetupResult,
  sessionUpdates,
  type InitializeResult,
  type StateUpdate,
} from '../../common/v2/v2Schema';
import {
  parseAnswer,
  type CancelledPart,
  type OptionChange,
  type ProtocolRequests,
  type SendRequest,
  type SessionParams,
} from '../connection/protocolRequests';

interface PendingPrompt {
  progress: PromptProgress;
  readonly end: (report: StateUpdate) => void;
  readonly fail: (error: Error) => void;
}

/** The messages of ACP v2. A turn ends with a report that the agent is idle, not with the answer to the prompt. */
export class V2Requests implements ProtocolRequests {
  readonly version = 2;
  readonly agent: AgentDescription;
  private readonly pendingPrompts = new Map<string, PendingPrompt>();

  constructor(
    initialized: z.infer<typeof InitializeResult>,
    private readonly send: SendRequest,
    private readonly agentTitle: string,
  ) {
    this.agent = toDescription(initialized);
  }

  newSession(params: SessionParams, signal?: AbortSignal, sourceId?: string): Promise<unknown> {
    if (sourceId === undefined) return this.send('session/new', this.toParams(params), signal, false);
    return this.send('session/fork', { sessionId: sourceId, ...this.toParams(params) }, signal, false);
  }

  parseSetup(answer: unknown, method: string): AgentSessionSetup {
    return parseAnswer(SessionSetupResult, answer, method);
  }

  async restoreSession(
    { sessionId, ...params }: SessionParams & { readonly sessionId: string },
    replays: boolean,
    signal?: AbortSignal,
  ): Promise<AgentSessionSetup> {
    const from = replays ? { replayFrom: { type: 'start' } } : {};
    const answer = await this.send('session/resume', { sessionId, ...this.toParams(params), ...from }, signal);
    return this.parseSetup(answer, 'session/resume');
  }

  async prompt(sessionId: string, prompt: ContentBlock[], onEnd: (result: TurnResult) => void): Promise<TurnResult> {
    if (this.pendingPrompts.has(sessionId)) throw new BackendError('busy', `${this.agentTitle} is still working.`);
    const ended = new Promise<TurnResult>((resolve, reject) => {
      const end = (report: StateUpdate): void => {
        if (report.stopReason === 'error') {
          reject(this.failureOf(report));
          return;
        }
        const result = turnResultOf(report);
        onEnd(result);
        resolve(result);
      };
      this.pendingPrompts.set(sessionId, { progress: initialPromptProgress, end, fail: reject });
    });
    const accepted = this.send('session/prompt', { sessionId, prompt }).then((answer) => {
      const { messageId } = parseAnswer(PromptAccepted, answer, 'session/prompt');
      this.advance(sessionId, { kind: 'accepted', messageId });
    });
    const refused = accepted.then(
      () => ended,
      (error: unknown) => {
        this.pendingPrompts.delete(sessionId);
        throw error;
      },
    );
    return await Promise.race([ended, refused]);
  }

  markCancelled(sessionId: string): void {
    this.advance(sessionId, { kind: 'cancelled' });
  }

  async cancelPart(sessionId: string, part: CancelledPart, signal: AbortSignal): Promise<void> {
    const method = 'toolCallId' in part ? 'tool_call/cancel' : 'terminal/cancel';
    await this.send(method, { sessionId, ...part }, signal);
  }

  async setOption(
    sessionId: string,
    { optionId: configId, value }: OptionChange,
    signal?: AbortSignal,
  ): Promise<readonly AgentOption[]> {
    const method = 'session/set_config_option';
    const type = typeof value === 'boolean' ? 'boolean' : 'id';
    return parseAnswer(
      ConfigChangeResult,
      await this.send(method, { sessionId, configId, type, value }, signal),
      method,
    );
  }

  async authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    await this.send('auth/login', { methodId }, signal);
  }

  async logout(signal?: AbortSignal): Promise<void> {
    await this.send('auth/logout', {}, signal);
  }

  parsePermissionRequest(params: unknown): AgentPermissionRequest {
    return PermissionRequest.parse(params);
  }

  trackPromptProgress(sessionId: string, update: { readonly sessionUpdate: string }): void {
    if (!this.pendingPrompts.has(sessionId)) return;
    switch (update.sessionUpdate) {
      case 'state_update': {
        const report = sessionUpdates.state_update.safeParse(update).data;
        if (report) this.advance(sessionId, { kind: 'state', update: report });
        return;
      }
      case 'user_message':
      case 'user_message_chunk': {
        const message = PromptAccepted.safeParse(update).data;
        if (message) this.advance(sessionId, { kind: 'reported', messageId: message.messageId });
      }
    }
  }

  abandon(sessionId: string | undefined, error: Error): void {
    for (const [id, { fail }] of [...this.pendingPrompts]) {
      if (sessionId !== undefined && id !== sessionId) continue;
      this.pendingPrompts.delete(id);
      fail(error);
    }
  }

  private advance(sessionId: string, input: PromptProgressInput): void {
    const pending = this.pendingPrompts.get(sessionId);
    if (!pending) return;
    pending.progress = nextProgress(pending.progress, input);
    const report = findPromptEndReport(pending.progress);
    if (!report) return;
    this.pendingPrompts.delete(sessionId);
    pending.end(report);
  }

  /** Treats an error in the report like an error response to the prompt, because it can mean that the user has to sign in. */
  private failureOf({ error }: StateUpdate): BackendError | RequestError {
    if (error) return new RequestError(error.code, error.message, error['data']);
    return new BackendError('backend', `${this.agentTitle}: The agent failed without giving a reason.`);
  }

  private toParams({ mcpServers, ...params }: SessionParams): object {
    const { mcp } = this.agent.abilities;
    const servers = mcpServers.map(toTypedServer).filter(({ type }) => mcp[type]);
    return { ...params, mcpServers: servers };
  }
}

function toTypedServer(server: McpServer): { readonly type: 'stdio' | 'http' | 'sse' } {
  return 'type' in server ? server : { type: 'stdio', ...server };
}

function toDescription({ authMethods, capabilities, info, _meta }: z.infer<typeof InitializeResult>): AgentDescription {
  const session = capabilities?.session;
  const hasSessions = session !== null && session !== undefined;
  return {
    agentInfo: info,
    authMethods: authMethods ?? [],
    abilities: {
      load: hasSessions,
      resume: hasSessions,
      list: hasSessions,
      close: hasSessions,
      delete: session?.delete === true,
      fork: session?.fork === true,
      additionalDirectories: session?.additionalDirectories === true,
      title: session?.title === true,
      systemPrompt: session?.systemPrompt === true,
      images: session?.prompt?.image === true,
      embeddedContext: session?.prompt?.embeddedContext === true,
      logout: (authMethods ?? []).length > 0,
      authStatus: capabilities?.auth?.status === true,
      providers: capabilities?.providers === true,
      steering: _meta?.steering !== undefined,
      mcp: { stdio: session?.mcp?.stdio === true, http: session?.mcp?.http === true, sse: false },
    },
  };
}
