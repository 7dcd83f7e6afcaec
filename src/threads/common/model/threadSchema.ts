import * as z from 'zod/mini';
import { isRecord, asNonEmptyText } from './jsonValues';

/**
 * The schema of Amp's thread documents, from local files of 2025 to current exports. Only the list of messages is
 * required. A field of an unexpected type counts as missing.
 */

/** Makes a field optional and ignores values of another type. */
export const optionalIgnoringInvalid = <Type extends z.ZodMiniType>(
  type: Type,
): z.ZodMiniCatch<z.ZodMiniOptional<Type>> => z.catch(z.optional(type), undefined);
const Text = optionalIgnoringInvalid(z.string());
const Flag = optionalIgnoringInvalid(z.boolean());
const Amount = optionalIgnoringInvalid(z.number());
const Anything = z.optional(z.unknown());
const List = optionalIgnoringInvalid(z.array(Anything));

const Tree = z.object({
  displayName: Text,
  uri: Text,
  fsPath: Text,
  repository: optionalIgnoringInvalid(z.object({ type: Text, url: Text, ref: Text, sha: Text })),
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
  messages: z.array(z.pipe(Anything, z.transform(normalizeMessage))),
  agentMode: Text,
  env: optionalIgnoringInvalid(
    z.object({
      initial: optionalIgnoringInvalid(
        z.object({ trees: List, platform: optionalIgnoringInvalid(Platform), tags: List }),
      ),
    }),
  ),
  relationships: List,
  originThreadID: Text,
  forkPointIndex: Amount,
  mainThreadID: Text,
  archived: Flag,
  draft: Anything,
  queuedMessages: List,
  usageLedger: optionalIgnoringInvalid(z.object({ events: List })),
  meta: optionalIgnoringInvalid(
    z.object({ usesDtw: Flag, usesThreadActors: Flag, visibility: Text, lastUserMessageAt: Anything, agentMode: Text }),
  ),
  activatedSkills: List,
});
export type ThreadDocument = z.infer<typeof ThreadDocument>;

/** Returns the folders in which the thread started. Skips invalid ones. */
export function workspaceTreesOf(document: ThreadDocument): readonly Tree[] {
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
  meta: optionalIgnoringInvalid(
    z.object({
      sentAt: Anything,
      fromAggman: Anything,
      fromPuck: Anything,
      fromExecutorThreadID: Text,
      fromAutomation: Anything,
    }),
  ),
  source: optionalIgnoringInvalid(z.object({ type: Text })),
  userState: optionalIgnoringInvalid(
    z.object({
      activeEditor: Text,
      currentlyVisibleFiles: List,
      selectionRange: optionalIgnoringInvalid(
        z.object({
          start: optionalIgnoringInvalid(Position),
          end: optionalIgnoringInvalid(Position),
          startLine: Amount,
        }),
      ),
    }),
  ),
  fileMentions: optionalIgnoringInvalid(z.object({ files: List })),
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
    inputPartialJSON: optionalIgnoringInvalid(z.object({ json: Text })),
    normalizedName: Text,
    normalizedInput: Anything,
    ...Times,
  }),
  z.object({ type: z.literal('program'), code: Text, ...Times }),
  z.object({ type: z.literal('summary'), summary: Anything }),
  z.object({
    type: z.literal('manual_bash_invocation'),
    args: optionalIgnoringInvalid(z.object({ cmd: Text, args: List, cwd: Text })),
    toolRun: Anything,
    hidden: Flag,
  }),
]);
export type Block = z.infer<typeof Block>;
export type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** The result of a tool call. It is in `run` (Amp's format) or in `content` (the model provider's format). */
export const ResultBlock = z.object({
  type: z.string(),
  run: Anything,
  userInput: optionalIgnoringInvalid(z.object({ accepted: Flag, denyFeedback: Text, askAnswers: Anything })),
  content: Anything,
  is_error: Flag,
  /** Only used in blocks of the type `program_output`. */
  result: Anything,
  status: Text,
});
export type ResultBlock = z.infer<typeof ResultBlock>;

export const StoredToolRun = z.object({
  status: z.string(),
  result: Anything,
  progress: Anything,
  error: Anything,
  reason: Text,
  toAllow: List,
});
export type StoredToolRun = z.infer<typeof StoredToolRun>;

/** One turn of a subagent, as stored in the progress of its call. */
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

/** A guidance file that Amp read, or a file that a prompt mentions. */
export const MentionedOrGuidanceFile = z.object({
  uri: z.string(),
  content: Text,
  isImage: Flag,
  imageInfo: optionalIgnoringInvalid(z.object({ mimeType: Text, size: Amount })),
});

/**
 * Converts the content of a message to a text or a list of blocks. Accepts `text` instead of `content`, a single block,
 * and plain texts as blocks. Returns the same object if nothing needs to be changed.
 */
export function normalizeMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const { content, ...rest } = message;
  if (typeof content === 'string') return message;
  if (Array.isArray(content))
    return content.some((block) => typeof block === 'string') ? { ...message, content: content.map(toBlock) } : message;
  if (isRecord(content)) return { ...message, content: [content] };
  const text = asNonEmptyText(message['text']);
  if (text !== undefined) return { ...rest, content: text };
  return content === null ? rest : message;
}

function toBlock(block: unknown): unknown {
  return typeof block === 'string' ? { type: 'text', text: block } : block;
}
