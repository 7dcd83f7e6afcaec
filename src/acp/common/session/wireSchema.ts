import * as z from 'zod';
import type { TextRole } from '../../../session/common/sessionEvents';
import { isRecord } from '../../../base/common/isRecord';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { agentCallIdOf } from '../actions/agentCallIds';
import type { TokenCounts } from './turnUsage';

/** Parts of messages that are the same in all versions of the protocol, and helpers to read messages leniently. */

export const RequiredText = z.string();
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
export const optionalText = optional(RequiredText).catch(undefined);

/** A list whose invalid items are skipped. */
export const lenientList = <T extends z.ZodType>(item: T) =>
  z.array(z.unknown()).transform((items) =>
    items.flatMap((candidate): z.output<T>[] => {
      const parsed = item.safeParse(candidate);
      return parsed.success ? [parsed.data] : [];
    }),
  );

/** What an agent says at the top level of its answer to `initialize`, in both versions. */
export const InitializeMeta = z
  .looseObject({
    steering: z
      .looseObject({ supported: z.literal(true) })
      .optional()
      .catch(undefined),
  })
  .nullish()
  .catch(undefined);

export const Meta = z.record(z.string(), z.unknown()).nullish().catch(undefined);

const Unknown = { type: 'unknown' } as const;

export const contentBlocks = [
  z.looseObject({ type: z.literal('text'), text: RequiredText }),
  z.looseObject({ type: z.literal('image'), data: RequiredText, mimeType: RequiredText }),
  z.looseObject({ type: z.literal('audio'), data: RequiredText, mimeType: RequiredText }),
  z.looseObject({ type: z.literal('resource_link'), uri: RequiredText, name: optionalText, title: optionalText }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.looseObject({ uri: RequiredText, mimeType: optionalText, text: optionalText, blob: optionalText }),
  }),
] as const;

/** A content block; an unrecognized one becomes `unknown`. */
export const ContentBlock = z
  .discriminatedUnion('type', [...contentBlocks, z.looseObject({ type: z.literal('unknown') })])
  .catch(Unknown);
export type ContentBlock = z.infer<typeof ContentBlock>;

/** The id of a call of the agent, which can't be that of an action of Backline. */
export const CallId = RequiredText.transform(agentCallIdOf);

const DiffContent = z.looseObject({
  type: z.literal('diff'),
  path: RequiredText,
  oldText: RequiredText.nullish(),
  newText: RequiredText,
});
const TerminalContent = z.looseObject({ type: z.literal('terminal'), terminalId: RequiredText });

/** Content of a tool call that can be shown. */
export const ShownToolCallContent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('content'), content: z.discriminatedUnion('type', [...contentBlocks]) }),
  DiffContent,
  TerminalContent,
]);

/** Content of a tool call. Unknown types become `unknown`, because version 1 requires to ignore them. */
export const ToolCallContent = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('content'), content: ContentBlock }),
    DiffContent,
    TerminalContent,
    z.looseObject({ type: z.literal('unknown') }),
  ])
  .catch(Unknown);
export type ToolCallContent =
  | z.infer<typeof ToolCallContent>
  /** What is said to or about a subagent, and what it has reported. */
  | { readonly type: 'words'; readonly role: TextRole; readonly text: string }
  /** A change of a file without its text. */
  | { readonly type: 'change'; readonly path: string; readonly oldPath: string | undefined; readonly text: string };

export const Location = z.looseObject({
  path: RequiredText,
  line: optional(z.number().int().positive()).catch(undefined),
});

/**
 * The format in which Claude and Codex stream output of their own terminals. `data` is the output since the last
 * message.
 */
const TerminalChunk = z.looseObject({ terminal_id: optionalText, data: RequiredText }).optional().catch(undefined);
export const TerminalMeta = z.looseObject({
  terminal_info: z.looseObject({ terminal_id: optionalText }).optional().catch(undefined),
  terminal_output: TerminalChunk,
  terminal_output_delta: TerminalChunk,
  terminal_exit: z
    .looseObject({ terminal_id: optionalText, exit_code: z.number().nullish(), signal: RequiredText.nullish() })
    .optional()
    .catch(undefined),
});

/**
 * The call of a permission request. A member that cannot be read is left out of the call, and is named, because without
 * it the user would see an earlier value of the member, or none. `call` and `item` read a call and one item of its content.
 */
export const requestedCall = <Call extends z.ZodType>(call: Call, item: z.ZodType) => {
  const readable: Readonly<Record<string, z.ZodType>> = {
    title: RequiredText,
    name: RequiredText,
    kind: RequiredText,
    content: z.array(item),
    locations: z.array(Location),
  };
  return z.record(z.string(), z.unknown()).transform((raw, context) => {
    const parsed = call.safeParse(raw);
    if (!parsed.success) {
      context.addIssue('The tool call is invalid.');
      return z.NEVER;
    }
    const unreadMembers = Object.entries(readable).flatMap(([name, schema]) =>
      (raw[name] ?? undefined) === undefined || schema.safeParse(raw[name]).success ? [] : [name],
    );
    return { toolCall: parsed.data, unreadMembers };
  });
};

