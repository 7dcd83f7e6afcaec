import assert from 'node:assert/strict';
import { headOf, nextStaleAt } from '../../../../../src/threads/common/heads/heads';
import { isRecentlyWritten } from '../../../../../src/threads/common/model/threadState';
import { head } from '../../support/threadHead';

describe('the head of a thread', () => {
  const idOf = (id: unknown, threadId?: string): string | undefined =>
    headOf(
      { id, messages: [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }] },
      { source: 'file', path: '/tmp/thread.json', nowMs: 0, ...(threadId === undefined ? {} : { threadId }) },
    )?.id;

  it('is named by its document only when that is an id, else by its path', () => {
    assert.equal(idOf('T-019be0a1-0000'), 'T-019be0a1-0000');
    for (const id of ['', 'T-a b', 'T-a\n', '../T-a', '`](command:evil)', undefined])
      assert.equal(idOf(id), '/tmp/thread.json', String(id));
    assert.equal(idOf('T-other', 'T-named'), 'T-named');
  });

  it('was not begun in the future, whatever its id and its document say', () => {
    const nowMs = Date.UTC(2026, 10, 22);
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }];
    const from = { source: 'local', mtimeMs: nowMs - 5_000, nowMs } as const;
    const future = headOf({ id: 'T-ffffffff-ffff-7000-8000-000000000000', messages }, from);
    assert.deepEqual([future?.createdAt, future?.lastPromptAt], [undefined, nowMs - 5_000]);
    const document = headOf({ id: 'T-019be0a1-0000-7000-8000-000000000017', created: nowMs * 2, messages }, from);
    assert.equal(document?.createdAt, 0x019be0a10000);
    assert.equal(document.lastPromptAt, 0x019be0a10000);
    // Clocks differ by minutes, and by time zones.
    assert.equal(headOf({ created: nowMs + 3_600_000, messages }, from)?.createdAt, nowMs + 3_600_000);
  });

  it('is stale from the reported time on', () => {
    const at = nextStaleAt([head('a', { state: 'running', mtimeMs: 1_000 })]) ?? 0;
    assert.ok(isRecentlyWritten(1_000, at - 1));
    assert.ok(!isRecentlyWritten(1_000, at));
  });

  it('tells the first moment of those that run, and none of others', () => {
    const at = (mtimeMs: number): number | undefined => nextStaleAt([head('a', { state: 'running', mtimeMs })]);
    const heads = [9_000, 5_000, 7_000].map((mtimeMs) => head('a', { state: 'running', mtimeMs }));
    assert.equal(nextStaleAt([...heads, head('b', { state: 'waiting', mtimeMs: 1 })]), at(5_000));
    assert.equal(nextStaleAt([head('a', { mtimeMs: 1 }), head('b', { state: 'running' })]), undefined);
  });
});
