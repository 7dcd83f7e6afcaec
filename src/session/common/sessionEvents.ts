import * as z from 'zod';

// The session language: Amplifier's canonical events, as in its API reference. Optional fields and additional events
// carry information that only ACP provides. Unknown fields are kept.
const Text = z.string();
const Count = z.number().int().nonnegative();
const sessionFields = { session_id: Text };

export const TokenUsage = z.looseObject({ input_tokens: Count, output_tokens: Count });
export type TokenUsage = z.infer<typeof TokenUsage>;
/** Optional token usage of an event. An invalid value is ignored, so that the event itself is not lost. */
const SideUsage = TokenUsage.nullable().optional().catch(undefined);

/** A position as in VS Code and LSP: 0-based line and UTF-16 character. The end of a range is exclusive. */
const Position = z.looseObject({ line: Count, character: Count });
const Range = z.looseObject({ start: Position, end: Position });

export const EventDiagnostic = z.looseObject({
  range: Range,
  severity: z.enum(['error', 'warning', 'info', 'hint']).catch('info'),
  message: Text,
  source: Text.optional(),
});
export type EventDiagnostic = z.infer<typeof EventDiagnostic>;

/** The tool kinds of ACP. An unknown kind becomes `other`. */
export const ToolKind = z
  .enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])
  .catch('other');
export type ToolKind = z.infer<typeof ToolKind>;

/** A file location that a tool works on; `line` is 1-based. */
export const ToolLocation = z.looseObject({ path: Text, line: z.number().int().positive().optional() });
export type ToolLocation = z.infer<typeof ToolLocation>;

/**
 * What a text of a subagent's call is, if it is not what the subagent says while it works: its task, later messages to it,
 * facts about it on one line, or its report.
 */
const TextRole = z.enum(['task', 'message', 'about', 'report']);
export type TextRole = z.infer<typeof TextRole>;

export const ToolContent = z.discriminatedUnion('type', [
  /** `truncated`: the beginning of the text was cut off. */
  z.looseObject({
    type: z.literal('text'),
    text: Text,
    truncated: z.boolean().optional(),
    role: TextRole.optional().catch(undefined),
  }),
  /** A diff. `old_text` is null for a new file. */
  z.looseObject({ type: z.literal('diff'), path: Text, old_text: Text.nullable(), new_text: Text }),
  /** Command output, including ANSI sequences. `truncated`: the beginning of the output was cut off. */
  z.looseObject({
    type: z.literal('terminal'),
    terminal_id: Text,
    output: Text,
    truncated: z.boolean().optional(),
    exit_code: z.number().nullable().optional(),
    signal: Text.nullable().optional(),
  }),
  /** An image as base64 data. */
  z.looseObject({ type: z.literal('image'), mime_type: Text, data: Text }),
  z.looseObject({ type: z.literal('link'), uri: Text, title: Text.optional() }),
]);
export type ToolContent = z.infer<typeof ToolContent>;

/** Additional fields that ACP provides for a tool call. `call_id` links the events of one call. */
const toolDetails = {
  call_id: Text.optional(),
  parent_call_id: Text.optional(),
  title: Text.optional(),
  kind: ToolKind.optional(),
  locations: z.array(ToolLocation).optional(),
  content: z.array(ToolContent).optional(),
  /** Whether the user can stop the call now, with `BackendSession.stopCall`. Missing: unchanged, at first false. */
  can_stop: z.boolean().optional().catch(undefined),
};
const toolName = { tool_name: Text, operation: Text };
const ToolResult = z.looseObject({
  success: z.boolean(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
});

export const ApprovalOptionKind = z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']);
export type ApprovalOptionKind = z.infer<typeof ApprovalOptionKind>;

/** Seconds as a number or as a numeric string. Ignoring a string would drop the time-out. */
const Seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/u)
    .transform(Number),
]);
/** Invalid fields are ignored, because dropping the event would let the tool run without approval. */
export const optionalApprovalFields = {
  timeout: Seconds.optional().catch(undefined),
  context: z.record(z.string(), z.unknown()).optional().catch(undefined),
  option_kinds: z.array(ApprovalOptionKind).optional().catch(undefined),
  call_id: Text.optional().catch(undefined),
  wire_id: z.number().optional().catch(undefined),
};

const PlanEntry = z.looseObject({
  content: Text,
  priority: z.enum(['high', 'medium', 'low']).catch('medium'),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).catch('pending'),
});
export const PlanEntries = z.array(PlanEntry);

/** What the agent does without approval: `edits` files, or also `runs` commands. */
const UnattendedAction = z.enum(['edits', 'runs']);
export type UnattendedAction = z.infer<typeof UnattendedAction>;

const ConfigChoice = z.looseObject({
  value: Text,
  name: Text,
  description: Text.optional(),
  group: Text.optional(),
  unattended: UnattendedAction.optional().catch(undefined),
});

