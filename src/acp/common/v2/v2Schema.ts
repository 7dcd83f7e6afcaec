import * as z from 'zod';
import type { SlashCommand } from '../../../session/common/sessionEvents';
import { ToolKind as KnownToolKind } from '../../../session/common/sessionEvents';
import type {
  AgentAuthMethod,
  AgentOption,
  CallStatus,
  PermissionRequest as AgentPermissionRequest,
  PermissionSubject,
} from '../session/agentMessages';
import {
  CallId,
  Capabilities,
  contentBlocks,
  InitializeMeta,
  TurnCounts,
  lenientList,
  Location,
  Meta,
  optional,
  optionalText,
  clearable,
  PermissionOptions,
  requestedCall,
  SelectChoice,
  sharedUpdates,
  RequiredText,
  type ContentBlock as SharedContentBlock,
  type ToolCallContent,
} from '../session/wireSchema';
import { placeholderTextOf } from './unknownParts';
import { contentOfDiff, DiffFileChange, Patch } from './v2Diffs';

/**
 * ACP v2 messages from agents, with the fields that Backline reads. The names are the protocol's. Known members are
 * read strictly: an invalid one counts as missing. Unions are open: a value of an unknown type is kept as a text that
 * names its type.
 */

const Typed = z.looseObject({ type: RequiredText });

const KnownContentBlock = z.discriminatedUnion('type', [...contentBlocks]);
const knownBlockTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

/** A content block. One of an unknown type becomes a text, and an invalid one of a known type is refused. */
const ContentBlock = z.union([
  KnownContentBlock,
  Typed.refine(({ type }) => !knownBlockTypes.has(type)).transform((block) => ({
    type: 'text' as const,
    text: placeholderTextOf('Content', block.type, block),
  })),
]);

const Diff = z.looseObject({
  type: z.literal('diff'),
  changes: lenientList(DiffFileChange),
  patch: Patch.nullish().catch(undefined),
});
const KnownToolContent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('content'), content: ContentBlock }),
  Diff,
  z.looseObject({ type: z.literal('terminal'), terminalId: RequiredText }),
]);
const knownContentTypes: ReadonlySet<string> = new Set(['content', 'diff', 'terminal']);

const ToolContentItem = z.union([
  KnownToolContent.transform((item): readonly ToolCallContent[] =>
    item.type === 'diff' ? contentOfDiff(item) : [item],
  ),
  Typed.refine(({ type }) => !knownContentTypes.has(type)).transform((item): readonly ToolCallContent[] => [
    { type: 'content', content: textBlock(placeholderTextOf('Content', item.type, item)) },
  ]),
]);

const WholeDiff = z.looseObject({ changes: z.array(DiffFileChange), patch: Patch.nullish() });
/** Like `ToolContentItem`, but only if all of it can be shown. */
const ShownToolContentItem = Typed.refine(
  (item) => (item.type === 'diff' ? WholeDiff : ToolContentItem).safeParse(item).success,
);

const textBlock = (text: string): SharedContentBlock => ({ type: 'text', text });

const callStatuses: ReadonlyMap<string, CallStatus> = new Map([
  ['pending', 'pending'],
  ['paused', 'pending'],
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
]);
/** A call with an unknown status counts as not ended. */
const Status = RequiredText.transform((status): CallStatus => callStatuses.get(status) ?? 'in_progress');
const Kind = RequiredText.transform((kind) => KnownToolKind.parse(kind));

const ToolCallUpdate = z.looseObject({
  toolCallId: CallId,
  title: clearable(RequiredText),
  name: clearable(RequiredText),
  kind: clearable(Kind),
  status: clearable(Status),
  content: clearable(lenientList(ToolContentItem).transform((items) => items.flat())),
  locations: clearable(lenientList(Location)),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  capabilities: Capabilities,
  _meta: Meta,
});

const Chunk = z.looseObject({ messageId: RequiredText, content: ContentBlock });
const Message = z.looseObject({ messageId: RequiredText, content: clearable(lenientList(ContentBlock)) });

