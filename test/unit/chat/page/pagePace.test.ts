import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PagePace } from '../../../../src/chat/common/page/feed/pagePace';
import { FakeClock } from '../../../fake/fakeClock';

const steps = ['change', 'frame', 'shown', 'flush', 'alive', 'newPage'] as const;

describe('PagePace', () => {
  it('never has two updates at a page that is slow, and loses no change, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 60 }), (order) => {
        const clock = new FakeClock();
        const seen: number[] = [];
        let [changes, posted] = [0, 0];
        /** How many the page has not shown yet. */
        let waiting = 0;
        let mayOvertake = false;
        const pace = new PagePace(clock, () => {
          if (posted === changes) return;
          assert.ok(waiting === 0 || mayOvertake, 'posted to a page that is busy');
          for (; posted < changes; posted++) seen.push(posted);
          waiting++;
          pace.onPosted();
        });
        const flush = (): void => {
          mayOvertake = true;
          pace.flushNow();
          mayOvertake = false;
        };
        const shown = (): void => {
          if (waiting === 0) return;
          waiting--;
          pace.onShown();
        };
        const run = {
          change: () => {
            changes++;
            pace.schedule();
          },
          frame: () => clock.advance(16),
          shown,
          flush,
          alive: () => {
            waiting = 0;
            pace.forgetUnshown();
          },
          newPage: () => {
            pace.dispose();
            waiting = 0;
            // A new page gets everything.
            pace.schedule();
            flush();
          },
        };
        for (const step of order) run[step]();
        clock.advance(16);
        while (waiting > 0) shown();
        clock.advance(16);
        assert.deepEqual(
          seen,
          Array.from({ length: changes }, (_, index) => index),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('posts as soon as the page has shown the last update, and not before the next frame otherwise', () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const pace = new PagePace(clock, () => {
      times.push(clock.now());
      pace.onPosted();
    });
    pace.schedule();
    clock.advance(16);
    pace.schedule();
    clock.advance(100);
    pace.onShown();
    pace.onShown();
    pace.schedule();
    clock.advance(15);
    assert.deepEqual(times, [16, 116]);
    clock.advance(1);
    assert.deepEqual(times, [16, 116, 132]);
  });
});
