import { isRecord, asList, type JsonRecord } from '../model/jsonValues';
import { unfinishedToolRunStatuses } from '../model/threadState';
import { callIdOfCallBlock, isResultBlock, callIdOfResultBlock } from '../model/callIds';

/** The results of all tool calls in the thread. */
export interface ToolResults {
  /** Returns the results for a block of a call, in the order of the thread. A running command may have several. */
  ofCall(call: unknown): readonly unknown[];
  /** Whether the thread contains the call of this result. */
  hasCall(result: unknown): boolean;
}

const callTypes: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'program']);

/**
 * Matches results with calls. An id may occur several times. A result belongs to the nearest earlier call with its id,
 * or else to the first later one.
 */
export function matchToolResults(messages: readonly unknown[]): ToolResults {
  const resultsByCall = new Map<unknown, unknown[]>();
  const matched = new Set<unknown>();
  const latest = new Map<string, unknown[]>();
  const early = new Map<string, unknown[]>();
  for (const block of messages.flatMap(blocksOf)) {
    const id = callTypes.has(block['type'])
      ? callIdOfCallBlock(block)
      : isResultBlock(block)
        ? callIdOfResultBlock(block)
        : '';
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
    resultsByCall.set(block, results);
  }
  for (const results of resultsByCall.values()) for (const result of results) matched.add(result);
  return { ofCall: (call) => resultsByCall.get(call) ?? [], hasCall: (result) => matched.has(result) };
}

/** Returns the blocks of a message. Empty for a message that is not shown. */
function blocksOf(message: unknown): readonly JsonRecord[] {
  if (!isRecord(message) || !isRoleShown(message['role'])) return [];
  return asList(message['content']).filter(isRecord);
}

export function isRoleShown(role: unknown): boolean {
  return role === 'user' || role === 'assistant' || role === 'info';
}

const openStatuses: ReadonlySet<unknown> = new Set([...unfinishedToolRunStatuses, 'blocked-on-user']);

/** Whether another result of the same call may follow this one. */
export function mayHaveLaterResult(block: unknown): boolean {
  return isRecord(block) && isRecord(block['run']) && openStatuses.has(block['run']['status']);
}
