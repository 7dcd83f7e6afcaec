import type { SlashCommand, ToolKind, ToolLocation } from '../../../session/common/sessionEvents';
import type { TokenCounts } from './turnUsage';
import type { ContentBlock, ToolCallContent } from './wireSchema';

/** The messages of agents, in one form for all versions of the protocol. */

/** A change of a tool call. Missing members stay as they are, `null` clears them, and lists replace. */
export interface ToolCallPatch {
  readonly toolCallId: string;
  /** Id of the subagent's call, in which this call is shown. */
  readonly parentCallId?: string | undefined;
  readonly title?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly kind?: ToolKind | null | undefined;
  readonly status?: CallStatus | null | undefined;
  readonly content?: readonly ToolCallContent[] | null | undefined;
  readonly locations?: readonly (ToolLocation & { line?: number | undefined })[] | null | undefined;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly capabilities?: PartCapabilities | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What the agent can do with a call, a terminal or a subagent at the moment. */
export interface PartCapabilities {
  /** Whether it can stop it. */
  readonly cancel: boolean;
}

export type CallStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';

/** A subagent of a session, which has a session of its own. Missing members stay as they are. */
export interface SubagentAnnouncement {
  readonly sessionId: string;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly state?: SubagentState | null | undefined;
  readonly capabilities?: PartCapabilities | undefined;
}

export interface SubagentState {
  readonly state: string;
  readonly stopReason?: string | undefined;
  readonly error?: { readonly message: string } | null | undefined;
}

/**
 * A message from one session to another, for example a task for a subagent, as one of the two reports it. Missing members
 * stay as they are. Ids of messages belong to the session that reports them, and the other id names the same message in
 * the other session.
 */
export interface SessionMessagePatch {
  readonly messageId: string;
  readonly senderSessionId?: string | null | undefined;
  readonly recipientSessionId?: string | null | undefined;
  readonly senderMessageId?: string | null | undefined;
  readonly recipientMessageId?: string | null | undefined;
  readonly content?: readonly ContentBlock[] | null | undefined;
  /** Whether the content is the next piece of the message, and not all of it. */
  readonly isChunk?: true;
}

/** The part of a subagent's update that is shown. */
export type ShownSubagentUpdate =
  | { readonly kind: 'call'; readonly call: ToolCallPatch }
  | { readonly kind: 'callContent'; readonly toolCallId: string; readonly items: readonly ToolCallContent[] }
  /** `isWhole`: replaces the text of the message that was received before. */
  | {
      readonly kind: 'message' | 'thought';
      readonly messageId: string;
      readonly content: readonly ContentBlock[];
      readonly isWhole: boolean;
    }
  | { readonly kind: 'state'; readonly state: SubagentState }
  | { readonly kind: 'options'; readonly options: readonly AgentOption[] }
  | { readonly kind: 'usage'; readonly used: number }
  | { readonly kind: 'sessionMessage'; readonly message: SessionMessagePatch }
  | { readonly kind: 'announcement'; readonly announcement: SubagentAnnouncement }
  | { readonly kind: 'notice'; readonly notice: AgentNotice };

interface SelectChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | undefined;
}

interface OptionFields {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly category?: string | undefined;
}

export type AgentOption =
  | (OptionFields & {
      readonly type: 'select';
      readonly currentValue: string;
      readonly options: readonly (
        SelectChoice | { readonly name: string; readonly options: readonly SelectChoice[] }
      )[];
    })
  | (OptionFields & { readonly type: 'boolean'; readonly currentValue: boolean })
  | { readonly type: 'unknown' };

export interface AgentModes {
  readonly currentModeId: string;
  readonly availableModes: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string | undefined;
  }[];
}

export interface AgentModels {
  readonly currentModelId: string;
  readonly availableModels: readonly {
    readonly modelId: string;
    readonly name: string;
    readonly description?: string | undefined;
  }[];
}

/** The response that opens a session. */
export interface SessionSetupResult {
  /** Undefined for a session that was resumed, or if the agent sent none. */
  readonly sessionId?: string | undefined;
  readonly modes?: AgentModes | undefined;
  readonly models?: AgentModels | undefined;
  readonly configOptions?: readonly AgentOption[] | undefined;
  readonly commands?: readonly SlashCommand[] | undefined;
}

