import { isRecord } from './jsonValues';

const thinkingTypes: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Formats a value as JSON for display. Omits signatures and encrypted thinking. */
export function displayJson(value: unknown): string {
  try {
    return value === undefined ? 'null' : JSON.stringify(value, hideEncrypted, 2);
  } catch {
    return '"Too deeply nested to show."';
  }
}

function hideEncrypted(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !isEncrypted(this, key)) return value;
  return `${value.length} characters, not shown`;
}

function isEncrypted(owner: unknown, key: string): boolean {
  if (/^encrypted_?content$/i.test(key)) return true;
  return (key === 'signature' || key === 'data') && isRecord(owner) && thinkingTypes.has(owner['type']);
}
