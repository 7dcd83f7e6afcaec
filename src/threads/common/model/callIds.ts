import { isRecord, type JsonRecord } from './jsonValues';

/** How calls of tools and what they gave back name each other. */

export function isResultBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block['type'] !== 'string') return false;
  return block['type'] === 'program_output' || block['type'].endsWith('tool_result');
}

/** The id that results name a block of a call by; empty for none. */
export function callId(block: JsonRecord): string {
  const id = block['type'] === 'program' ? (block['call_id'] ?? block['id']) : block['id'];
  return asId(id);
}

/** The id of the call that a result belongs to; empty for none. */
export function resultId(block: JsonRecord): string {
  return asId(block['toolUseID'] ?? block['tool_use_id'] ?? block['call_id']);
}

function asId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