const PlanEntry = z.looseObject({
  content: RequiredText,
  priority: z.enum(['high', 'medium', 'low']).catch('medium'),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).catch('pending'),
});
/** A plan that is not a list of entries becomes one entry that shows it. */
const Plan = z.union([
  z.looseObject({ type: z.literal('items'), planId: RequiredText, entries: lenientList(PlanEntry) }),
  z
    .looseObject({ type: z.literal('markdown'), planId: RequiredText, content: RequiredText })
    .transform(({ planId, content }) => ({ planId, entries: entriesOfMarkdown(content) })),
  z
    .looseObject({ type: z.literal('file'), planId: RequiredText, uri: RequiredText })
    .transform(({ planId, uri }) => ({ planId, entries: [planEntry(`The plan is in ${uri}`)] })),
  Typed.extend({ planId: RequiredText })
    .refine(({ type }) => !knownPlanTypes.has(type))
    .transform((plan) => ({ planId: plan.planId, entries: [planEntry(placeholderTextOf('Plan', plan.type, plan))] })),
]);
const knownPlanTypes: ReadonlySet<string> = new Set(['items', 'markdown', 'file']);

/** Reads each line as an entry. A checked entry is completed. */
function entriesOfMarkdown(text: string): z.infer<typeof PlanEntry>[] {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    // Each part begins with a different character than the previous one, so that long lines cause no backtracking.
    const [, mark, words] = /^(?:(?:[-*+]|\d+[.)])\s+)?(?:\[([ xX])\]\s+)?(.*)$/s.exec(line) ?? [];
    return planEntry(words ?? line, mark === undefined || mark === ' ' ? 'pending' : 'completed');
  });
}

function planEntry(content: string, status: 'pending' | 'completed' = 'pending'): z.infer<typeof PlanEntry> {
  return { content, priority: 'medium', status };
}

const Command = Typed.extend({
  name: RequiredText,
  description: RequiredText,
  input: optional(z.looseObject({ hint: optionalText })).catch(undefined),
}).transform(({ name, description, input }): SlashCommand =>
  input?.hint === undefined ? { name, description } : { name, description, hint: input.hint },
);

const optionFields = { configId: RequiredText, name: RequiredText, description: optionalText, category: optionalText };
const SelectGroup = z.object({ groupId: RequiredText, name: RequiredText, options: lenientList(SelectChoice) });
/** An option of an unknown type cannot be set, so it is not shown. */
const ConfigOption = z
  .discriminatedUnion('type', [
    z.looseObject({
      ...optionFields,
      type: z.literal('select'),
      currentValue: RequiredText,
      options: lenientList(z.union([SelectGroup, SelectChoice])),
    }),
    z.looseObject({ ...optionFields, type: z.literal('boolean'), currentValue: z.boolean() }),
  ])
  .transform(({ configId: id, ...option }): AgentOption => ({ ...option, id }));

const Base64 = z.base64();
const ExitStatus = z.looseObject({
  exitCode: z.number().int().nullish().catch(undefined),
  signal: RequiredText.nullish().catch(undefined),
});

export const StateUpdate = z.looseObject({
  state: RequiredText,
  stopReason: optionalText,
  /** Token usage of the work that has ended, not of the session. */
  usage: TurnCounts.nullish().catch(undefined),
  error: z.looseObject({ code: z.number(), message: RequiredText }).nullish().catch(undefined),
});
export type StateUpdate = z.infer<typeof StateUpdate>;

/** The kinds of `session/update`, by their `sessionUpdate` member. */
export const sessionUpdates = {
  user_message: Message,
  user_message_chunk: Chunk,
  agent_message: Message,
  agent_message_chunk: Chunk,
  agent_thought: Message,
  agent_thought_chunk: Chunk,
  state_update: StateUpdate,
  tool_call_update: ToolCallUpdate,
  tool_call_content_chunk: z.looseObject({ toolCallId: CallId, content: ToolContentItem }),
  terminal_update: z.looseObject({
    terminalId: RequiredText,
    command: clearable(RequiredText),
    cwd: clearable(RequiredText),
    output: clearable(z.looseObject({ data: Base64 })),
    exitStatus: clearable(ExitStatus),
    capabilities: Capabilities,
  }),
  terminal_output_chunk: z.looseObject({ terminalId: RequiredText, data: Base64 }),
  plan_update: z.looseObject({ plan: Plan }),
  plan_removed: z.looseObject({ planId: RequiredText }),
  available_commands_update: z.looseObject({ availableCommands: lenientList(Command) }),
  config_option_update: z.looseObject({ configOptions: lenientList(ConfigOption) }),
  ...sharedUpdates,
};
export type SessionUpdateKind = keyof typeof sessionUpdates;

