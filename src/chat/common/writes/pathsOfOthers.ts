import type { FileTextId } from '../changes/fileTexts';
import type { LogRecord } from '../conversation/logRecord';
import type { AgentWrite } from './agentWrites';
import { contentsLeftBy } from './sharedWrites';

/**
 * Returns the paths of files that other conversations have written since a prompt of the conversation `id`, each with the id of
 * the last of them. Both conversations of a restore with a fork own that restore. What the original conversation had written in
 * its files by then was taken away by it, so it is not named in the fork.
 */
export function pathsOfOthers(
  id: string,
  recordsSince: readonly LogRecord[],
  writes: readonly AgentWrite[],
): ReadonlyMap<string, string> {
  // A fork has the records of what the original conversation has written and undone before.
  const own = new Set<string>();
  const restoredAt = new Map<string, number>();
  for (const record of recordsSince) {
    const left = contentsLeftBy(record);
    if (left) own.add(keyOf(left.path, left.text));
    if (record.type === 'restored' && record.origin !== undefined) {
      for (const path of record.paths) restoredAt.set(keyOf(path, record.origin), record.at);
    }
  }
  const others = writes.filter(
    ({ at, conversation, path, text }) =>
      conversation !== id &&
      !own.has(keyOf(path, text)) &&
      at > (restoredAt.get(keyOf(path, conversation)) ?? -Infinity),
  );
  return new Map(others.map(({ conversation, path }) => [path, conversation]));
}

function keyOf(path: string, of: FileTextId): string {
  return JSON.stringify([path, of]);
}
