import type * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { ContentBlock } from './wireSchema';

/** Reads the updates of one session in one version of the protocol. */
export interface UpdateReader {
  /** Maps the unparsed `update` member of a `session/update`. */
  mapUpdate(update: { readonly sessionUpdate: string }): SessionEvent[];
}

/** Returns the events of an update; undefined if the update is malformed. */
export type UpdateHandler = (update: object) => SessionEvent[] | undefined;

export function parsingHandler<Schema extends z.ZodType>(
  schema: Schema,
  handle: (update: z.output<Schema>) => SessionEvent[] | undefined,
): UpdateHandler {
  return (update) => {
    const parsed = schema.safeParse(update);
    return parsed.success ? handle(parsed.data) : undefined;
  };
}

interface Chunk {
  readonly content: ContentBlock;
  readonly messageId?: string | undefined;
}

/** Like `parsingHandler`, but faster for text, because users wait for every piece of an answer. */
export function chunkHandler(
  schema: z.ZodType<Chunk>,
  handle: (chunk: Chunk) => SessionEvent[] | undefined,
): UpdateHandler {
  const parseAndHandle = parsingHandler(schema, handle);
  return (update) => {
    const textChunk = readTextChunk(update);
    return textChunk ? handle(textChunk) : parseAndHandle(update);
  };
}

function readTextChunk(update: object): Chunk | undefined {
  if (!isRecord(update) || !isRecord(update['content'])) return undefined;
  const { messageId } = update;
  const { type, text } = update['content'];
  if (type !== 'text' || typeof text !== 'string') return undefined;
  if (messageId !== undefined && typeof messageId !== 'string') return undefined;
  return { content: { type, text }, messageId };
}
