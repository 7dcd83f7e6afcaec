import { isRecord, asNonEmptyText } from './jsonValues';
import type { ThreadDocument } from './threadSchema';
import type { ThreadRelation } from '../threadPorts';

/** Returns the related threads that a document names, once each. Relations may form cycles. */
export function relationsOf(document: ThreadDocument, ownId: string): readonly ThreadRelation[] {
  const relations: ThreadRelation[] = [];
  const add = (relation: ThreadRelation): void => {
    const isKnown = relations.some(
      ({ type, role, threadId }) => type === relation.type && role === relation.role && threadId === relation.threadId,
    );
    if (!isKnown && relation.threadId !== ownId) relations.push(relation);
  };
  for (const item of document.relationships ?? []) {
    if (!isRecord(item)) continue;
    const threadId = asNonEmptyText(item['threadID']);
    const { type } = item;
    if (threadId === undefined || (type !== 'fork' && type !== 'handoff' && type !== 'mention')) continue;
    // The file contains the role of this thread, but a relation has the role of the other thread.
    add({ type, role: item['role'] === 'child' ? 'parent' : 'child', threadId });
  }
  if (document.originThreadID !== undefined) add({ type: 'fork', role: 'parent', threadId: document.originThreadID });
  if (document.mainThreadID !== undefined) add({ type: 'subthread', role: 'parent', threadId: document.mainThreadID });
  return relations;
}
