import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FairCallQueue, TooManyCallsError, type CallLimits } from '../../../../src/tools/common/calls/fairCallQueue';
import { FakeClock } from '../../../fake/fakeClock';

const limits: CallLimits = {
  maxRunning: 3,
  maxRunningPerClient: 2,
  maxWaitingPerClient: 4,
  callsPerSecond: 10,
  burstSize: 5,
};
const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls whose work ends when the test says so. */
class Calls {
  readonly clock = new FakeClock();
  readonly desk: FairCallQueue;
  readonly begun: string[] = [];
  private readonly ends: (() => void)[] = [];

  constructor(some: Partial<CallLimits> = {}) {
    this.desk = new FairCallQueue(this.clock, { ...limits, ...some });
  }

  call(client: string, signal: AbortSignal = never): Promise<string> {
    return this.desk.run(client, signal, async () => {
      this.begun.push(client);
      await new Promise<void>((resolve) => this.ends.push(resolve));
      return client;
    });
  }

  async endOldest(): Promise<boolean> {
    const end = this.ends.shift();
    end?.();
    await settle();
    return end !== undefined;
  }
}

describe('the desk that gives turns to calls', () => {
  it('gives each client its share, and a new client a turn immediately', async () => {
    const calls = new Calls();
    const all = 'aaaabc'.split('').map((client) => calls.call(client));
    await settle();
    assert.deepEqual(calls.begun, ['a', 'a', 'b'], 'two of a, as one may have no more; three in all');
    await calls.endOldest();
    assert.deepEqual(calls.begun.slice(3), ['c'], 'c before the third of a');
    while (await calls.endOldest());
    assert.deepEqual(await Promise.all(all), 'aaaabc'.split(''));
  });

  it('refuses a client that has too many calls waiting, and only that one', async () => {
    const calls = new Calls();
    const all = 'aaaaaa'.split('').map((client) => calls.call(client));
    await assert.rejects(calls.call('a'), TooManyCallsError);
    all.push(calls.call('b'));
    await settle();
    assert.equal(calls.begun.at(-1), 'b');
    while (await calls.endOldest()) calls.clock.advance(1_000);
    await Promise.all(all);
  });

  it('keeps a client to its pace once its credit is used up', async () => {
    const calls = new Calls({ maxRunning: 100, maxRunningPerClient: 100, maxWaitingPerClient: 100 });
    for (let index = 0; index < 20; index++) void calls.call('a');
    await settle();
    assert.equal(calls.begun.length, 5);
    calls.clock.advance(1_000);
    await settle();
    assert.equal(calls.begun.length, 15);
    calls.clock.advance(10_000);
    await settle();
    assert.equal(calls.begun.length, 20);
    assert.equal(calls.clock.pending, 0);
  });

  it('removes a cancelled call from the queue, and refuses all calls after dispose', async () => {
    const calls = new Calls({ maxRunningPerClient: 1 });
    const first = calls.call('a');
    const cancelling = new AbortController();
    const cancelled = calls.call('a', cancelling.signal);
    const last = calls.call('a');
    cancelling.abort();
    await assert.rejects(cancelled, /cancelled/);
    await assert.rejects(calls.call('a', cancelling.signal));
    calls.desk.dispose();
    await assert.rejects(last, /stopped/);
    await assert.rejects(calls.call('b'), /stopped/);
    await calls.endOldest();
    assert.equal(await first, 'a');
  });

  it('gives the turn on when the work fails', async () => {
    const { desk } = new Calls({ maxRunning: 1 });
    await assert.rejects(
      desk.run('a', never, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    assert.equal(await desk.run('a', never, () => Promise.resolve(1)), 1);
  });

  it('holds its limits, serves everybody and forgets them, whatever the order of events', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('call'), client: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('end'), client: fc.constant('') }),
      fc.record({ kind: fc.constant('wait'), client: fc.constant('') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const calls = new Calls();
        const all: Promise<unknown>[] = [];
        let ended = 0;
        for (const { kind, client } of steps) {
          if (kind === 'call') all.push(calls.call(client).catch((error: unknown) => error));
          if (kind === 'end' && (await calls.endOldest())) ended++;
          if (kind === 'wait') calls.clock.advance(150);
          await settle();
          assert.ok(calls.begun.length - ended <= limits.maxRunning);
        }
        for (let rounds = 0; rounds < 200 && (await calls.endOldest()); rounds++) calls.clock.advance(1_000);
        const answers = await Promise.all(all);
        assert.ok(answers.every((answer) => typeof answer === 'string' || answer instanceof TooManyCallsError));
        calls.clock.advance(60_000);
        const last = calls.call('z');
        await settle();
        await calls.endOldest();
        await last;
        assert.ok(calls.desk.clientCount <= 1, 'only z');
      }),
      { numRuns: 100 },
    );
  });
});
