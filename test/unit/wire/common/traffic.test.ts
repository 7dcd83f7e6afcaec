import assert from 'node:assert/strict';
import { TrafficLog, type TrafficEntry } from '../../../../src/wire/common/traffic';

describe('the traffic log', () => {
  const entry: TrafficEntry = { protocol: 'acp', direction: 'out', peer: 'agent', method: 'a', bytes: 1 };
  const newLog = (maxEntries = 4): TrafficLog => new TrafficLog(() => 7, maxEntries, assert.ifError);

  it('keeps what peers have named short and on its line', () => {
    const log = newLog();
    log.startRecording();
    log.record({ ...entry, peer: `${'p'.repeat(59)}\r`, method: `read\nFile\u2028${'x'.repeat(5_000_000)}` });
    log.record({ ...entry, error: `\0${'e'.repeat(100)}` });
    const [first, second] = log.recordedEntries;
    assert.equal(first?.peer, `${'p'.repeat(59)}\uFFFD`);
    assert.equal(first.method, `read\uFFFDFile\uFFFD${'x'.repeat(49)}…`);
    assert.equal(first.method.length, 60);
    assert.equal(second?.error, `\uFFFD${'e'.repeat(58)}…`);
  });

  it('records nothing unless somebody watches, and forgets it when the last one has gone', () => {
    const log = newLog();
    log.record(entry);
    assert.deepEqual(log.recordedEntries, []);
    const watchers = [log.startRecording(), log.startRecording()];
    log.record({ ...entry, error: -32_601 });
    watchers[0]?.dispose();
    watchers[0]?.dispose();
    assert.deepEqual(log.recordedEntries, [{ ...entry, error: -32_601, recordedAt: 7 }]);
    watchers[1]?.dispose();
    assert.deepEqual(log.recordedEntries, []);
    assert.equal(log.isRecording, false);
  });

  it('keeps the newest messages and counts those that had to go', () => {
    const log = newLog();
    log.startRecording();
    for (let bytes = 1; bytes <= 5; bytes++) log.record({ ...entry, bytes });
    assert.deepEqual([log.recordedEntries.length, log.droppedEntryCount], [5, 0], 'a quarter more is kept');
    log.record({ ...entry, bytes: 6 });
    assert.deepEqual(
      log.recordedEntries.map(({ bytes }) => bytes),
      [3, 4, 5, 6],
    );
    assert.equal(log.droppedEntryCount, 2);
  });
});
