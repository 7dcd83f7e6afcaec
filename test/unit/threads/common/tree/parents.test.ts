import assert from 'node:assert/strict';
import { findParents } from '../../../../../src/threads/common/tree/parents';
import type { ThreadRelation } from '../../../../../src/threads/common/threadPorts';
import { head } from '../../support/threadHead';

const parent = (threadId: string, type: ThreadRelation['type'] = 'fork'): ThreadRelation => ({
  type,
  role: 'parent',
  threadId,
});
const child = (threadId: string, type: ThreadRelation['type'] = 'fork'): ThreadRelation => ({
  type,
  role: 'child',
  threadId,
});

function parents(...heads: Parameters<typeof findParents>[0]): Record<string, string> {
  return Object.fromEntries([...findParents(heads)].map(([id, tie]) => [id, tie.parentId]));
}

describe('families of threads', () => {
  it('finds the parent whichever of the two tells of it', () => {
    assert.deepEqual(parents(head('a'), head('b', { relations: [parent('a')] })), { b: 'a' });
    assert.deepEqual(parents(head('a', { relations: [child('b')] }), head('b')), { b: 'a' });
  });

  it('has no tie to a thread that is not here, to itself, or by a mention', () => {
    const relations = [parent('gone'), parent('b'), parent('a', 'mention')];
    assert.deepEqual(parents(head('a'), head('b', { relations })), {});
  });

  it('takes the strongest of several ties', () => {
    const relations = [parent('a', 'handoff'), parent('b', 'subthread')];
    assert.deepEqual(parents(head('a'), head('b'), head('c', { relations })), { c: 'b' });
  });

  it('has no loops, of two threads or of many', () => {
    const two = findParents([head('a', { relations: [parent('b')] }), head('b', { relations: [parent('a')] })]);
    assert.equal(two.size, 1);
    const ring = Array.from({ length: 50 }, (_, at) => head(`${at}`, { relations: [parent(`${(at + 1) % 50}`)] }));
    const ties = findParents(ring);
    assert.equal(ties.size, 49);
    for (const { id } of ring) {
      let steps = 0;
      for (let at: string | undefined = id; at !== undefined; at = ties.get(at)?.parentId) steps++;
      assert.ok(steps <= 50);
    }
  });
});
