import assert from 'node:assert/strict';
import { PruneSchedule, type PruneRequest } from '../../../../src/changes/node/pruneSchedule';
import { FakeClock } from '../../../fake/fakeClock';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('PruneSchedule', () => {
  let clock: FakeClock;
  let requests: PruneRequest[];
  let isCancelled: boolean;
  let schedule: PruneSchedule;
  beforeEach(() => {
    clock = new FakeClock();
    requests = [];
    isCancelled = false;
    schedule = new PruneSchedule(clock, (request) => {
      requests.push(request);
      return Promise.resolve(!isCancelled);
    });
  });
  afterEach(() => schedule.stop());

  async function pass(seconds: number, each: () => void = () => undefined): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      each();
      clock.advance(1_000);
      await settled();
    }
  }

  it('checks the size although one prompt follows another', async () => {
    await pass(60, () => schedule.request());
    assert.ok(requests.length >= 9, `${requests.length} checks`);
    assert.ok(requests.every(({ isFull, othersWait }) => !isFull && !othersWait));
  });

  it('removes old checkpoints after a while, also without another prompt, and then rests', async () => {
    schedule.request();
    await pass(10);
    assert.deepEqual(
      requests.map(({ isFull }) => isFull),
      [false],
    );
    await pass(300);
    assert.deepEqual(
      requests.map(({ isFull }) => isFull),
      [false, true],
    );
    assert.equal(clock.pending, 0);
  });

  it('is done again after it was cancelled, until the others wait for it', async () => {
    isCancelled = true;
    schedule.request();
    await pass(16);
    assert.deepEqual(
      requests.map(({ othersWait }) => othersWait),
      [false, false, true],
    );
    isCancelled = false;
    await pass(5);
    schedule.request();
    await pass(5);
    assert.deepEqual(
      requests.slice(3).map(({ othersWait }) => othersWait),
      [true, false],
    );
  });

  it('looks again at what is stored while it runs', async () => {
    const running = Promise.withResolvers<boolean>();
    schedule = new PruneSchedule(clock, (request) => {
      requests.push(request);
      return requests.length === 1 ? running.promise : Promise.resolve(true);
    });
    schedule.request();
    await pass(6, () => schedule.request());
    assert.equal(requests.length, 1);
    running.resolve(true);
    await settled();
    await pass(5);
    assert.equal(requests.length, 2);
  });

  it('does nothing after it was stopped', async () => {
    schedule.request();
    schedule.stop();
    schedule.request();
    await pass(600);
    assert.deepEqual(requests, []);
    assert.equal(clock.pending, 0);
  });
});
