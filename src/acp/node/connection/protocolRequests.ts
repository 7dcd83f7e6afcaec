import type { ContentBlock, McpServer } from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import { BackendError } from '../../../session/common/sessionBackend';
import type {
  AgentDescription,
  AgentOption,
  PermissionRequest,
  SessionSetupResult,
  TurnResult,
} from '../../common/session/agentMessages';
import type { SetOptionMethod } from '../../common/session/configOptions';

export type ProtocolVersion = 1 | 2;

export interface SessionParams {
  /** Absolute path. */
  readonly cwd: string;
  readonly additionalDirectories?: string[];
  readonly mcpServers: McpServer[];
  /** Only for agents with that ability. `append`: after the agent's own instructions, which it keeps. */
  readonly systemPrompt?: {
    readonly mode: 'append';
    readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  };
}

export interface OptionChange {
  readonly route: SetOptionMethod;
  readonly optionId: string;
  readonly value: string | boolean;
}

/** Ids are those of the agent. */
export type CancelledPart = { readonly toolCallId: string } | { readonly terminalId: string };

/** Sends a request. `stopWaiting`: aborting `signal` rejects at once, instead of waiting for the agent's answer. */
export type SendRequest = (
  method: string,
  params: object,
  signal?: AbortSignal,
  stopWaiting?: boolean,
) => Promise<unknown>;

/** The messages of one version of the protocol, over a connection whose handshake is done. */
export interface ProtocolRequests {
  readonly version: ProtocolVersion;
  readonly agent: AgentDescription;
  /** With `sourceId`, the session begins as a copy of another one. Resolves with the unparsed answer, for `parseSetup`. */
  newSession(params: SessionParams, signal?: AbortSignal, sourceId?: string): Promise<unknown>;
  parseSetup(answer: unknown, method: string): SessionSetupResult;
  /** `replays`: the agent sends the history before it answers. */
  restoreSession(
    params: SessionParams & { readonly sessionId: string },
    replays: boolean,
    signal?: AbortSignal,
  ): Promise<SessionSetupResult>;
  /** Resolves at the end of the turn. If a message reports the end, `onEnd` is called before the next message is read. */
  prompt(sessionId: string, prompt: ContentBlock[], onEnd: (result: TurnResult) => void): Promise<TurnResult>;
  /**
   * Call after `session/cancel` was sent. This method and the next ones are absent if the version does not need them.
   */
  markCancelled?(sessionId: string): void;
  /**
   * Asks the agent to stop a call or a terminal of a session, and nothing else. Resolves when it has accepted that, which it
   * does only while it says that it can.
   */
  cancelPart?(sessionId: string, part: CancelledPart, signal: AbortSignal): Promise<void>;
  /** Returns the agent's options after the change, if it sends them. */
  setOption(sessionId: string, change: OptionChange, signal?: AbortSignal): Promise<readonly AgentOption[] | undefined>;
  authenticate(methodId: string, signal?: AbortSignal): Promise<void>;
  logout(signal?: AbortSignal): Promise<void>;
  /** @throws z.ZodError */
  parsePermissionRequest(params: unknown): PermissionRequest;
  /** Called for each update of an agent, before its session gets it. */
  trackPromptProgress?(sessionId: string, update: { readonly sessionUpdate: string }): void;
  /** Rejects everything that waits for the session, or for any session if `sessionId` is undefined. */
  abandon?(sessionId: string | undefined, error: Error): void;
}

export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  method: string,
): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw invalidAnswerError(method, parsed.error.issues[0]?.message ?? 'unexpected format');
}

export function invalidAnswerError(method: string, why: string): BackendError {
  return new BackendError('protocol', `The agent sent an invalid response to ${method}: ${why}.`);
}
