import * as z from 'zod/mini';
import { isRecord, textOf } from './jsonValues';

/**
 * Amp's thread document in all its generations, from local files of 2025 to exports of today. Nothing is required but an
 * object with messages; a field of another type than expected counts as missing. Names are the file's.
 */

/** For a field: another type than this counts as missing. */
export const soft = <Type extends z.ZodMiniType>(type: Type): z.ZodMiniCatch<z.ZodMiniOptional<Type>> =>
  z.catch(z.optional(type), undefined);
const Text = soft(z.string());
const Flag = soft(z.boolean());
const Amount = soft(z.number());
const Anything = z.optional(z.unknown());
const List = soft(z.array(Anything));

const Tree = z.object({
  displayName: Text,
  uri: Text,
  fsPath: Text,
  repository: soft(z.object({ type: Text, url: Text, ref: Text, sha: Text })),
});
type Tree = z.infer<typeof Tree>;

const Platform = z.object({
  os: Text,
  osVersion: Text,
  cpuArchitecture: Text,
  webBrowser: Flag,
  client: Text,
  clientVersion: Text,
  clientType: Text,
});

export const ThreadDocument = z.object({
  v: Amount,
  id: Text,
  created: Anything,
  updatedAt: Anything,
  title: Text,
  messages: z.array(z.pipe(Anything, z.transform(wellFormedMessage))),
  agentMode: Text,
  env: soft(z.object({ initial: soft(z.object({ trees: List, platform: soft(Platform), tags: List })) })),
  relationships: List,
  originThreadID: Text,
  forkPointIndex: Amount,
  mainThreadID: Text,
  archived: Flag,
  draft: Anything,
  queuedMessages: List,
  usageLedger: soft(z.object({ events: List })),
  meta: soft(
    z.object({ usesDtw: Flag, usesThreadActors: Flag, visibility: Text, lastUserMessageAt: Anything, agentMode: Text }),
  ),
  activatedSkills: List,
});
export type ThreadDocument = z.infer<typeof ThreadDocument>;

export function treesOf(document: ThreadDocument): readonly Tree[] {
  return (document.env?.initial?.trees ?? []).flatMap((tree) => Tree.safeParse(tree).data ?? []);
}

const Position = z.object({ line: Amount, character: Amount });

export const Message = z.object({
  role: z.string(),
  content: z.optional(z.union([z.string(), z.array(Anything)])),
  parentToolUseId: Text,
  createdAt: Anything,
  state: Anything,
  usage: Anything,
  turnElapsedMs: Amount,
  interrupted: Flag,
  meta: soft(
    z.object({
      sentAt: Anything,
      fromAggman: Anything,
      fromPuck: Anything,
      fromExecutorThreadID: Text,
      fromAutomation: Anything,
    }),
  ),
  source: soft(z.object({ type: Text })),
  userState: soft(
    z.object({
      activeEditor: Text,
      currentlyVisibleFiles: List,
      selectionRange: soft(z.object({ start: soft(Position), end: soft(Position), startLine: Amount })),
    }),
  ),
  fileMentions: soft(z.object({ files: List })),
  discoveredGuidanceFiles: List,
});
export type Message = z.infer<typeof Message>;

export const MessageState = z.object({ type: z.string(), stopReason: Text, error: Anything });
export type MessageState = z.infer<typeof MessageState>;

const Times = { startTime: Anything, finalTime: Anything };

export const Block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), hidden: Flag, ...Times }),
  z.object({ type: z.literal('thinking'), thinking: Text, text: Text, ...Times }),
  z.object({ type: z.literal('redacted_thinking') }),
  z.object({ type: z.literal('image'), source: Anything, sourcePath: Text }),
  z.object({
    type: z.enum(['tool_use', 'server_tool_use']),
    name: Text,
    input: Anything,
    complete: Flag,
    inputIncomplete: Anything,
    inputPartialJSON: soft(z.object({ json: Text })),
    normalizedName: Text,
    normalizedInput: Anything,
    ...Times,
  }),
  z.object({ type: z.literal('program'), code: Text, ...Times }),
  z.object({ type: z.literal('summary'), summary: Anything }),
  z.object({
    type: z.literal('manual_bash_invocation'),
    args: soft(z.object({ cmd: Text, args: List, cwd: Text })),
    toolRun: Anything,
    hidden: Flag,
  }),
]);
export type Block = z.infer<typeof Block>;
export type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** What a tool gave back: `run` in Amp's threads, `content` in those that speak as the provider does. */
export const ResultBlock = z.object({
  type: z.string(),
  run: Anything,
  userInput: soft(z.object({ accepted: Flag, denyFeedback: Text, askAnswers: Anything })),
  content: Anything,
  is_error: Flag,
  /** Of the output of a program. */
  result: Anything,
  status: Text,
});
export type ResultBlock = z.infer<typeof ResultBlock>;

export const Run = z.object({
  status: z.string(),
  result: Anything,
  progress: Anything,
  error: Anything,
  reason: Text,
  toAllow: List,
});
export type Run = z.infer<typeof Run>;

/** One turn of a subagent, as it reports its progress. */
export const ProgressTurn = z.object({ message: Text, reasoning: Text, tool_uses: List });
export type ProgressTurn = z.infer<typeof ProgressTurn>;

export const ProgressCall = z.object({
  tool_name: z.string(),
  status: Text,
  input: Anything,
  result: Anything,
  error: Anything,
});
export type ProgressCall = z.infer<typeof ProgressCall>;

/** A file that Amp read by itself, or that a prompt mentions. */
export const NamedFile = z.object({
  uri: z.string(),
  content: Text,
  isImage: Flag,
  imageInfo: soft(z.object({ mimeType: Text, size: Amount })),
});

/**
 * A message with its content as text or as a list of blocks, whichever way it was written: content that is null or missing
 * beside a `text`, one block without a list around it, or blocks that are only text. The same object when there is nothing
 * to change.
 */
export function wellFormedMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const { content, ...others } = message;
  if (typeof content === 'string') return message;
  if (Array.isArray(content))
    return content.some((block) => typeof block === 'string') ? { ...message, content: content.map(asBlock) } : message;
  if (isRecord(content)) return { ...message, content: [content] };
  const text = textOf(message['text']);
  if (text !== undefined) return { ...others, content: text };
  return content === null ? others : message;
}

function asBlock(block: unknown): unknown {
  return typeof block === 'string' ? { type: 'text', text: block } : block;
}
