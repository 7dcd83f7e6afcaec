import assert from 'node:assert/strict';
import { SessionStatus } from '../../../../src/amplifier/common/apiSchema';
import { StatusWatch } from '../../../../src/amplifier/node/client/statusWatch';
import { FakeClock } from '../../../fake/fakeClock';

describe('holding a session against its status', () => {
  let clock: FakeClock;
  let watch: StatusWatch;
  let log: string[];
  let isTurnOpen: boolean;
  let answer: (status: SessionStatus['status']) => Promise<void>;
  let asked: number;

  beforeEach(() => {
    clock = new FakeClock();
    log = [];
    isTurnOpen = true;
    asked = 0;
    watch = new StatusWatch({
      clock,
      heartbeatMs: 1000,
      settleMs: 100,
      getStatus: () => {
        asked++;
        return new Promise((resolve) => {
          answer = async (status) => {
            resolve(SessionStatus.parse({ session_id: 's', status }));
            await new Promise((done) => setImmediate(done));
          };
        });
      },
      isTurnOpen: () => isTurnOpen,
      onStatus: ({ status }) => log.push(status),
      onInterrupted: () => log.push('interrupted'),
      onError: () => log.push('error'),
    });
    watch.start();
  });
  afterEach(() => watch.dispose());

  it('does not believe a status that an event has overtaken', async () => {
    watch.check();
    watch.countEvent();
    await answer('idle');
    assert.deepEqual(log, []);
  });

  it('asks again after one that was overtaken, a few times', async () => {
    isTurnOpen = false;
    for (const expected of [1, 2, 3, 4, 4]) {
      if (expected === 1) watch.check();
      assert.equal(asked, expected);
      watch.countEvent();
      await answer('processing');
      clock.advance(100);
    }
    assert.deepEqual(log, []);
    watch.check();
    await answer('processing');
    assert.deepEqual(log, ['processing']);
  });

  it('interrupts the turn of an idle server once no event came in the time to settle', async () => {
    watch.check();
    await answer('idle');
    clock.advance(99);
    assert.deepEqual(log, ['idle']);
    clock.advance(1);
    assert.deepEqual(log, ['idle', 'interrupted']);
  });

  it('does not when one came', async () => {
    watch.check();
    await answer('idle');
    watch.countEvent();
    clock.advance(100);
    assert.deepEqual(log, ['idle']);
  });

  it('looks after an open turn that is without events, and after no other', () => {
    clock.advance(1000);
    assert.equal(asked, 1);
    watch.countEvent();
    clock.advance(1000);
    isTurnOpen = false;
    clock.advance(5000);
    assert.equal(asked, 1);
  });

  it('asks again when it was told to while it asked', async () => {
    watch.check();
    watch.check();
    watch.check();
    assert.equal(asked, 1);
    await answer('processing');
    assert.equal(asked, 2);
    await answer('processing');
    assert.equal(asked, 2);
  });

  it('leaves no timer and says nothing once it is disposed', async () => {
    watch.check();
    watch.dispose();
    await answer('idle');
    assert.deepEqual(log, []);
    assert.equal(clock.pending, 0);
  });
});
