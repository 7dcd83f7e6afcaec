import type { Usage } from '../../../transcript/common/entries';
import { blockId, messageKeys } from '../entryIds';
import { isRecord, listOf, textOf, timeOf, type JsonRecord } from '../json';
import { isPrompt } from '../promptText';
import type { ThreadDocument } from '../schema';
import { messageUsage, sumUsage } from '../threadUsage';
import type { MessageContext, Unfinished } from './mapped';
import { callId } from './results';

/** What each message needs to know of the thread around it. `isLive`: its file was written a moment ago. */
export function contextsOf({ messages }: ThreadDocument, isLive: boolean): readonly MessageContext[] {
  const keys = messageKeys(messages);
  const records = messages.map((message) => (isRecord(message) ? message : {}));
  const parents = callEntries(records, keys);
  const ownRoles = records.map(ownRole);
  const lastAnswer = ownRoles.lastIndexOf('assistant');
  const lastPrompt = records.findLastIndex(isPrompt);
  const usages = turnUsages(records, ownRoles);
  let turn = 0;
  return records.map((record, index) => {
    if (isPrompt(record)) turn++;
    const at = timeOfMessage(record);
    const parent = parents.get(textOf(record['parentToolUseId']) ?? '');
    const isOver = index < lastPrompt || (ownRoles[index] === 'assistant' && index < lastAnswer);
    const unfinished: Unfinished = isOver ? 'lost' : isLive ? 'running' : 'stale';
    const usage = usages.get(index);
    return {
      key: keys[index] ?? `i${index}`,
      turn,
      ...(at === undefined ? {} : { at }),
      ...(parent === undefined ? {} : { parent }),
      unfinished,
      isLive: isLive && index >= lastPrompt,
      ...(usage === undefined ? {} : { usage }),
      isAnswered: ownRoles.slice(index + 1, index + 20).find((role) => role !== undefined) === 'assistant',
    };
  });
}

/** The entries of calls, by the id that messages of subagents name them by. */
function callEntries(records: readonly JsonRecord[], keys: readonly string[]): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const [index, { content }] of records.entries()) {
    for (const [block, item] of listOf(content).entries()) {
      if (!isRecord(item) || item['type'] !== 'tool_use') continue;
      const id = callId(item);
      if (id !== '' && !entries.has(id)) entries.set(id, blockId(keys[index] ?? '', block));
    }
  }
  return entries;
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
