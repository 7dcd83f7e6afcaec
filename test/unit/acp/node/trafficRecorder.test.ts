import assert from 'node:assert/strict';
import { TrafficRecorder } from '../../../../src/acp/node/trafficRecorder';
import type { TrafficEntry } from '../../../../src/wire/common/traffic';

function open(isRecording: boolean) {
  const recorded: TrafficEntry[] = [];
  let timeMs = 0;
  const tap = { isRecording, record: (entry: TrafficEntry) => void recorded.push(entry) };
  return {
    recorded,
    recorder: new TrafficRecorder({ tap, peer: 'Demo', clock: { monotonicNow: () => (timeMs += 5) } }),
  };
}

describe('the requests of a connection', () => {
  it('are known by their answers once, whether or not anybody watches', () => {
    for (const isOpen of [true, false]) {
      const { recorded, recorder } = open(isOpen);
      recorder.recordOutbound({ id: 1, method: 'ask' });
      recorder.recordInbound({ id: 1, method: 'askBack' });
      assert.equal(recorder.receivedRequests.size, 1);
      assert.equal(recorder.recordInbound({ id: 1, result: null })?.method, 'ask');
      assert.equal(recorder.recordInbound({ id: 1, result: null }), undefined);
      assert.equal(recorder.recordOutbound({ id: 1, error: { code: -1 } })?.method, 'askBack');
      assert.equal(recorder.receivedRequests.size, 0);
      assert.deepEqual(
        recorded.map(({ direction, method, durationMs: ms, error }) => [direction, method, ms, error]),
        isOpen
          ? [
              ['out', 'ask', undefined, undefined],
              ['in', 'askBack', undefined, undefined],
              ['in', 'ask', 10, undefined],
              ['in', 'answer', undefined, undefined],
              ['out', 'askBack', 10, -1],
            ]
          : [],
      );
    }
  });

  it('are not taken for answers when their method is no text', () => {
    const { recorder } = open(false);
    recorder.recordOutbound({ id: 1, method: 'ask' });
    assert.equal(recorder.recordInbound({ id: 1, method: 7 }), undefined);
    assert.equal(recorder.recordInbound({ id: 1, result: null })?.method, 'ask');
  });

  it('are forgotten beyond a thousand, the oldest first', () => {
    const { recorder } = open(false);
    for (let id = 0; id <= 1000; id++) recorder.recordOutbound({ id, method: 'ask' });
    assert.equal(recorder.recordInbound({ id: 0, result: null }), undefined);
    assert.equal(recorder.recordInbound({ id: 1, result: null })?.method, 'ask');
  });
});
