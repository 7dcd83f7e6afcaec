import * as z from 'zod';

/**
 * The language of a conversation: Amplifier's canonical events, named and shaped as its API reference has them. What
 * ACP knows beyond that travels in optional fields and in further events of the same style; a plain Amplifier server
 * sends none of those, and everything works without them. Unknown fields are kept, unknown events are not an error.
 */

const Text = z.string();
const Count = z.number().int().nonnegative();
/** Every event is of one session. */
const ofSession = { session_id: Text };

export const TokenUsage = z.looseObject({ input_tokens: Count, output_tokens: Count });
export type TokenUsage = z.infer<typeof TokenUsage>;
/** What is beside the point of its event: one that cannot be read must not cost the answer. */
const SideUsage = TokenUsage.nullable().optional().catch(undefined);

/** Lines and characters are 0-based, characters in UTF-16 units, the end is exclusive. */
const Position = z.looseObject({ line: Count, character: Count });
const Range = z.looseObject({ start: Position, end: Position });

export const EventDiagnostic = z.looseObject({
  range: Range,
  severity: z.enum(['error', 'warning', 'info', 'hint']).catch('info'),
  message: Text,
  source: Text.optional(),
});
export type EventDiagnostic = z.infer<typeof EventDiagnostic>;

/** ACP's kinds of tools; `other` for one that is not known. */
export const ToolKind = z
  .enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])
  .catch('other');
export type ToolKind = z.infer<typeof ToolKind>;

/** A place a tool works at; `line` is 1-based. */
export const ToolLocation = z.looseObject({ path: Text, line: z.number().int().positive().optional() });
export type ToolLocation = z.infer<typeof ToolLocation>;

export const ToolContent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: Text }),
  /** `old_text` is null for a file that did not exist. */
  z.looseObject({ type: z.literal('diff'), path: Text, old_text: Text.nullable(), new_text: Text }),
  /** Output of a command, ANSI sequences included. `exit_code` once it has ended; `truncated` when its beginning was cut. */
  z.looseObject({
    type: z.literal('terminal'),
    terminal_id: Text,
    output: Text,
    truncated: z.boolean().optional(),
    exit_code: z.number().nullable().optional(),
    signal: Text.nullable().optional(),
  }),
  /** Base64 data. */
  z.looseObject({ type: z.literal('image'), mime_type: Text, data: Text }),
  z.looseObject({ type: z.literal('link'), uri: Text, title: Text.optional() }),
]);
export type ToolContent = z.infer<typeof ToolContent>;

/** What ACP knows about a tool call beyond Amplifier. `call_id` pairs the events of one call. */
const toolDetails = {
  call_id: Text.optional(),
  parent_call_id: Text.optional(),
  title: Text.optional(),
  kind: ToolKind.optional(),
  locations: z.array(ToolLocation).optional(),
  content: z.array(ToolContent).optional(),
};
const toolName = { tool_name: Text, operation: Text };
const ToolResult = z.looseObject({
  success: z.boolean(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
});

export const ApprovalOptionKind = z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']);
export type ApprovalOptionKind = z.infer<typeof ApprovalOptionKind>;

/** A text of digits is a number, too: taken for nothing it would be answered after its time. */
const Seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/u)
    .transform(Number),
]);
/** What goes with a request that waits. A tool runs when it is thrown away: a part that cannot be read only counts as absent. */
export const approvalDetails = {
  timeout: Seconds.optional().catch(undefined),
  context: z.record(z.string(), z.unknown()).optional().catch(undefined),
  option_kinds: z.array(ApprovalOptionKind).optional().catch(undefined),
  call_id: Text.optional().catch(undefined),
  wire_id: z.number().optional().catch(undefined),
};

const PlanEntry = z.looseObject({
  content: Text,
  priority: z.enum(['high', 'medium', 'low']).catch('medium'),
  status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
});
type PlanEntry = z.infer<typeof PlanEntry>;

/** What an agent does without asking the user: it edits files, or runs commands, too. */
const Unattended = z.enum(['edits', 'runs']);
export type Unattended = z.infer<typeof Unattended>;

const ConfigChoice = z.looseObject({
  value: Text,
  name: Text,
  description: Text.optional(),
  group: Text.optional(),
  unattended: Unattended.optional().catch(undefined),
});

