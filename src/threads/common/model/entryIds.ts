import { isRecord } from './jsonValues';

/**
 * Returns a unique key for each message: its id, or else its position. Ids of entries begin with it, so existing
 * entries keep their ids when a thread grows.
 */
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

/** Returns the id of a prompt's entry. All text blocks of a prompt share one entry. */
export function promptEntryId(messageKey: string): string {
  return messageKey;
}

export function blockEntryId(messageKey: string, block: number): string {
  return `${messageKey}.${block}`;
}

export function turnEndEntryId(messageKey: string): string {
  return `${messageKey}.end`;
}
