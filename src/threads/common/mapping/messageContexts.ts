import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { Usage } from '../../../transcript/common/entries';
import { blockId, messageKeys } from '../model/entryIds';
import { isRecord, listOf, textOf, timeOf, type JsonRecord } from '../model/jsonValues';
import { isPrompt } from '../model/promptText';
import type { ThreadDocument } from '../model/threadSchema';
import { messageUsage, sumUsage } from '../model/threadUsage';
import type { MessageContext, Unfinished } from './parts/mapped';
import { isStopped } from '../model/threadState';
import { callId } from '../model/callIds';
import { isOpenResult, type Results } from './results';

/** What each message needs to know of the thread around it. `isLive`: its file was written a moment ago. */
export function contextsOf({ messages }: ThreadDocument, results: Results, isLive: boolean): readonly MessageContext[] {
  const keys = messageKeys(messages);
  const records = messages.map((message) => (isRecord(message) ? message : {}));
  const calls = callsOf(records, keys);
  const ownRoles = records.map(ownRole);
  const lastAnswer = ownRoles.lastIndexOf('assistant');
  const lastPrompt = records.findLastIndex(isPrompt);
  const usages = turnUsages(records, ownRoles);
  const overs: boolean[] = [];
  let turn = 0;
  return records.map((record, index) => {
    if (isPrompt(record)) turn++;
    const at = timeOfMessage(record);
    const call = nearest(calls.get(textOf(record['parentToolUseId']) ?? ''), index);
    const isOver =
      index < lastPrompt ||
      (ownRoles[index] === 'assistant' && index < lastAnswer) ||
      (call !== undefined && (overs[call.message] === true || hasEnded(call, records, results)));
    overs.push(isOver);
    const unfinished: Unfinished = isOver ? 'lost' : isLive ? 'running' : 'stale';
    const usage = usages.get(index);
    return {
      key: keys[index] ?? `i${index}`,
      turn,
      ...withoutUndefined({ at, parent: call?.entryId, usage }),
      unfinished,
      isLive: isLive && index >= lastPrompt && (call === undefined || !isOver),
      isAnswered: ownRoles.slice(index + 1, index + 20).find((role) => role !== undefined) === 'assistant',
    };
  });
}

/** A call that messages of a subagent may belong to. */
interface Call {
  readonly entryId: string;
  /** The index of the message it is in. */
  readonly message: number;
  readonly block: unknown;
}

/** By the id that messages of subagents name them by; ids come again in some threads. */
function callsOf(records: readonly JsonRecord[], keys: readonly string[]): ReadonlyMap<string, readonly Call[]> {
  const calls = new Map<string, Call[]>();
  for (const [index, { content }] of records.entries()) {
    for (const [block, item] of listOf(content).entries()) {
      if (!isRecord(item) || item['type'] !== 'tool_use') continue;
      const id = callId(item);
      const call = { entryId: blockId(keys[index] ?? '', block), message: index, block: item };
      const known = calls.get(id);
      if (known) known.push(call);
      else if (id !== '') calls.set(id, [call]);
    }
  }
  return calls;
}

/** The last one before a message, else the first one after it. */
function nearest(calls: readonly Call[] | undefined, index: number): Call | undefined {
  return calls?.findLast(({ message }) => message < index) ?? calls?.[0];
}

/** Nothing that its subagent left open goes on any more. */
function hasEnded({ message, block }: Call, records: readonly JsonRecord[], results: Results): boolean {
  if (isStopped(records[message]?.['state'])) return true;
  const result = results.of(block).at(-1);
  return result !== undefined && !isOpenResult(result);
}

/** Of a message of the conversation itself; undefined for those of subagents and what was put in beside it. */
function ownRole({ role, parentToolUseId }: JsonRecord): 'user' | 'assistant' | undefined {
  if (textOf(parentToolUseId) !== undefined) return undefined;
  return role === 'user' || role === 'assistant' ? role : undefined;
}

/** What each turn has used, by the index of its last answer. */
function turnUsages(
  records: readonly JsonRecord[],
  ownRoles: readonly ('user' | 'assistant' | undefined)[],
): ReadonlyMap<number, Usage> {
  const usages = new Map<number, Usage>();
  let usage: Usage | undefined;
  let last: number | undefined;
  const close = (): void => {
    if (last !== undefined && usage) usages.set(last, usage);
    usage = undefined;
    last = undefined;
  };
  for (const [index, record] of records.entries()) {
    if (isPrompt(record)) close();
    usage = sumUsage([usage, messageUsage(record)]);
    if (ownRoles[index] === 'assistant') last = index;
  }
  close();
  return usages;
}

function timeOfMessage({ usage, meta, createdAt, content }: JsonRecord): number | undefined {
  const told =
    timeOf(isRecord(usage) ? usage['timestamp'] : undefined) ?? timeOf(isRecord(meta) ? meta['sentAt'] : undefined);
  if (told !== undefined) return told;
  for (const block of listOf(content)) {
    const time = isRecord(block) ? (timeOf(block['startTime']) ?? timeOf(block['finalTime'])) : undefined;
    if (time !== undefined) return time;
  }
  return timeOf(createdAt);
}
