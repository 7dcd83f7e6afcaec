import * as z from 'zod';
import type { TokenCounts } from '../session/turnUsage';
import {
  turnResultOf,
  type PermissionRequest as AgentPermissionRequest,
  type TurnResult,
} from '../session/agentMessages';
import {
  CallId,
  ContentBlock,
  InitializeMeta,
  RoundedTokenCount,
  TurnCounts,
  lenientList,
  Location,
  Meta,
  optional,
  optionalText,
  PermissionOptions,
  SelectChoice,
  sharedUpdates,
  RequiredText,
  requestedCall,
  ShownToolCallContent,
  ToolCallContent,
} from '../session/wireSchema';

/**
 * ACP v1 messages from agents, with the fields that Backline reads. The names are the protocol's. Parsing is lenient:
 * `null` counts as missing, unknown members are kept, unknown enum values become harmless ones, and invalid list items
 * are skipped.
 */

const Unknown = { type: 'unknown' } as const;

const ToolKind = z
  .enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])
  .catch('other');

/**
 * `tool_call` and `tool_call_update`, because agents announce calls by either. A list replaces the earlier list, and
 * missing members stay unchanged.
 */
export const ToolCallUpdate = z.looseObject({
  toolCallId: CallId,
  title: optionalText,
  name: optionalText,
  kind: optional(ToolKind),
  status: optional(z.enum(['pending', 'in_progress', 'completed', 'failed'])).catch(undefined),
  content: optional(lenientList(ToolCallContent)).catch(undefined),
  locations: optional(lenientList(Location)).catch(undefined),
  rawInput: optional(z.unknown()),
  rawOutput: optional(z.unknown()),
  _meta: Meta,
});
export type ToolCallUpdate = z.infer<typeof ToolCallUpdate>;

const SelectGroup = z.object({ group: RequiredText, name: RequiredText, options: lenientList(SelectChoice) });
const optionFields = { id: RequiredText, name: RequiredText, description: optionalText, category: optionalText };

const ConfigOption = z
  .discriminatedUnion('type', [
    z.looseObject({
      ...optionFields,
      type: z.literal('select'),
      currentValue: RequiredText,
      options: lenientList(z.union([SelectGroup, SelectChoice])),
    }),
    z.looseObject({ ...optionFields, type: z.literal('boolean'), currentValue: z.boolean() }),
    z.looseObject({ type: z.literal('unknown') }),
  ])
  .catch(Unknown);

const Modes = z.looseObject({
  currentModeId: RequiredText,
  availableModes: lenientList(z.looseObject({ id: RequiredText, name: RequiredText, description: optionalText })),
});

/** The models of a session. Removed from the protocol, but still sent by Gemini, Qwen and Codex. */
const Models = z.looseObject({
  currentModelId: RequiredText,
  availableModels: lenientList(z.looseObject({ modelId: RequiredText, name: RequiredText, description: optionalText })),
});

/** The results of `session/new`, `session/load` and `session/resume`. Some agents return `null`. */
export const SessionSetupResult = z
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

const Chunk = z.looseObject({ content: ContentBlock, messageId: optionalText });
const PlanEntry = z.looseObject({
  content: RequiredText,
  priority: z.enum(['high', 'medium', 'low']).catch('medium'),
  status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
});
const Command = z.looseObject({
  name: RequiredText,
  description: RequiredText.catch(''),
  input: optional(z.looseObject({ hint: optionalText })).catch(undefined),
});
/** The stable kinds of `session/update`, by their `sessionUpdate` member. */
export const sessionUpdates = {
  user_message_chunk: Chunk,
  agent_message_chunk: Chunk,
  agent_thought_chunk: Chunk,
  tool_call: ToolCallUpdate,
  tool_call_update: ToolCallUpdate,
  plan: z.looseObject({ entries: lenientList(PlanEntry) }),
  available_commands_update: z.looseObject({ availableCommands: lenientList(Command) }),
  current_mode_update: z.looseObject({ currentModeId: RequiredText }),
  config_option_update: z.looseObject({ configOptions: z.array(ConfigOption) }),
  ...sharedUpdates,
};
export type SessionUpdateKind = keyof typeof sessionUpdates;