/** A setting of the session that the user may change. `category` is `mode`, `model`, `thought_level` or any other. */
export const ConfigOption = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('select'),
    id: Text,
    name: Text,
    description: Text.optional(),
    category: Text.optional(),
    value: Text,
    choices: z.array(ConfigChoice),
    /** The value may also be one that is not among the choices. */
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
    /** While it is on. */
    unattended: Unattended.optional().catch(undefined),
  }),
]);
export type ConfigOption = z.infer<typeof ConfigOption>;

const SlashCommand = z.looseObject({ name: Text, description: Text, hint: Text.optional() });
export type SlashCommand = z.infer<typeof SlashCommand>;

const event = <Name extends string, Shape extends z.core.$ZodLooseShape>(name: Name, shape: Shape) =>
  z.looseObject({ event: z.literal(name), data: z.looseObject({ ...ofSession, ...shape }) });

export const SessionEvent = z.discriminatedUnion('event', [
  event('session:start', { profile: Text.optional(), timestamp: Text.optional() }),
  event('session:end', { reason: Text.optional(), token_usage: SideUsage }),
  /**
   * `title` and what else a backend says about the session as a whole. `agent_session_id` is the name by which the agent
   * knows the session from now on: it was started again and had to begin a new one, which remembers nothing.
   */
  event('session:info', { title: Text.optional(), updated_at: Text.optional(), agent_session_id: Text.optional() }),

  /** `replayed` marks a prompt of a session's history, told again by `session/load`. */
  event('prompt:submit', { prompt: Text, request_id: Text.optional(), replayed: z.boolean().optional() }),
  /** Ends a turn. `stop_reason` is ACP's; absent means `end_turn`. */
  event('prompt:complete', {
    response: Text,
    request_id: Text.optional(),
    token_usage: SideUsage,
    stop_reason: z
      .enum(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'interrupted'])
      .catch('end_turn')
      .optional(),
  }),
  /** Ends a turn, when one is open, by a failure. `code` is one of Amplifier's error codes or the peer's own. */
  event('error', { error: Text, code: Text.optional(), request_id: Text.optional(), details: z.unknown().optional() }),

  event('content_block:start', { block_type: Text, block_index: Count, message_id: Text.optional() }),
  event('content_block:delta', { block_index: Count, delta: Text }),
  event('content_block:end', { block_index: Count }),
  /** A block that is no text: what the agent shows the user. */
  event('content_block:media', { block_index: Count, content: ToolContent }),
  event('thinking:delta', { delta: Text }),
  event('thinking:final', { thinking: Text }),

  event('tool:pre', { ...toolName, input: z.record(z.string(), z.unknown()), ...toolDetails }),
  event('tool:update', {
    ...toolDetails,
    call_id: Text,
    status: z.enum(['pending', 'in_progress', 'completed', 'failed']).optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    /** How a call ended, told once more or after its turn: as `tool:post` and `tool:error` have it. */
    result: ToolResult.optional().catch(undefined),
    error: Text.optional().catch(undefined),
  }),
  event('tool:post', {
    ...toolName,
    result: ToolResult,
    duration_ms: z.number().nullable().optional(),
    /** The agent has no modes and has not asked in its session: it has done this without asking. */
    unattended: Unattended.optional().catch(undefined),
    ...toolDetails,
  }),
  /** `unfinished`: nobody has said how the call ended; its turn is over. */
  event('tool:error', { ...toolName, error: Text, unfinished: z.boolean().optional(), ...toolDetails }),

  /**
   * `options` are what the user may answer, byte for byte. `option_kinds` says, in the same order, what each of them
   * means. `timeout` is in seconds. `call_id` is the tool call that waits. `wire_id` is the id of a server whose ids are
   * numbers, to be sent back so.
   */
  event('approval:required', {
    approval_id: Text,
    prompt: Text,
    options: z.array(Text),
    default: z.enum(['allow', 'deny']).catch('deny').optional(),
    ...approvalDetails,
  }),
  event('approval:granted', { approval_id: Text, decision: Text }),
  event('approval:denied', { approval_id: Text, decision: Text, reason: Text.optional() }),

  event('plan:update', { entries: z.array(PlanEntry) }),
  event('config:update', { options: z.array(ConfigOption) }),
  event('commands:update', { commands: z.array(SlashCommand) }),
  /** Of the context window, in tokens. */
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
