import * as z from 'zod';

/**
 * ACP v1 messages from agents, as far as Backline reads them; names are the protocol's. Parsing is lenient: `null`
 * counts as missing, unknown members are kept, unknown enum values become harmless ones, and invalid list items are
 * skipped.
 */

const Text = z.string();
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
const optionalText = optional(Text).catch(undefined);

const list = <T extends z.ZodType>(item: T) =>
  z.array(z.unknown()).transform((items) =>
    items.flatMap((candidate): z.output<T>[] => {
      const parsed = item.safeParse(candidate);
      return parsed.success ? [parsed.data] : [];
    }),
  );

const Meta = z.record(z.string(), z.unknown()).nullish().catch(undefined);
type Meta = z.infer<typeof Meta>;

const Unknown = { type: 'unknown' } as const;

/** A content block; an unrecognized one becomes `unknown`. */
export const ContentBlock = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: Text }),
    z.looseObject({ type: z.literal('image'), data: Text, mimeType: Text }),
    z.looseObject({ type: z.literal('audio'), data: Text, mimeType: Text }),
    z.looseObject({ type: z.literal('resource_link'), uri: Text, name: optionalText, title: optionalText }),
    z.looseObject({
      type: z.literal('resource'),
      resource: z.looseObject({ uri: Text, mimeType: optionalText, text: optionalText, blob: optionalText }),
    }),
    z.looseObject({ type: z.literal('unknown') }),
  ])
  .catch(Unknown);
export type ContentBlock = z.infer<typeof ContentBlock>;

export const ToolCallContent = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('content'), content: ContentBlock }),
    z.looseObject({ type: z.literal('diff'), path: Text, oldText: Text.nullish(), newText: Text }),
    z.looseObject({ type: z.literal('terminal'), terminalId: Text }),
    z.looseObject({ type: z.literal('unknown') }),
  ])
  .catch(Unknown);
export type ToolCallContent = z.infer<typeof ToolCallContent>;

const Location = z.looseObject({ path: Text, line: optional(z.number().int().positive()).catch(undefined) });

const ToolKind = z
  .enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])
  .catch('other');

/** `tool_call` and `tool_call_update`: agents announce calls by either. Lists replace, missing members stay. */
export const ToolCallUpdate = z.looseObject({
  toolCallId: Text,
  title: optionalText,
  name: optionalText,
  kind: optional(ToolKind),
  status: optional(z.enum(['pending', 'in_progress', 'completed', 'failed'])).catch(undefined),
  content: optional(list(ToolCallContent)).catch(undefined),
  locations: optional(list(Location)).catch(undefined),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: Meta,
});
export type ToolCallUpdate = z.infer<typeof ToolCallUpdate>;

/** How Claude and Codex stream output of their own terminals. `data` is the output since the last message. */
const TerminalChunk = z.looseObject({ terminal_id: optionalText, data: Text }).optional().catch(undefined);
export const TerminalMeta = z.looseObject({
  terminal_info: z.looseObject({ terminal_id: optionalText }).optional().catch(undefined),
  terminal_output: TerminalChunk,
  terminal_output_delta: TerminalChunk,
  terminal_exit: z
    .looseObject({ terminal_id: optionalText, exit_code: z.number().nullish(), signal: Text.nullish() })
    .optional()
    .catch(undefined),
});

const SelectChoice = z.object({ value: Text, name: Text, description: optionalText });
const SelectGroup = z.object({ group: Text, name: Text, options: list(SelectChoice) });
const optionFields = { id: Text, name: Text, description: optionalText, category: optionalText };

/** Content of a tool call. Unknown types become `unknown`, because the protocol requires to ignore them. */
export const ConfigOption = z
  .discriminatedUnion('type', [
    z.looseObject({
      ...optionFields,
      type: z.literal('select'),
      currentValue: Text,
      options: list(z.union([SelectGroup, SelectChoice])),
    }),
    z.looseObject({ ...optionFields, type: z.literal('boolean'), currentValue: z.boolean() }),
    z.looseObject({ type: z.literal('unknown') }),
  ])
  .catch(Unknown);
export type ConfigOption = z.infer<typeof ConfigOption>;

export const Modes = z.looseObject({
  currentModeId: Text,
  availableModes: list(z.looseObject({ id: Text, name: Text, description: optionalText })),
});
export type Modes = z.infer<typeof Modes>;

/** The models of a session. Removed from the protocol, but still sent by Gemini, Qwen and Codex. */
export const Models = z.looseObject({
  currentModelId: Text,
  availableModels: list(z.looseObject({ modelId: Text, name: Text, description: optionalText })),
});
export type Models = z.infer<typeof Models>;

/** Results of `session/new`, `session/load` and `session/resume`; some agents return `null`. */
export const SessionSetup = z
  .looseObject({
    sessionId: optionalText,
    modes: optional(Modes).catch(undefined),
    models: optional(Models).catch(undefined),
    configOptions: optional(z.array(ConfigOption)).catch(undefined),
  })
  .nullish()
  .transform(
    (value) => value ?? { sessionId: undefined, modes: undefined, models: undefined, configOptions: undefined },
  );
export type SessionSetup = z.infer<typeof SessionSetup>;

