import { isRecord } from './jsonValues';

/**
 * The ids of what becomes an entry, made of the message's id (else its position) and the position of the block in it: a
 * thread that grows keeps those it has.
 */

/** One for each message, all different. */
export function messageKeys(messages: readonly unknown[]): readonly string[] {
  const seen = new Map<string, number>();
  return messages.map((message, index) => {
    const id = isRecord(message) ? (message['messageId'] ?? message['protocolMessageID']) : undefined;
    const key = typeof id === 'number' || (typeof id === 'string' && id !== '') ? `m${id}` : `i${index}`;
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return count === 0 ? key : `${key}#${count}`;
  });
}

/** Of the prompt that a message is; all its blocks of text make one entry. */
export function promptId(messageKey: string): string {
  return messageKey;
}

export function blockId(messageKey: string, block: number): string {
  return `${messageKey}.${block}`;
}

/** Of how the turn ended with a message. */
export function endId(messageKey: string): string {
  return `${messageKey}.end`;
}
