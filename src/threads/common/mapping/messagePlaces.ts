import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { Usage } from '../../../transcript/common/entries';
import { blockEntryId, messageKeys } from '../model/entryIds';
import { isRecord, asList, asNonEmptyText, asTimeMs, type JsonRecord } from '../model/jsonValues';
import { isPrompt } from '../model/promptText';
import type { ThreadDocument } from '../model/threadSchema';
import { messageUsage, sumUsage } from '../model/threadUsage';
import type { MessagePlace, UnfinishedState } from './parts/entryWithRawJson';
import { isMessageStopped } from '../model/threadState';
import { callIdOfCallBlock } from '../model/callIds';
import { mayHaveLaterResult, type ToolResults } from './toolResults';

/** Computes the place of each message in the thread. `isLive`: the file was written a short time ago. */
export function messagePlaces(
  { messages }: ThreadDocument,
  results: ToolResults,
  isLive: boolean,
): readonly MessagePlace[] {
  const keys = messageKeys(messages);
  const records = messages.map((message) => (isRecord(message) ? message : {}));
  const calls = callsOf(records, keys);
  const mainRoles = records.map(mainRole);
  const lastAnswer = mainRoles.lastIndexOf('assistant');
  const lastPrompt = records.findLastIndex(isPrompt);
  const usages = turnUsages(records, mainRoles);
  const endedFlags: boolean[] = [];
  let turn = 0;
  return records.map((record, index) => {
    if (isPrompt(record)) turn++;
    const at = messageTime(record);
    const call = nearestCall(calls.get(asNonEmptyText(record['parentToolUseId']) ?? ''), index);
    const hasTurnEnded =
      index < lastPrompt ||
      (mainRoles[index] === 'assistant' && index < lastAnswer) ||
      (call !== undefined && (endedFlags[call.messageIndex] === true || hasCallEnded(call, records, results)));
    endedFlags.push(hasTurnEnded);
    const unfinished: UnfinishedState = hasTurnEnded ? 'lost' : isLive ? 'running' : 'stale';
    const usage = usages.get(index);
    return {
      key: keys[index] ?? `i${index}`,
      turn,
      ...withoutUndefined({ at, parent: call?.entryId, usage }),
      unfinished,
      isLive: isLive && index >= lastPrompt && (call === undefined || !hasTurnEnded),
      isAnswered: mainRoles.slice(index + 1, index + 20).find((role) => role !== undefined) === 'assistant',
    };
  });
}

/** A call whose subagent may have written messages. */
interface SubagentCallBlock {
  readonly entryId: string;
  readonly messageIndex: number;
  readonly block: unknown;
}

/** Returns calls by the id with which messages of subagents refer to them. A thread may contain an id several times. */
function callsOf(
  records: readonly JsonRecord[],
  keys: readonly string[],
): ReadonlyMap<string, readonly SubagentCallBlock[]> {
  const calls = new Map<string, SubagentCallBlock[]>();
  for (const [index, { content }] of records.entries()) {
    for (const [block, item] of asList(content).entries()) {
      if (!isRecord(item) || item['type'] !== 'tool_use') continue;
      const id = callIdOfCallBlock(item);
      const call = { entryId: blockEntryId(keys[index] ?? '', block), messageIndex: index, block: item };
      const known = calls.get(id);
      if (known) known.push(call);
      else if (id !== '') calls.set(id, [call]);
    }
  }
  return calls;
}

/** Returns the last call before the message, or else the first call after it. */
function nearestCall(calls: readonly SubagentCallBlock[] | undefined, index: number): SubagentCallBlock | undefined {
  return calls?.findLast(({ messageIndex }) => messageIndex < index) ?? calls?.[0];
}

/** Whether the call has ended. Then its subagent has also ended. */
function hasCallEnded(
  { messageIndex, block }: SubagentCallBlock,
  records: readonly JsonRecord[],
  results: ToolResults,
): boolean {
  if (isMessageStopped(records[messageIndex]?.['state'])) return true;
  const result = results.ofCall(block).at(-1);
  return result !== undefined && !mayHaveLaterResult(result);
}

/** Returns the role of a message. Undefined for messages of subagents and for other roles. */
function mainRole({ role, parentToolUseId }: JsonRecord): 'user' | 'assistant' | undefined {
  if (asNonEmptyText(parentToolUseId) !== undefined) return undefined;
  return role === 'user' || role === 'assistant' ? role : undefined;
}

/** Adds up the usage of each turn. The key is the index of the turn's last answer. */
function turnUsages(
  records: readonly JsonRecord[],
  mainRoles: readonly ('user' | 'assistant' | undefined)[],
): ReadonlyMap<number, Usage> {
  const usages = new Map<number, Usage>();
  let usage: Usage | undefined;
  let last: number | undefined;
  const endTurn = (): void => {
    if (last !== undefined && usage) usages.set(last, usage);
    usage = undefined;
    last = undefined;
  };
  for (const [index, record] of records.entries()) {
    if (isPrompt(record)) endTurn();
    usage = sumUsage([usage, messageUsage(record)]);
    if (mainRoles[index] === 'assistant') last = index;
  }
  endTurn();
  return usages;
}

function messageTime({ usage, meta, createdAt, content }: JsonRecord): number | undefined {
  const messageTimestamp =
    asTimeMs(isRecord(usage) ? usage['timestamp'] : undefined) ?? asTimeMs(isRecord(meta) ? meta['sentAt'] : undefined);
  if (messageTimestamp !== undefined) return messageTimestamp;
  for (const block of asList(content)) {
    const time = isRecord(block) ? (asTimeMs(block['startTime']) ?? asTimeMs(block['finalTime'])) : undefined;
    if (time !== undefined) return time;
  }
  return asTimeMs(createdAt);
}
