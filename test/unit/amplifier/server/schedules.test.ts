import assert from 'node:assert/strict';
import fc from 'fast-check';
import { eventually } from '../../../support/eventually';
import { ScheduleRunner, type RequestEnd, type Step } from './support/scheduleRunner';

const at = fc.nat(20);
const size = fc.oneof(fc.nat(100), fc.nat(250_000));
const part = fc.double({ min: 0.01, max: 1, noNaN: true });
const end: fc.Arbitrary<RequestEnd> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ how: 'whole' } as const) },
  { weight: 2, arbitrary: fc.record({ how: fc.constantFrom('stall', 'close', 'reset'), part }) },
);
const message = fc.constantFrom(
  '{"action":"submit_prompt","prompt":"x"}',
  '{"action":"submit_approval","decision":"Allow"}',
  '{"action":"stop"}',
  'no message',
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create'), agentStalls: fc.boolean(), size, end }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('prompt'), at, size, end }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('approve', 'cancel', 'delete'), at, end }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('follow'),
      at,
      by: fc.constantFrom('sse', 'webSocket'),
      reads: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('control'), at, message, isCut: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('say'), at, size }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('ask', 'finish', 'fail', 'quit', 'forget'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave'), at }) },
  { weight: 1, arbitrary: fc.constant({ do: 'wait' } as const) },
);

const nothing = {
  connections: 0,
  webSockets: 0,
  requests: 0,
  heldBytes: 0,
  sessions: 0,
  sessionsInChange: 0,
  subscribers: 0,
  runningTurns: 0,
  pendingApprovals: 0,
};

describe('the embedded server after any schedule of requests, stalls, aborts and disconnects', () => {
  it('answers a fresh client, and holds nothing for the clients that have gone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const runner = await ScheduleRunner.start();
        const { clock, harness } = runner;
        try {
          for (const one of steps) await runner.run(one);
          assert.equal((await harness.call('GET', '/health')).status, 200, 'while the others are still there');
          runner.leave();
          await eventually('all that belongs to a connection is let go of', () => {
            const { connections, heldBytes, requests, sessionsInChange, subscribers, webSockets } =
              harness.server.loadCounts;
            const held = [connections, heldBytes, requests, sessionsInChange, subscribers, webSockets];
            assert.deepEqual(held, [0, 0, 0, 0, 0, 0]);
          });
          runner.endTurns();
          await eventually('no turn is open, and no question of one', () => {
            const { pendingApprovals, runningTurns } = harness.server.loadCounts;
            assert.deepEqual([pendingApprovals, runningTurns], [0, 0]);
          });
          await runner.deleteSessions();
          const body = { profile: 'fake', context: { workspace_root: '/ws' } };
          const { id } = await harness.createSession(body);
          const prompt = { prompt: 'x'.repeat(190_000) };
          assert.equal((await harness.call('POST', `/sessions/${id}/prompt`, { body: prompt })).status, 202);
          await runner.deleteSessions();
          await eventually('nothing is held', () => {
            assert.deepEqual(harness.server.loadCounts, nothing);
            assert.equal(clock.pending, 0, 'timers');
          });
          assert.deepEqual(
            harness.log.lines.filter((line) => line.includes('RangeError') || line.includes('TypeError')),
            [],
          );
        } finally {
          runner.leave();
          await harness.stop();
        }
      }),
      { numRuns: 60, interruptAfterTimeLimit: 60_000 },
    );
  });
});
