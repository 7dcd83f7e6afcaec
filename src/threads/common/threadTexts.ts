import { blockId, messageKeys, promptId } from './entryIds';
import { isRecord, listOf } from './json';
import { promptText } from './promptText';
import { wellFormedMessage } from './threadMessages';

/** What people and agents said in a thread, for a search. `entryId` is that of the entry which the mapping makes of it. */
export interface ThreadText {
  readonly entryId: string;
  readonly role: 'prompt' | 'answer';
  readonly text: string;
}

/** In reading order; nothing for what is no thread. */
export function threadTexts(document: unknown): readonly ThreadText[] {
  const messages = isRecord(document) ? listOf(document['messages']).map(wellFormedMessage) : [];
  const keys = messageKeys(messages);
  return messages.flatMap((message, index) => textsOf(message, keys[index] ?? ''));
}

function textsOf(message: unknown, key: string): readonly ThreadText[] {
  if (!isRecord(message)) return [];
  const { role, content } = message;
  if (role === 'user') {
    const text = promptText(content);
    return text.trim() === '' ? [] : [{ entryId: promptId(key), role: 'prompt', text }];
  }
  if (role !== 'assistant') return [];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return blocks.flatMap((block, index): readonly ThreadText[] => {
    if (!isRecord(block) || block['type'] !== 'text' || block['hidden'] === true) return [];
    const { text } = block;
    return typeof text === 'string' && text.trim() !== ''
      ? [{ entryId: blockId(key, index), role: 'answer', text }]
      : [];
  });
}
