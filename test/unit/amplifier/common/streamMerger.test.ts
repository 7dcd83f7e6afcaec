import assert from 'node:assert/strict';
import { DeltaMerger } from '../../../../src/amplifier/common/api/deltaMerger';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';

describe('deltas that come at a stretch', () => {
  let told: SessionEvent[];
  let merger: DeltaMerger;
  beforeEach(() => {
    told = [];
    merger = new DeltaMerger((event) => told.push(event));
  });

  const text = (delta: string, block_index = 0): SessionEvent => ({
    event: 'content_block:delta',
    data: { session_id: 's', block_index, delta },
  });
  const thinking = (delta: string): SessionEvent => ({ event: 'thinking:delta', data: { session_id: 's', delta } });
  const notice: SessionEvent = { event: 'notice', data: { session_id: 's', level: 'info', message: 'm' } };

  it('are one event, at the end of the task', async () => {
    merger.add(text('a'));
    merger.add(text('b'));
    assert.deepEqual(told, []);
    await Promise.resolve();
    assert.deepEqual(told, [text('ab')]);
    merger.add(text('c'));
    await Promise.resolve();
    assert.deepEqual(told, [text('ab'), text('c')]);
  });

  it('stay apart by block and kind, and in order with everything else', async () => {
    for (const event of [text('a'), text('b', 1), thinking('x'), thinking('y'), notice, text('c'), notice]) {
      merger.add(event);
    }
    await Promise.resolve();
    assert.deepEqual(told, [text('a'), text('b', 1), thinking('xy'), notice, text('c'), notice]);
  });
});
