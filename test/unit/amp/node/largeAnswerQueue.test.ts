import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LargeAnswerQueue } from '../../../../src/amp/node/largeAnswerQueue';

describe('LargeAnswerQueue', () => {
  const cancelled = { name: 'EditorError', code: 'cancelled' };
  const reading = { isReading: true };

  it('does not give a turn to an ended request', async () => {
    const turns = new LargeAnswerQueue(() => true);
    await assert.rejects(turns.awaitTurn(reading, AbortSignal.abort()), cancelled);
    assert.equal(turns.requestCount, 0);
  });

  it('gives the turn on when its request ends, whether or not anybody still works for it', async () => {
    const turns = new LargeAnswerQueue(() => true);
    const first = new AbortController();
    await turns.awaitTurn(reading, first.signal);
    const second = turns.awaitTurn(reading, new AbortController().signal);
    first.abort();
    await second;
    assert.equal(turns.requestCount, 1);
  });

  it('becomes free again after any sequence of events', async () => {
    const step = fc.record({
      kind: fc.constantFrom('take', 'end', 'stopReading', 'read', 'fill', 'drain'),
      at: fc.nat(7),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let hasRoom = true;
        const turns = new LargeAnswerQueue(() => hasRoom);
        const clients = Array.from({ length: 3 }, () => ({ isReading: true }));
        const requests = Array.from({ length: 8 }, () => new AbortController());
        const taken = new Set<AbortSignal>();
        const settled: Promise<unknown>[] = [];
        for (const { kind, at } of steps) {
          const client = clients[at % clients.length] ?? reading;
          const request = requests[at] ?? new AbortController();
          if (kind === 'take') {
            const { signal } = request;
            const turn = turns.awaitTurn(client, signal).then(
              () => taken.add(signal),
              (error: unknown) => assert.equal((error as { code: string }).code, 'cancelled'),
            );
            settled.push(turn);
          } else if (kind === 'end') request.abort();
          else if (kind === 'stopReading') client.isReading = false;
          else if (kind === 'read') client.isReading = true;
          else hasRoom = kind === 'drain';
          turns.startNextRequest();
          await Promise.resolve();
          assert.ok([...taken].filter(({ aborted }) => !aborted).length <= 1, 'two turns at a time');
          taken.forEach((signal) => signal.aborted && taken.delete(signal));
        }
        for (const request of requests) request.abort();
        await Promise.all(settled);
        assert.equal(turns.requestCount, 0);
        hasRoom = true;
        await turns.awaitTurn(reading, new AbortController().signal);
      }),
    );
  });
});