export const PermissionRequest = z
  .looseObject({
    sessionId: RequiredText,
    toolCall: requestedCall(ToolCallUpdate, ShownToolCallContent),
    options: PermissionOptions,
  })
  .transform(({ sessionId, toolCall: { toolCall, unreadMembers }, options }): AgentPermissionRequest => ({
    sessionId,
    subject: { kind: 'toolCall', toolCall },
    options,
    unreadMembers,
  }));

const Flag = z.boolean().nullish().catch(false);
/** Whether a capability is present. The value is usually `{}`. */
const Ability = z.unknown().transform((value) => value !== null && value !== undefined && value !== false);

const AuthMethod = z.looseObject({
  id: RequiredText,
  name: RequiredText,
  description: optionalText,
  /** `terminal`: the user signs in through a terminal. Otherwise, the agent signs in through `authenticate`. */
  type: optionalText,
  args: z.array(RequiredText).nullish().catch(undefined),
  env: z.record(z.string(), RequiredText).nullish().catch(undefined),
  _meta: Meta,
});

const PromptCapabilities = z.looseObject({ image: Flag, audio: Flag, embeddedContext: Flag }).nullish();
const McpCapabilities = z.looseObject({ http: Flag, sse: Flag }).nullish();
const SessionCapabilities = z.looseObject({
  list: Ability.optional(),
  delete: Ability.optional(),
  resume: Ability.optional(),
  close: Ability.optional(),
  fork: Ability.optional(),
  additionalDirectories: Ability.optional(),
  title: Ability.optional(),
  systemPrompt: Ability.optional(),
});

export const InitializeResult = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: optional(z.looseObject({ name: RequiredText, title: optionalText, version: optionalText })).catch(
    undefined,
  ),
  authMethods: lenientList(AuthMethod).nullish().catch(undefined),
  _meta: InitializeMeta,
  agentCapabilities: z
    .looseObject({
      loadSession: Flag,
      promptCapabilities: PromptCapabilities.catch(undefined),
      mcpCapabilities: McpCapabilities.catch(undefined),
      sessionCapabilities: SessionCapabilities.nullish().catch(undefined),
      auth: z.looseObject({ logout: Ability.optional(), status: Ability.optional() }).nullish().catch(undefined),
      providers: Ability.optional(),
    })
    .nullish()
    .catch(undefined),
});

const QuotaMeta = z
  .looseObject({
    quota: z.looseObject({
      token_count: z.looseObject({ input_tokens: RoundedTokenCount, output_tokens: RoundedTokenCount }),
    }),
  })
  .transform(({ quota: { token_count } }): TokenCounts => ({
    input: token_count.input_tokens,
    output: token_count.output_tokens,
  }));
/** The form of Grok, with the names of the protocol or those of the model's API. */
const UsageMeta = z
  .looseObject({
    usage: z.union([
      TurnCounts,
      z
        .looseObject({
          input_tokens: RoundedTokenCount.optional(),
          prompt_tokens: RoundedTokenCount.optional(),
          output_tokens: RoundedTokenCount.optional(),
          completion_tokens: RoundedTokenCount.optional(),
        })
        .transform((usage, context): TokenCounts => {
          const input = usage.input_tokens ?? usage.prompt_tokens;
          const output = usage.output_tokens ?? usage.completion_tokens;
          if (input !== undefined && output !== undefined) return { input, output };
          context.addIssue('Without counts');
          return z.NEVER;
        }),
    ]),
  })
  .transform(({ usage }): TokenCounts => usage);

export const PromptResult = z.looseObject({
  stopReason: optionalText,
  usage: optional(TurnCounts).catch(undefined),
  /** The turn's token counts, as reported by Gemini and Grok. */
  _meta: optional(z.union([QuotaMeta, UsageMeta])).catch(undefined),
});

/** Reads the end of a turn from the result of `session/prompt`. */
export function toTurnResult({ stopReason, usage, _meta }: z.infer<typeof PromptResult>): TurnResult {
  return turnResultOf({ stopReason, usage: usage ?? _meta });
}

/** The options after a change, if the agent returns them. */
export const ConfigChangeResult = z
  .looseObject({ configOptions: optional(z.array(ConfigOption)).catch(undefined) })
  .nullish()
  .transform((value) => value?.configOptions);
