import assert from 'node:assert/strict';
import { pickHandshakeFields, copyPlainData } from '../../../src/context/node/worker/copyPlainData';
import { BlockedWorkerMonitor } from '../../../src/context/node/workers/blockedWorkerMonitor';
import { outputMark } from '../../../src/context/node/workers/outputMark';
import { SharedOutputSplitter } from '../../../src/context/node/workers/sharedOutputSplitter';
import { WorkerProgress } from '../../../src/context/node/workers/workerProgress';
import { FakeClock } from '../../fake/fakeClock';

describe('the progress of a worker', () => {
  it('is read from the memory that it shares', () => {
    const progress = new WorkerProgress();
    const other = new WorkerProgress(progress.memory);
    assert.deepEqual(other.read(), { heartbeatCount: 0, isLoading: false, loadCount: 0 });
    progress.beginLoading();
    assert.deepEqual(other.read(), { heartbeatCount: 1, isLoading: true, loadCount: 1 });
    progress.endLoading();
    progress.recordHeartbeat();
    assert.deepEqual(other.read(), { heartbeatCount: 3, isLoading: false, loadCount: 1 });
  });
});

describe('the watch over a shared worker', () => {
  function watched() {
    const clock = new FakeClock();
    const progress = new WorkerProgress();
    const state: { areSeveralAsked: boolean | undefined; blocked: number } = { areSeveralAsked: true, blocked: 0 };
    const watch = new BlockedWorkerMonitor({
      clock,
      progress,
      areSeveralAsked: () => state.areSeveralAsked,
      onBlocked: () => state.blocked++,
    });
    progress.recordHeartbeat();
    watch.start();
    return { clock, progress, state };
  }

  it('reports once that there is no sign of life', () => {
    const { clock, state } = watched();
    clock.advance(249);
    assert.equal(state.blocked, 0);
    clock.advance(500);
    assert.deepEqual([state.blocked, clock.pending], [1, 0]);
  });

  it('leaves more time to a module that is loaded, also when the worker is alive', () => {
    const { clock, progress, state } = watched();
    progress.beginLoading();
    for (let step = 0; step < 8; step++) {
      clock.advance(125);
      progress.recordHeartbeat();
    }
    assert.equal(state.blocked, 0);
    clock.advance(125);
    assert.equal(state.blocked, 1);
  });

  it('does nothing while the worker lives, one provider is asked, or it has not started', () => {
    const { clock, progress, state } = watched();
    for (let step = 0; step < 20; step++) {
      progress.recordHeartbeat();
      clock.advance(125);
    }
    state.areSeveralAsked = false;
    clock.advance(5_000);
    assert.equal(state.blocked, 0);
    const fresh = new WorkerProgress();
    const other = new BlockedWorkerMonitor({
      clock,
      progress: fresh,
      areSeveralAsked: () => true,
      onBlocked: () => assert.fail(),
    });
    other.start();
    clock.advance(5_000);
    other.dispose();
  });

  it('ends with the last question', () => {
    const { clock, state } = watched();
    state.areSeveralAsked = undefined;
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