/** A setting of the session. `category` is `mode`, `model`, `thought_level` or any other. */
export const ConfigOption = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('select'),
    id: Text,
    name: Text,
    description: Text.optional(),
    category: Text.optional(),
    value: Text,
    choices: z.array(ConfigChoice),
    /** Whether values other than the listed choices are allowed. */
    custom: z.boolean().optional(),
    /** Why the value cannot be used, and what to do. */
    problem: Text.optional(),
  }),
  z.looseObject({
    type: z.literal('boolean'),
    id: Text,
    name: Text,
    description: Text.optional(),
    category: Text.optional(),
    value: z.boolean(),
    /** What the agent does without approval while the option is on. */
    unattended: UnattendedAction.optional().catch(undefined),
  }),
]);
export type ConfigOption = z.infer<typeof ConfigOption>;

const SlashCommand = z.looseObject({ name: Text, description: Text, hint: Text.optional() });
export type SlashCommand = z.infer<typeof SlashCommand>;

const event = <Name extends string, Shape extends z.core.$ZodLooseShape>(name: Name, shape: Shape) =>
  z.looseObject({ event: z.literal(name), data: z.looseObject({ ...sessionFields, ...shape }) });

export const SessionEvent = z.discriminatedUnion('event', [
  event('session:start', { profile: Text.optional(), timestamp: Text.optional() }),
  event('session:end', { reason: Text.optional(), token_usage: SideUsage }),
  /** `agent_session_id`: the restarted agent uses a new session, without the earlier conversation. */
  event('session:info', { title: Text.optional(), updated_at: Text.optional(), agent_session_id: Text.optional() }),

  /** `replayed`: the prompt is part of the history that `session/load` replays. */
  event('prompt:submit', { prompt: Text, request_id: Text.optional(), replayed: z.boolean().optional() }),
  /** Ends a turn. `stop_reason` is a value of ACP and defaults to `end_turn`. */
  event('prompt:complete', {
    response: Text,
    request_id: Text.optional(),
    token_usage: SideUsage,
    stop_reason: z
      .enum(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'interrupted'])
      .catch('end_turn')
      .optional(),
    /** The agent's own word for why it ended the turn, if it is none of these. */
    unknown_stop_reason: Text.optional().catch(undefined),
  }),
  /** Ends the open turn, if any, with an error. `code` is an error code of Amplifier or of the peer. */
  event('error', { error: Text, code: Text.optional(), request_id: Text.optional(), details: z.unknown().optional() }),

  event('content_block:start', { block_type: Text, block_index: Count, message_id: Text.optional() }),
  event('content_block:delta', { block_index: Count, delta: Text }),
  event('content_block:end', { block_index: Count }),
  /** Adds content other than text to a block, such as an image. */
  event('content_block:media', { block_index: Count, content: ToolContent }),
  event('thinking:delta', { delta: Text }),
  event('thinking:final', { thinking: Text }),

  event('tool:pre', { ...toolName, input: z.record(z.string(), z.unknown()), ...toolDetails }),
  event('tool:update', {
    ...toolDetails,
    call_id: Text,
    status: z.enum(['pending', 'in_progress', 'completed', 'failed']).optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    /** A result (as in `tool:post`) that arrived after the end of the call. `error` is the same for `tool:error`. */
    result: ToolResult.optional().catch(undefined),
    error: Text.optional().catch(undefined),
  }),
  event('tool:post', {
    ...toolName,
    result: ToolResult,
    duration_ms: z.number().nullable().optional(),
    /** Set if the call ran without approval in an agent without modes that has never asked in this session. */
    unattended: UnattendedAction.optional().catch(undefined),
    ...toolDetails,
  }),
  /** `unfinished`: the turn ended before the call had a result. */
  event('tool:error', { ...toolName, error: Text, unfinished: z.boolean().optional(), ...toolDetails }),

  /**
   * `options` are the possible answers, which must be sent back unchanged; `option_kinds` are their meanings, in the
   * same order. `timeout` is in seconds. `call_id` is the waiting tool call. `wire_id` is the original id if it was a
   * number.
   */
  event('approval:required', {
    approval_id: Text,
    prompt: Text,
    options: z.array(Text),
    default: z.enum(['allow', 'deny']).catch('deny').optional(),
    ...optionalApprovalFields,
  }),
  event('approval:granted', { approval_id: Text, decision: Text }),
  event('approval:denied', { approval_id: Text, decision: Text, reason: Text.optional() }),

  /** The agent has read a prompt that was added to a turn, see `BackendSession.steer`. */
  event('prompt:read', { prompt_id: Text }),
  event('plan:update', { entries: PlanEntries }),
  event('config:update', { options: z.array(ConfigOption) }),
  event('commands:update', { commands: z.array(SlashCommand) }),
  /** Usage of the context window, in tokens. */
  event('usage:update', {
    used: Count,
    size: Count,
    cost: z.looseObject({ amount: z.number(), currency: Text }).nullable().optional(),
  }),
  event('notice', { level: z.enum(['info', 'warning', 'error']).catch('info'), message: Text }),

  event('diagnostic:add', { path: Text, diagnostics: z.array(EventDiagnostic) }),
  event('diagnostic:clear', { path: Text.optional() }),
  event('status:update', {
    status: Text,
    message: Text.optional(),
    progress: z.number().min(0).max(100).optional().catch(undefined),
  }),
]);
export type SessionEvent = z.infer<typeof SessionEvent>;
export type SessionEventName = SessionEvent['event'];
export type EventOf<Name extends SessionEventName> = Extract<SessionEvent, { event: Name }>;
export type EventData<Name extends SessionEventName> = EventOf<Name>['data'];
