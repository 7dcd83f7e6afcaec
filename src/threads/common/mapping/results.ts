import { isRecord, listOf, type JsonRecord } from '../model/jsonValues';
import { runningStatuses } from '../model/threadState';
import { callId, isResultBlock, resultId } from '../model/callIds';

/** What tools gave back, wherever in the thread it is, by the block of the call it belongs to. */
export interface Results {
  /** In the order of the thread; a later one tells how a command that runs has gone on. */
  of(call: unknown): readonly unknown[];
  /** Whether there is a call that this is a result of. */
  isJoined(result: unknown): boolean;
}

const callTypes: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'program']);

/**
 * Of all messages of a thread. Ids come again in some: a result belongs to the nearest earlier call of its id, and to the
 * first later one if there is none.
 */
export function resultsOf(messages: readonly unknown[]): Results {
  const byCall = new Map<unknown, unknown[]>();
  const joined = new Set<unknown>();
  const latest = new Map<string, unknown[]>();
  const early = new Map<string, unknown[]>();
  for (const block of messages.flatMap(blocksOf)) {
    const id = callTypes.has(block['type']) ? callId(block) : isResultBlock(block) ? resultId(block) : '';
    if (id === '') continue;
    if (isResultBlock(block)) {
      const known = latest.get(id) ?? early.get(id);
      if (known) known.push(block);
      else early.set(id, [block]);
      continue;
    }
    const results = early.get(id) ?? [];
    early.delete(id);
    latest.set(id, results);
    byCall.set(block, results);
  }
  for (const results of byCall.values()) for (const result of results) joined.add(result);
  return { of: (call) => byCall.get(call) ?? [], isJoined: (result) => joined.has(result) };
}

/** Blocks of messages whose blocks are shown. */
function blocksOf(message: unknown): readonly JsonRecord[] {
  if (!isRecord(message) || !isShownRole(message['role'])) return [];
  return listOf(message['content']).filter(isRecord);
}

export function isShownRole(role: unknown): boolean {
  return role === 'user' || role === 'assistant' || role === 'info';
}

const openStatuses: ReadonlySet<unknown> = new Set([...runningStatuses, 'blocked-on-user']);

/** Another result of the same call may follow. */
export function isOpenResult(block: unknown): boolean {
  return isRecord(block) && isRecord(block['run']) && openStatuses.has(block['run']['status']);
}
