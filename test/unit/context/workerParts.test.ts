import assert from 'node:assert/strict';
import { pickHandshakeFields, copyPlainData } from '../../../src/context/node/worker/copyPlainData';
import { BlockedWorkerMonitor } from '../../../src/context/node/workers/blockedWorkerMonitor';
import { outputMark } from '../../../src/context/node/workers/outputMark';
import { RunningProviderNote } from '../../../src/context/node/workers/runningProviderNote';
import { SharedOutputSplitter } from '../../../src/context/node/workers/sharedOutputSplitter';
import { FakeClock } from '../../fake/fakeClock';

describe('the note of a worker', () => {
  it('says whose code runs, also within the code of another, and while one is loaded', () => {
    const note = new RunningProviderNote();
    const other = new RunningProviderNote(note.memory);
    const seen: (number | undefined)[] = [other.read().running];
    note.run(1, () => {
      seen.push(other.read().running);
      note.run(2, () => seen.push(other.read().running));
      seen.push(other.read().running);
    });
    note.beginProviderLoading(3);
    seen.push(other.read().running);
    note.run(1, () => seen.push(other.read().running));
    seen.push(other.read().running);
    note.endProviderLoading();
    seen.push(other.read().running);
    assert.deepEqual(seen, [undefined, 1, 2, 1, 3, 1, 3, undefined]);
  });

  it('reports who has not finished, and who ended the worker', () => {
    const note = new RunningProviderNote();
    for (const provider of [7, 8, 9]) note.setPending(provider, true);
    note.setPending(8, false);
    note.run(9, () => note.recordExit(undefined));
    assert.deepEqual([note.read().pending, note.read().exitedBy], [[7, 9], 9]);
  });

  it('forgets who ran when that code throws', () => {
    const note = new RunningProviderNote();
    assert.throws(() =>
      note.run(1, () => {
        throw new Error('no');
      }),
    );
    assert.equal(note.read().running, undefined);
  });
});

describe('the watch over a shared worker', () => {
  function watched() {
    const clock = new FakeClock();
    const note = new RunningProviderNote();
    const blocked: unknown[] = [];
    const state: { isDelayingOthers: boolean | undefined } = { isDelayingOthers: true };
    const watch = new BlockedWorkerMonitor({
      clock,
      note,
      isDelayingOthers: () => state.isDelayingOthers,
      onBlocked: (running) => blocked.push(running),
    });
    note.recordHeartbeat();
    watch.start();
    return { clock, note, blocked, state, watch };
  }

  it('names the provider that runs without a sign of life', () => {
    const { clock, note, blocked } = watched();
    note.run(4, () => clock.advance(500));
    assert.deepEqual([blocked, clock.pending], [[4], 0]);
  });

  it('leaves more time to a module that is loaded, also when the worker is alive', () => {
    const { clock, note, blocked } = watched();
    note.beginProviderLoading(4);
    for (let step = 0; step < 8; step++) {
      clock.advance(125);
      note.recordHeartbeat();
    }
    assert.deepEqual(blocked, []);
    clock.advance(125);
    assert.deepEqual(blocked, [4]);
  });

  it('does nothing while the worker lives, nobody is held up, or it has not started', () => {
    const { clock, note, blocked, state } = watched();
    for (let step = 0; step < 20; step++) {
      note.recordHeartbeat();
      clock.advance(125);
    }
    state.isDelayingOthers = false;
    clock.advance(5_000);
    assert.deepEqual(blocked, []);
    const fresh = new RunningProviderNote();
    const other = new BlockedWorkerMonitor({
      clock,
      note: fresh,
      isDelayingOthers: () => true,
      onBlocked: () => assert.fail(),
    });
    other.start();
    clock.advance(5_000);
    other.dispose();
  });

  it('ends with the last question', () => {
    const { clock, state } = watched();
    state.isDelayingOthers = undefined;
    clock.advance(125);
    assert.equal(clock.pending, 0);
  });
});

describe('the output of a shared worker', () => {
  it('is split by provider, wherever the pieces are cut', () => {
    const whole = Buffer.from(`first\n${outputMark(12)}two €\n${outputMark(3)}three\n${outputMark(12)}again\n`);
    for (let cut = 1; cut < whole.length; cut++) {
      const lines: string[] = [];
      const output = new SharedOutputSplitter(new FakeClock(), 1, (provider, line) =>
        lines.push(`${provider} ${line}`),
      );
      output.write(whole.subarray(0, cut));
      output.write(whole.subarray(cut));
      output.end();
      assert.deepEqual(lines, ['1 first', '12 two €', '3 three', '12 again'], `cut at ${cut}`);
    }
  });
});

describe('an answer to the handshake', () => {
  it('is copied without what cannot be sent', () => {
    const circle: Record<string, unknown> = { path: '**' };
    circle['self'] = circle;
    const answer = { name: 'N', selector: [{ path: 'a', f: () => 1 }], annotations: null, other: () => 1 };
    assert.deepEqual(structuredClone(pickHandshakeFields(answer)), {
      name: 'N',
      meta: undefined,
      selector: [{ path: 'a', f: undefined }],
      features: undefined,
      annotations: null,
    });
    assert.doesNotThrow(() => structuredClone(pickHandshakeFields({ annotations: { selectors: [circle] } })));
    for (const value of [undefined, null, 'text', 3, () => 1, Symbol('s')])
      assert.doesNotThrow(() => structuredClone(pickHandshakeFields(value)));
  });

  it('is refused when it is too large', () => {
    assert.throws(() => copyPlainData(new Array(30_000).fill(1)), /too large/);
  });
});
