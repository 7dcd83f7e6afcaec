import { isRecord, type JsonRecord } from './jsonValues';

export function isResultBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block['type'] !== 'string') return false;
  return block['type'] === 'program_output' || block['type'].endsWith('tool_result');
}

/** Returns the id with which results refer to this block of a call. Empty if there is none. */
export function callIdOfCallBlock(block: JsonRecord): string {
  const id = block['type'] === 'program' ? (block['call_id'] ?? block['id']) : block['id'];
  return toId(id);
}

/** Returns the id of the call to which this result belongs. Empty if there is none. */
export function callIdOfResultBlock(block: JsonRecord): string {
  return toId(block['toolUseID'] ?? block['tool_use_id'] ?? block['call_id']);
}

function toId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
