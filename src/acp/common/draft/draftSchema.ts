import * as z from 'zod';

/**
 * The wire format of the draft protocol of June 2025 ("Agent Communication Protocol"): ten methods, no `jsonrpc`
 * member, no notifications. Sources disagree on which end calls which method; see docs/protocols/acp.md.
 */

/** A non-negative integer. Numbers above 2^53 are rejected, because JSON parsing would round them. */
const Uint = z.number().int().nonnegative();
const Uint32 = Uint.max(0xffff_ffff);

const ThreadId = z.string();

export const Role = z.enum(['user', 'assistant']);
export type Role = z.infer<typeof Role>;

export const MessageChunk = z.object({ type: z.literal('text'), chunk: z.string() });
export type MessageChunk = z.infer<typeof MessageChunk>;

export const Message = z.object({ role: Role, chunks: z.array(MessageChunk) });
export type Message = z.infer<typeof Message>;

/** A thread in a list. `modifiedAt` is in RFC 3339 format. */
export const ThreadMetadata = z.object({
  id: ThreadId,
  title: z.string(),
  modifiedAt: z.iso.datetime({ offset: true }),
});
export type ThreadMetadata = z.infer<typeof ThreadMetadata>;

export const ThreadEntry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), ...Message.shape }),
  z.object({ type: z.literal('readFile'), path: z.string(), content: z.string() }),
]);
export type ThreadEntry = z.infer<typeof ThreadEntry>;

/** Parameters of a method that has none: `null`, nothing or an empty object. */
const NoParams = z.union([z.null(), z.undefined(), z.strictObject({})]);
/** Result of a method that has none. Any value is accepted. */
const NoResult = z.unknown().transform(() => null);

const inThread = { threadId: ThreadId };
const file = { ...inThread, path: z.string() };

/** Parameters and result of each method. Optional numbers may be null or absent. */
const methods = {
  getThreads: { params: NoParams, result: z.object({ threads: z.array(ThreadMetadata) }) },
  createThread: { params: NoParams, result: z.object(inThread) },
  openThread: { params: z.object(inThread), result: NoResult },
  getThreadEntries: { params: z.object(inThread), result: z.object({ entries: z.array(ThreadEntry) }) },
  sendMessage: { params: z.object({ ...inThread, message: Message }), result: NoResult },
  streamMessageChunk: { params: z.object({ ...inThread, chunk: MessageChunk }), result: NoResult },
  /** The 0-based `lineOffset` is the first line of the result. */
  readTextFile: {
    params: z.object({ ...file, lineOffset: Uint32.nullish(), lineLimit: Uint32.nullish() }),
    result: z.object({ version: Uint, content: z.string() }),
  },
  /** The result has the bytes as base64 in `content`. */
  readBinaryFile: {
    params: z.object({ ...file, byteOffset: Uint.nullish(), byteLimit: Uint.nullish() }),
    result: z.object({ version: Uint, content: z.base64() }),
  },
  stat: { params: z.object(file), result: z.object({ exists: z.boolean(), isDirectory: z.boolean() }) },
  globSearch: {
    params: z.object({ ...inThread, pattern: z.string() }),
    result: z.object({ matches: z.array(z.string()) }),
  },
} as const;

export type DraftMethod = keyof typeof methods;
export type DraftParams<Method extends DraftMethod> = z.infer<(typeof methods)[Method]['params']>;
export type DraftResult<Method extends DraftMethod> = z.infer<(typeof methods)[Method]['result']>;

export const draftMethods: {
  readonly [Method in DraftMethod]: {
    readonly params: z.ZodType<DraftParams<Method>>;
    readonly result: z.ZodType<DraftResult<Method>>;
  };
} = methods;

export const draftMethodNames: readonly DraftMethod[] = [
  'getThreads',
  'createThread',
  'openThread',
  'getThreadEntries',
  'sendMessage',
  'streamMessageChunk',
  'readTextFile',
  'readBinaryFile',
  'stat',
  'globSearch',
];