const PermissionOptionKind = z
  .enum(['allow_once', 'allow_always', 'reject_once', 'reject_always'])
  // An unknown kind counts as a rejection, because it must never allow anything.
  .catch('reject_once');

export const PermissionOptions = lenientList(
  z.looseObject({ optionId: RequiredText, name: RequiredText, kind: PermissionOptionKind }),
).refine(({ length }) => length > 0, { message: 'The request has no options to choose from.' });

/** A count of tokens. Fractions, which some agents send, are rounded. */
export const RoundedTokenCount = z.number().nonnegative().transform(Math.round);

const TokenDetail = optional(RoundedTokenCount).catch(undefined);

/** The tokens of a turn as an agent reports them. Invalid details are left out. */
export const TurnCounts = z
  .looseObject({
    inputTokens: RoundedTokenCount,
    outputTokens: RoundedTokenCount,
    cachedReadTokens: TokenDetail,
    cachedWriteTokens: TokenDetail,
    thoughtTokens: TokenDetail,
  })
  .transform(({ inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens }): TokenCounts => ({
    input: inputTokens,
    output: outputTokens,
    ...withoutUndefined({ cacheRead: cachedReadTokens, cacheWrite: cachedWriteTokens, thought: thoughtTokens }),
  }));

export const SelectChoice = z.object({ value: RequiredText, name: RequiredText, description: optionalText });

/** Distinguishes a member that clears a value (`null`) from one that changes nothing (missing or invalid). */
export const clearable = <T extends z.ZodType>(schema: T) => schema.nullable().optional().catch(undefined);

/** What the agent can do with something at the moment. Undefined if a message says nothing about it. */
export const Capabilities = clearable(z.looseObject({ cancel: z.unknown() })).transform((capabilities) =>
  capabilities === undefined ? undefined : { cancel: isRecord(capabilities?.cancel) },
);

/** The start of a subagent, and later changes. */
export const SubagentUpdate = z.looseObject({
  sessionId: RequiredText,
  title: clearable(RequiredText),
  description: clearable(RequiredText),
  capabilities: Capabilities,
  state: clearable(
    z.looseObject({
      state: RequiredText,
      stopReason: optionalText,
      error: z.looseObject({ message: RequiredText }).nullish().catch(undefined),
    }),
  ),
});

const SessionMessage = z.looseObject({
  messageId: RequiredText,
  senderSessionId: clearable(RequiredText),
  recipientSessionId: clearable(RequiredText),
  senderMessageId: clearable(RequiredText),
  recipientMessageId: clearable(RequiredText),
  content: clearable(lenientList(ContentBlock)),
});
const SessionMessageChunk = z
  .looseObject({ messageId: RequiredText, content: ContentBlock })
  .transform(({ messageId, content }) => ({ messageId, content: [content], isChunk: true as const }));

/** In the last update of a turn that Claude began by itself: why it began. */
const ClaudeOriginMeta = z
  .looseObject({ '_claude/origin': z.looseObject({ kind: RequiredText, subkind: optionalText }) })
  .nullish()
  .catch(undefined);

export const sharedUpdates = {
  subagent_update: SubagentUpdate,
  session_message: SessionMessage,
  session_message_chunk: SessionMessageChunk,
  session_info_update: z.looseObject({ title: optionalText, updatedAt: optionalText }),
  usage_update: z
    .looseObject({
      used: RoundedTokenCount,
      size: RoundedTokenCount,
      cost: optional(z.looseObject({ amount: z.number(), currency: RequiredText })).catch(undefined),
      _meta: ClaudeOriginMeta,
    })
    .transform(({ _meta, cost, size, used }) => {
      const origin = _meta?.['_claude/origin'];
      // With `subkind`, it is a prompt that something else has sent, such as a schedule.
      return { used, size, cost, isAfterTask: origin?.kind === 'task-notification' && origin.subkind === undefined };
    }),
  notice: z.looseObject({ severity: RequiredText.catch('info'), title: RequiredText, description: optionalText }),
  compaction_update: z.looseObject({ compactionId: RequiredText, status: RequiredText, error: optionalText }),
  compaction_summary_chunk: z.looseObject({ compactionId: RequiredText, content: ContentBlock }),
};

export interface SessionNotification {
  readonly sessionId: string;
  /** The other members are not validated yet. */
  readonly update: { readonly sessionUpdate: string };
}

/** Has no schema, which would take longer: every piece of an answer is in such a message. */
export function isSessionNotification(value: unknown): value is SessionNotification {
  if (!isRecord(value) || typeof value['sessionId'] !== 'string') return false;
  return isRecord(value['update']) && typeof value['update']['sessionUpdate'] === 'string';
}

export const SessionListResult = z.looseObject({
  sessions: lenientList(
    z.looseObject({ sessionId: RequiredText, cwd: optionalText, title: optionalText, updatedAt: optionalText }),
  ),
  nextCursor: optionalText,
});
export type SessionListResult = z.infer<typeof SessionListResult>;
