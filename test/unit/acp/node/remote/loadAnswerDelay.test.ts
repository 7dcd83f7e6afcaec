import assert from 'node:assert/strict';
import { LoadAnswerDelay } from '../../../../../src/acp/node/remote/loadAnswerDelay';
import { FakeClock } from '../../../../fake/fakeClock';

describe('LoadAnswerDelay', () => {
  it('takes no standstill of this process for silence of the agent, but waits no longer than it may', () => {
    const clock = new FakeClock();
    const delivered: unknown[] = [];
    const delay = new LoadAnswerDelay(clock, { quietMs: 300, maxQuietWaitMs: 10_000 }, ({ method = 'the answer' }) =>
      delivered.push(method),
    );
    const load = (id: number): void => {
      delay.recordSentMessage({ id, method: 'session/load', params: { sessionId: 's' } });
      delay.receive({ id, result: {} });
    };
    load(1);
    clock.sleep(1_000);
    delay.receive({ method: 'session/update', params: { sessionId: 's' } });
    clock.advance(299);
    assert.deepEqual(delivered, ['session/update']);
    clock.advance(1);
    assert.deepEqual(delivered, ['session/update', 'the answer']);
    load(2);
    clock.sleep(10_000);
    assert.equal(delivered.length, 3);
    delay.dispose();
  });

  it('holds the answer also if the agent sends a request with the same id before', () => {
    const clock = new FakeClock();
    const delivered: unknown[] = [];
    const delay = new LoadAnswerDelay(clock, { quietMs: 300, maxQuietWaitMs: 10_000 }, ({ method = 'the answer' }) =>
      delivered.push(method),
    );
    delay.recordSentMessage({ id: 3, method: 'session/load', params: { sessionId: 's' } });
    delay.receive({ id: 3, method: 'elicitation/create', params: {} });
    delay.receive({ id: 3, result: {} });
    delay.receive({ method: 'session/update', params: { sessionId: 's' } });
    assert.deepEqual(delivered, ['elicitation/create', 'session/update']);
    clock.advance(300);
    assert.deepEqual(delivered, ['elicitation/create', 'session/update', 'the answer']);
    delay.dispose();
  });
});
