import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TurnUsage, type TokenCounts } from '../../../../../src/acp/common/session/turnUsage';

const counts = fc.record({ input: fc.nat(1_000_000), output: fc.nat(1_000_000) });

describe('the usage of turns', () => {
  it('is the same for agents that count turns and for those that count sessions, over any restarts', () => {
    const steps = fc.array(fc.oneof(counts, fc.constant('restart' as const)));
    fc.assert(
      fc.property(steps, (all) => {
        const ofTurns = new TurnUsage();
        const ofSession = new TurnUsage();
        let total: TokenCounts = { input: 0, output: 0 };
        for (const step of all) {
          if (step === 'restart') {
            ofSession.reset();
            total = { input: 0, output: 0 };
            continue;
          }
          total = { input: total.input + step.input, output: total.output + step.output };
          assert.deepEqual(ofSession.usageOfTurn(total, 'session'), ofTurns.usageOfTurn(step, 'turn'));
        }
      }),
    );
  });

  it('keeps cached tokens and those of thoughts, and shows nothing for agents that report only their last request', () => {
    const usage = new TurnUsage();
    const all = { input: 10, output: 4, cacheRead: 7, cacheWrite: 2, thought: 1 };
    const details = { cache_read_tokens: 7, cache_write_tokens: 2, thought_tokens: 1 };
    assert.deepEqual(usage.usageOfTurn(all, 'turn'), { input_tokens: 10, output_tokens: 4, ...details });
    assert.equal(usage.usageOfTurn(all, 'request'), undefined);
    usage.usageOfTurn(all, 'session');
    assert.deepEqual(usage.usageOfTurn({ input: 15, output: 6, cacheRead: 9, cacheWrite: 2 }, 'session'), {
      input_tokens: 5,
      output_tokens: 2,
      cache_read_tokens: 2,
      cache_write_tokens: 0,
    });
  });

  it('is never negative when a count goes back without notice', () => {
    const usage = new TurnUsage();
    usage.usageOfTurn({ input: 500, output: 50 }, 'session');
    assert.deepEqual(usage.usageOfTurn({ input: 20, output: 60 }, 'session'), { input_tokens: 20, output_tokens: 60 });
  });
});