const Chunk = z.looseObject({ content: ContentBlock, messageId: optionalText });
const PlanEntry = z.looseObject({
  content: Text,
  priority: z.enum(['high', 'medium', 'low']).catch('medium'),
  status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
});
const Command = z.looseObject({
  name: Text,
  description: Text.catch(''),
  input: optional(z.looseObject({ hint: optionalText })).catch(undefined),
});
const Cost = z.looseObject({ amount: z.number(), currency: Text });
/** A count of tokens. Fractions, which some agents send, are rounded. */
const Count = z.number().nonnegative().transform(Math.round);

/** The stable kinds of `session/update`, by their `sessionUpdate` member. */
export const sessionUpdates = {
  user_message_chunk: Chunk,
  agent_message_chunk: Chunk,
  agent_thought_chunk: Chunk,
  tool_call: ToolCallUpdate,
  tool_call_update: ToolCallUpdate,
  plan: z.looseObject({ entries: list(PlanEntry) }),
  available_commands_update: z.looseObject({ availableCommands: list(Command) }),
  current_mode_update: z.looseObject({ currentModeId: Text }),
  config_option_update: z.looseObject({ configOptions: z.array(ConfigOption) }),
  session_info_update: z.looseObject({ title: optionalText, updatedAt: optionalText }),
  usage_update: z.looseObject({ used: Count, size: Count, cost: optional(Cost).catch(undefined) }),
  notice: z.looseObject({ severity: Text.catch('info'), title: Text, description: optionalText }),
  compaction_update: z.looseObject({ compactionId: Text, status: Text, error: optionalText }),
  compaction_summary_chunk: z.looseObject({ compactionId: Text, content: ContentBlock }),
};
export type SessionUpdateKind = keyof typeof sessionUpdates;

export const SessionNotification = z.looseObject({
  sessionId: Text,
  update: z.looseObject({ sessionUpdate: Text }),
});
export type SessionNotification = z.infer<typeof SessionNotification>;

const PermissionOptionKind = z
  .enum(['allow_once', 'allow_always', 'reject_once', 'reject_always'])
  // An unknown kind counts as a rejection, because it must never allow anything.
  .catch('reject_once');

export const PermissionRequest = z.looseObject({
  sessionId: Text,
  toolCall: ToolCallUpdate,
  options: list(z.looseObject({ optionId: Text, name: Text, kind: PermissionOptionKind })).refine(
    ({ length }) => length > 0,
    { message: 'There is no option to choose.' },
  ),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

const Flag = z.boolean().nullish().catch(false);
/** Whether a capability is present, as `{}` or more. */
const Ability = z.unknown().transform((value) => value !== null && value !== undefined && value !== false);

const AuthMethod = z.looseObject({
  id: Text,
  name: Text,
  description: optionalText,
  /** `terminal`; anything else means that the agent signs in itself, through `authenticate`. */
  type: optionalText,
  args: z.array(Text).nullish().catch(undefined),
  env: z.record(z.string(), Text).nullish().catch(undefined),
  _meta: Meta,
});
export type V1AuthMethod = z.infer<typeof AuthMethod>;

const PromptCapabilities = z.looseObject({ image: Flag, audio: Flag, embeddedContext: Flag }).nullish();
const McpCapabilities = z.looseObject({ http: Flag, sse: Flag }).nullish();
const SessionCapabilities = z.looseObject({
  list: Ability.optional(),
  delete: Ability.optional(),
  resume: Ability.optional(),
  close: Ability.optional(),
  additionalDirectories: Ability.optional(),
});

export const InitializeResult = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: optional(z.looseObject({ name: Text, title: optionalText, version: optionalText })).catch(undefined),
  authMethods: list(AuthMethod).nullish().catch(undefined),
  agentCapabilities: z
    .looseObject({
      loadSession: Flag,
      promptCapabilities: PromptCapabilities.catch(undefined),
      mcpCapabilities: McpCapabilities.catch(undefined),
      sessionCapabilities: SessionCapabilities.nullish().catch(undefined),
      auth: z.looseObject({ logout: Ability.optional() }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
export type InitializeResult = z.infer<typeof InitializeResult>;
export type AgentCapabilities = NonNullable<InitializeResult['agentCapabilities']>;

export const SessionList = z.looseObject({
  sessions: list(z.looseObject({ sessionId: Text, cwd: optionalText, title: optionalText, updatedAt: optionalText })),
  nextCursor: optionalText,
});

const TurnUsage = z.looseObject({ inputTokens: Count, outputTokens: Count });
const QuotaMeta = z.looseObject({
  quota: z.looseObject({ token_count: z.looseObject({ input_tokens: Count, output_tokens: Count }) }),
});
export const PromptResult = z.looseObject({
  stopReason: z.enum(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']).catch('end_turn'),
  usage: optional(TurnUsage).catch(undefined),
  /** Gemini's token counts of the turn. */
  _meta: optional(QuotaMeta).catch(undefined),
});
export type PromptResult = z.infer<typeof PromptResult>;

/** The options after a change, if the agent returns them. */
export const ConfigChangeResult = z
  .looseObject({ configOptions: optional(z.array(ConfigOption)).catch(undefined) })
  .nullish()
  .transform((value) => value?.configOptions);
