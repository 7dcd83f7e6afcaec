import { isRecord, textOf } from './json';

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
