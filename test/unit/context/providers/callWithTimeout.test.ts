import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/node/systemClock';
import { callWithTimeout } from '../../../../src/context/common/providers/callWithTimeout';

describe('a call with a time limit', () => {
  it('tells its work why the caller has cancelled it', async () => {
    const caller = new AbortController();
    const reason = new Error('The caller has no more time.');
    let seen: unknown;
    const limits = { clock: systemClock, timeoutMs: 60_000, signal: caller.signal };
    const called = callWithTimeout('items', limits, (signal) => {
      signal.addEventListener('abort', () => {
        seen = signal.reason;
      });
      return new Promise<never>(() => undefined);
    });
    caller.abort(reason);
    await assert.rejects(called, { name: 'RequestCancelledError' });
    assert.equal(seen, reason);
  });

  it('ends its work when the time is over, also if the work ignores that', async () => {
    const { signal } = new AbortController();
    let inner: AbortSignal | undefined;
    const called = callWithTimeout('items', { clock: systemClock, timeoutMs: 1, signal }, (given) => {
      inner = given;
      return new Promise<never>(() => undefined);
    });
    await assert.rejects(called, { name: 'TimeoutError' });
    assert.equal(inner?.aborted, true);
  });
});
