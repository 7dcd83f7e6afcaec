import { isRecord, asList, asNonEmptyText, type JsonRecord } from './jsonValues';
import { promptText } from './promptText';
import type { ThreadHead } from '../threadPorts';

/** How long after the last write a thread that is marked as running is considered running. */
export const runningFreshnessMs = 5 * 60_000;
/** Statuses of tool runs that have not ended. */
export const unfinishedToolRunStatuses: ReadonlySet<unknown> = new Set([
  'queued',
  'in-progress',
  'cancellation-requested',
]);

/**
 * Whether a file was written recently. False for unknown times, and for times in the future, which a wrong clock
 * causes.
 */
export function isRecentlyWritten(mtimeMs: number | undefined, nowMs: number): boolean {
  return mtimeMs !== undefined && Math.abs(nowMs - mtimeMs) < runningFreshnessMs;
}

/** Determines the state from the last message. `isFileFresh`: written recently, so the thread may be running. */
export function threadState(messages: readonly unknown[], isFileFresh: boolean): ThreadHead['state'] {
  const last = messages.findLast((message): message is JsonRecord => isRecord(message) && isMainMessage(message));
  if (!last) return 'idle';
  const running = isFileFresh ? 'running' : 'stale';
  if (last['role'] === 'assistant') {
    const type = messageStateType(last['state']);
    if (type === 'streaming') return running;
    if (type === 'cancelled') return 'cancelled';
    if (type === 'error') return 'error';
    return hasOpenCall(last) ? running : 'idle';
  }
  if (last['interrupted'] === true) return 'cancelled';
  const statuses = asList(last['content']).flatMap((block) => statusOf(block) ?? []);
  // A waiting thread writes nothing, so the age of its file does not matter.
  if (statuses.includes('blocked-on-user')) return wasLastAnswerStopped(messages) ? 'cancelled' : 'waiting';
  if (statuses.some((status) => unfinishedToolRunStatuses.has(status))) return running;
  if (promptText(last['content']) === '' && statuses.includes('cancelled')) return 'cancelled';
  // The last message is a prompt or a result, and has no answer yet.
  return isFileFresh ? 'running' : 'idle';
}

/** Whether the answer with the tool calls was stopped before their results arrived. */
function wasLastAnswerStopped(messages: readonly unknown[]): boolean {
  const answer = messages.findLast(
    (message): message is JsonRecord => isRecord(message) && isMainMessage(message) && message['role'] === 'assistant',
  );
  return isMessageStopped(answer?.['state']);
}

/** Whether a message belongs to the main conversation. False for messages of subagents and for other roles. */
function isMainMessage(message: JsonRecord): boolean {
  return (
    (message['role'] === 'assistant' || message['role'] === 'user') &&
    asNonEmptyText(message['parentToolUseId']) === undefined
  );
}

function hasOpenCall({ content, state }: JsonRecord): boolean {
  if (isRecord(state) && state['stopReason'] !== undefined && state['stopReason'] !== 'tool_use') return false;
  return asList(content).some((block) => isRecord(block) && block['type'] === 'tool_use');
}

function statusOf(block: unknown): unknown {
  if (!isRecord(block) || block['type'] !== 'tool_result' || !isRecord(block['run'])) return undefined;
  return block['run']['status'];
}

export function messageStateType(state: unknown): string | undefined {
  return isRecord(state) ? asNonEmptyText(state['type']) : undefined;
}

/** Whether a message was stopped before it was complete, which also ends its tool calls. */
export function isMessageStopped(state: unknown): boolean {
  const type = messageStateType(state);
  return type === 'cancelled' || type === 'error';
}
