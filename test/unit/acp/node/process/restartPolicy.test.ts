import assert from 'node:assert/strict';
import { RestartPolicy, type RestartDecision } from '../../../../../src/acp/node/process/restartPolicy';

const minuteMs = 60_000;

describe('RestartPolicy', () => {
  function policyWith(random: number): { crashAt: (timeMs: number) => RestartDecision; policy: RestartPolicy } {
    let nowMs = 0;
    const policy = new RestartPolicy(
      () => nowMs,
      () => random,
    );
    return {
      policy,
      crashAt: (timeMs) => {
        nowMs = timeMs;
        return policy.recordCrash();
      },
    };
  }

  it('doubles the delay from half a second and gives up at the fifth crash in three minutes', () => {
    const { crashAt } = policyWith(1);
    assert.deepEqual(
      [0, 10_000, 20_000, 30_000, 40_000].map(crashAt),
      [500, 1_000, 2_000, 4_000, undefined].map((delayMs) =>
        delayMs === undefined ? { kind: 'giveUp' } : { kind: 'restart', delayMs },
      ),
    );
  });

  it('takes no more than half off the delay', () => {
    assert.deepEqual(policyWith(0).crashAt(0), { kind: 'restart', delayMs: 250 });
  });

  it('forgets crashes of more than three minutes ago', () => {
    const { crashAt } = policyWith(1);
    for (let count = 0; count < 50; count++) assert.equal(crashAt(count * minuteMs).kind, 'restart');
    assert.deepEqual(crashAt(60 * minuteMs), { kind: 'restart', delayMs: 500 });
  });

  it('never waits longer than half a minute', () => {
    const policy = new RestartPolicy(
      () => 0,
      () => 1,
      { delay: { firstMs: 500, maxMs: 30_000 }, maxCrashes: 100, windowMs: minuteMs },
    );
    const delays = Array.from({ length: 50 }, () => policy.recordCrash()).map((it) =>
      it.kind === 'restart' ? it.delayMs : 0,
    );
    assert.equal(Math.max(...delays), 30_000);
  });

  it('starts over when the user asked for a start', () => {
    const { crashAt, policy } = policyWith(1);
    [0, 1, 2, 3, 4].forEach(crashAt);
    policy.reset();
    assert.deepEqual(crashAt(5), { kind: 'restart', delayMs: 500 });
  });
});