export type StopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled' | 'interrupted';

const agentStopReasons: ReadonlyMap<string, StopReason> = new Map(
  (['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const).map((reason) => [reason, reason]),
);
/** Maximum length of an unknown reason, in UTF-16 units. */
const maxReasonLength = 100;

/** How a turn ended. */
export interface TurnResult {
  readonly stopReason: StopReason;
  /** The agent's reason, if it is none of the known ones. The turn then counts as ended normally. */
  readonly unknownReason?: string | undefined;
  readonly counts?: TokenCounts;
}

interface ReportedEnd {
  readonly stopReason?: string | undefined;
  readonly usage?: TokenCounts | null | undefined;
}

/** Returns how a turn ended. An unknown or missing reason counts as a normal end. */
export function turnResultOf({ stopReason, usage }: ReportedEnd): TurnResult {
  const known = agentStopReasons.get(stopReason ?? '');
  const isUnknown = stopReason !== undefined && known === undefined;
  return {
    stopReason: known ?? 'end_turn',
    ...(isUnknown && { unknownReason: stopReason.slice(0, maxReasonLength) }),
    ...(usage && { counts: usage }),
  };
}

/** The action for which the agent requests permission. */
export type PermissionSubject =
  | { readonly kind: 'toolCall'; readonly toolCall: ToolCallPatch }
  | {
      readonly kind: 'command';
      readonly command: string;
      /** Absolute path. */
      readonly cwd: string;
      readonly toolCallId?: string | undefined;
      /** All other members, which may change what the command does. */
      readonly members: Readonly<Record<string, unknown>>;
    }
  /** No action, or one of an unknown type, with its members. */
  | { readonly kind: 'other'; readonly members: Readonly<Record<string, unknown>> };

export interface PermissionRequest {
  readonly sessionId: string;
  /** Title of the subagent that asks, in visible characters. Undefined if the session itself asks. */
  readonly subagent?: string | undefined;
  readonly subject: PermissionSubject;
  readonly options: readonly {
    readonly optionId: string;
    readonly name: string;
    readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
  }[];
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Names of members of the call that cannot be read, so that the user does not see them. */
  readonly unreadMembers: readonly string[];
}

export interface AgentAbilities {
  /** Whether the agent can replay the history of a session. */
  readonly load: boolean;
  readonly resume: boolean;
  readonly list: boolean;
  readonly close: boolean;
  readonly delete: boolean;
  /** Whether the agent can copy a session. */
  readonly fork: boolean;
  readonly additionalDirectories: boolean;
  /** Whether the user can choose the title of a session. */
  readonly title: boolean;
  /** Whether the agent adds instructions of the client to its own system prompt. */
  readonly systemPrompt: boolean;
  readonly images: boolean;
  readonly embeddedContext: boolean;
  /** Whether the agent can sign the user out. */
  readonly logout: boolean;
  /** Whether the agent can report whether the user is signed in. */
  readonly authStatus: boolean;
  /** Whether the user can choose where the agent sends its requests to models. */
  readonly providers: boolean;
  /** Whether the agent takes further prompts into a turn that runs. */
  readonly steering: boolean;
  readonly mcp: { readonly stdio: boolean; readonly http: boolean; readonly sse: boolean };
}

export interface AgentAuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** `terminal`; anything else means that the agent signs in itself. */
  readonly type?: string | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

/** An agent's description of itself in the handshake. */
export interface AgentDescription {
  readonly agentInfo?:
    { readonly name: string; readonly title?: string | undefined; readonly version?: string | undefined } | undefined;
  readonly authMethods: readonly AgentAuthMethod[];
  readonly abilities: AgentAbilities;
}

export interface AgentNotice {
  readonly severity: string;
  readonly title: string;
  readonly description: string | undefined;
}

/** How much of the model's context is used, in tokens. */
export interface ContextUsage {
  /** Whether the agent has just worked without a prompt, because a task in the background had finished. */
  readonly isAfterTask: boolean;
  readonly used: number;
  readonly size: number;
  readonly cost: { amount: number; currency: string } | undefined;
}
