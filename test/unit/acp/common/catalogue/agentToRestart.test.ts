import assert from 'node:assert/strict';
import type { BackendState } from '../../../../../src/session/common/sessionBackend';
import { findAgentToRestart } from '../../../../../src/acp/common/catalogue/agentToRestart';

const backend = (id: string, kind: 'ready' | 'stopped' = 'ready') => {
  const state: BackendState = kind === 'ready' ? { kind } : { kind: 'stopped' };
  return { id, title: id.toUpperCase(), state };
};

describe('the agent to restart', () => {
  it('is the one that is meant, without a question', () => {
    const [one, two] = [backend('one'), backend('two')];
    assert.deepEqual(findAgentToRestart([one, two], 'two'), { kind: 'one', backend: two });
  });

  it('is chosen by the user among the running agents if none is named', () => {
    const [one, two] = [backend('one'), backend('two')];
    assert.deepEqual(findAgentToRestart([one, backend('old', 'stopped'), two], undefined), {
      kind: 'oneOf',
      backends: [one, two],
    });
  });

  it('is none if the named agent is not running', () => {
    for (const backends of [[backend('one')], [backend('one'), backend('two', 'stopped')]]) {
      const which = findAgentToRestart(backends, 'two');
      assert.equal(which.kind, 'none');
      assert.match(which.message, /is not running/);
    }
    assert.equal(findAgentToRestart([], undefined).kind, 'none');
  });
});
