import { isRecord, listOf, textOf, type JsonRecord } from './jsonValues';
import { promptText } from './promptText';
import type { ThreadHead } from '../threadPorts';

/** Whether a thread runs, as far as its file tells: Amp closes what was cut off only when the user comes back. */

/** A file that says it runs is believed for so long after it was last written. */
export const freshForMs = 5 * 60_000;
/** Of the run of a tool that goes on. */
export const runningStatuses: ReadonlySet<unknown> = new Set(['queued', 'in-progress', 'cancellation-requested']);

/** False also for files of the future, as with a clock that is wrong, and when nobody knows. */
export function isFresh(mtimeMs: number | undefined, nowMs: number): boolean {
  return mtimeMs !== undefined && Math.abs(nowMs - mtimeMs) < freshForMs;
}

export function threadState(messages: readonly unknown[], fresh: boolean): ThreadHead['state'] {
  const last = messages.findLast((message): message is JsonRecord => isRecord(message) && isOwn(message));
  if (!last) return 'idle';
  const running = fresh ? 'running' : 'stale';
  if (last['role'] === 'assistant') {
    const type = stateType(last['state']);
    if (type === 'streaming') return running;
    if (type === 'cancelled') return 'cancelled';
    if (type === 'error') return 'error';
    return hasOpenCall(last) ? running : 'idle';
  }
  if (last['interrupted'] === true) return 'cancelled';
  const statuses = listOf(last['content']).flatMap((block) => statusOf(block) ?? []);
  // Whoever waits writes nothing: that the file is old says nothing.
  if (statuses.includes('blocked-on-user')) return wasStopped(messages) ? 'cancelled' : 'waiting';
  if (statuses.some((status) => runningStatuses.has(status))) return running;
  if (promptText(last['content']) === '' && statuses.includes('cancelled')) return 'cancelled';
  // A prompt or a result that nobody has answered yet.
  return fresh ? 'running' : 'idle';
}

/** The answer that called the tools, which results come after, has ended before they did. */
function wasStopped(messages: readonly unknown[]): boolean {
  const answer = messages.findLast(
    (message): message is JsonRecord => isRecord(message) && isOwn(message) && message['role'] === 'assistant',
  );
  return isStopped(answer?.['state']);
}

/** Not a subagent's, and not what was put in beside the conversation. */
function isOwn(message: JsonRecord): boolean {
  return (
    (message['role'] === 'assistant' || message['role'] === 'user') && textOf(message['parentToolUseId']) === undefined
  );
}

function hasOpenCall({ content, state }: JsonRecord): boolean {
  if (isRecord(state) && state['stopReason'] !== undefined && state['stopReason'] !== 'tool_use') return false;
  return listOf(content).some((block) => isRecord(block) && block['type'] === 'tool_use');
}

function statusOf(block: unknown): unknown {
  if (!isRecord(block) || block['type'] !== 'tool_result' || !isRecord(block['run'])) return undefined;
  return block['run']['status'];
}

export function stateType(state: unknown): string | undefined {
  return isRecord(state) ? textOf(state['type']) : undefined;
}

/** The message ended before it was whole, and with it whatever it had begun. */
export function isStopped(state: unknown): boolean {
  const type = stateType(state);
  return type === 'cancelled' || type === 'error';
}