/** Answers of `session/new` and `session/resume`. */
export const SessionSetupResult = z
  .looseObject({
    sessionId: optionalText,
    configOptions: optional(lenientList(ConfigOption)).catch(undefined),
    availableCommands: optional(lenientList(Command)).catch(undefined),
  })
  .transform(({ sessionId, configOptions, availableCommands: commands }) => ({ sessionId, configOptions, commands }));

/** A subject of a known type that is invalid, or of an unknown type, is shown with its members. */
const Subject = z.union([
  z
    .looseObject({ type: z.literal('tool_call'), toolCall: requestedCall(ToolCallUpdate, ShownToolContentItem) })
    .transform(({ toolCall: { toolCall, unreadMembers } }): RequestedSubject => ({
      subject: { kind: 'toolCall', toolCall },
      unreadMembers,
    })),
  z
    .looseObject({
      type: z.literal('command'),
      command: RequiredText,
      cwd: RequiredText,
      toolCallId: optional(CallId).catch(undefined),
    })
    .transform(({ command, cwd, toolCallId, ...rest }): RequestedSubject => ({
      subject: { kind: 'command', command, cwd, toolCallId, members: withoutMembers(rest, ['type', '_meta']) },
      unreadMembers: [],
    })),
  z.record(z.string(), z.unknown()).transform(otherSubject),
]);

interface RequestedSubject {
  readonly subject: PermissionSubject;
  readonly unreadMembers: readonly string[];
}

function withoutMembers(record: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function otherSubject(members: Readonly<Record<string, unknown>>): RequestedSubject {
  return { subject: { kind: 'other', members }, unreadMembers: [] };
}

export const PermissionRequest = z
  .looseObject({
    sessionId: RequiredText,
    title: RequiredText,
    description: optionalText,
    subject: Subject.nullish(),
    options: PermissionOptions,
  })
  .transform(({ sessionId, title, description, subject, options }): AgentPermissionRequest => ({
    sessionId,
    ...(subject ?? otherSubject({})),
    options,
    title,
    description,
  }));

const Present = z.unknown().transform((value) => typeof value === 'object' && value !== null);
const ability = Present.optional();
const SessionCapabilities = z.looseObject({
  prompt: z.looseObject({ image: ability, embeddedContext: ability }).nullish().catch(undefined),
  mcp: z.looseObject({ stdio: ability, http: ability }).nullish().catch(undefined),
  delete: ability,
  fork: ability,
  additionalDirectories: ability,
  title: ability,
  systemPrompt: ability,
});

const AuthMethod = z
  .looseObject({
    type: z.enum(['agent', 'terminal']),
    methodId: RequiredText,
    name: RequiredText,
    description: optionalText,
    args: z.array(RequiredText).optional(),
    env: z.array(z.looseObject({ name: RequiredText, value: RequiredText })).optional(),
  })
  .transform(({ type, methodId: id, name, description, args, env }): AgentAuthMethod => ({
    type,
    id,
    name,
    description,
    args,
    env: env && Object.fromEntries(env.map((variable) => [variable.name, variable.value])),
  }));

export const InitializeResult = z.looseObject({
  info: z.looseObject({ name: RequiredText, title: optionalText, version: RequiredText }),
  authMethods: optional(lenientList(AuthMethod)).catch(undefined),
  _meta: InitializeMeta,
  capabilities: z
    .looseObject({
      session: SessionCapabilities.nullish().catch(undefined),
      auth: z.looseObject({ status: ability }).nullish().catch(undefined),
      providers: ability,
    })
    .nullish()
    .catch(undefined),
});

export const PromptAccepted = z.looseObject({ messageId: RequiredText });

export const ConfigChangeResult = z
  .looseObject({ configOptions: lenientList(ConfigOption) })
  .transform(({ configOptions }) => configOptions);
