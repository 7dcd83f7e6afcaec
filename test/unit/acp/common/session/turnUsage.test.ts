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

  it('is never negative when a count goes back without notice', () => {
    const usage = new TurnUsage();
    usage.usageOfTurn({ input: 500, output: 50 }, 'session');
    assert.deepEqual(usage.usageOfTurn({ input: 20, output: 60 }, 'session'), { input_tokens: 20, output_tokens: 60 });
  });
});
