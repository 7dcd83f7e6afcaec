import { isRecord } from './jsonValues';

/** Parsed JSON as text for people to read, without what nobody can read: signatures and encrypted thinking. */

const thinkingTypes: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Indented; a sentence for what is nested too deeply to be written out. */
export function rawJson(value: unknown): string {
  try {
    return value === undefined ? 'null' : JSON.stringify(value, hideSealed, 2);
  } catch {
    return '"This is nested too deeply to be shown."';
  }
}

function hideSealed(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !isSealed(this, key)) return value;
  return `${value.length} characters that are not shown`;
}

function isSealed(owner: unknown, key: string): boolean {
  if (/^encrypted_?content$/i.test(key)) return true;
  return (key === 'signature' || key === 'data') && isRecord(owner) && thinkingTypes.has(owner['type']);
}
