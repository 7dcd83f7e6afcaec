import assert from 'node:assert/strict';
import { EarlyUpdates } from '../../../../../src/acp/node/connection/earlyUpdates';

const update = (sessionId: string, megabytes: number) => ({
  sessionId,
  update: { sessionUpdate: 'agent_message_chunk', text: 'x'.repeat(megabytes * 1024 * 1024) },
});

describe('updates of sessions that do not exist yet', () => {
  it('make room when their session takes them, in their order', () => {
    const early = new EarlyUpdates();
    const first = update('a', 7);
    const second = { sessionId: 'a', update: { sessionUpdate: 'plan' } };
    assert.ok(early.keep(first) && early.keep(second) && early.keep(update('b', 7)));
    assert.equal(early.keep(update('c', 7)), false, 'the limit is 16 MiB');
    assert.deepEqual(early.take('a'), [first.update, second.update]);
    assert.deepEqual(early.take('a'), []);
    assert.ok(early.keep(update('c', 7)), 'what was taken does not count');
    assert.equal(early.keep(update('d', 7)), false);
    early.clear();
    assert.ok(early.keep(update('d', 15)));
  });
});
