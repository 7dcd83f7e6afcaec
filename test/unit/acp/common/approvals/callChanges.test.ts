import assert from 'node:assert/strict';
import { AllowedCalls } from '../../../../../src/acp/common/approvals/callChanges';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';

describe('a call that was allowed', () => {
  const changesAfter = (allowed: object, ...later: readonly object[]) => {
    const mapper = new SessionEventMapper('s', { monotonicNow: () => 0 });
    const calls = new AllowedCalls((id) => mapper.describeCall(id));
    const report = (rawInput: object) => mapper.mapToolCall({ toolCallId: 'c', kind: 'edit', rawInput });
    report(allowed);
    calls.add('c');
    return later.flatMap((rawInput) => {
      report(rawInput);
      return calls.takeChanged();
    });
  };

  it('has changed if its input has another effect, which is told once', () => {
    assert.deepEqual(changesAfter({ command: 'ls' }, { command: 'rm' }, { command: 'ls' }), [
      { callId: 'c', allowed: 'ls', now: 'rm' },
    ]);
    assert.deepEqual(changesAfter({ path: 'a', content: 'x' }, { path: 'a', content: 'y' }), [
      { callId: 'c', allowed: '{"path":"a","content":"x"}', now: '{"path":"a","content":"y"}' },
    ]);
  });

  it('has not changed if the agent repeats or explains it', () => {
    assert.deepEqual(
      changesAfter({ command: 'ls', timeout: 1 }, { timeout: 1, command: 'ls', description: 'Lists' }),
      [],
    );
  });

  it('shows whole inputs if the commands are the same', () => {
    assert.deepEqual(changesAfter({ command: 'ls' }, { command: 'ls', sandbox: false }), [
      { callId: 'c', allowed: '{"command":"ls"}', now: '{"command":"ls","sandbox":false}' },
    ]);
  });
});
