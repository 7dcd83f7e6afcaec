import assert from 'node:assert/strict';
import { backendView } from '../../../../src/chat/common/conversations/backendView';
import { backendDotClass, backendStatusText } from '../../../../src/chat/browser/chatLabels';

const server = { id: 'amplifier', title: 'Amplifier', source: 'server', description: 'http://127.0.0.1:8765' } as const;
const silent = { kind: 'silent', message: 'No server answers. Start it.' } as const;

describe('backendView of a server', () => {
  it('shows a running server with its version before it was used', () => {
    const view = backendView({ ...server, health: { kind: 'answers', version: '1.2' } }, undefined);
    assert.equal(view.state, 'stopped');
    assert.equal(backendStatusText(view), 'running (version 1.2)');
    assert.equal(backendDotClass(view), 'is-ready');
  });

  it('shows what to do when the server is unavailable', () => {
    const view = backendView({ ...server, health: silent }, { kind: 'stopped' });
    assert.equal(backendStatusText(view), 'unavailable');
    assert.equal(view.problem, silent.message);
  });

  it('prefers the state of the backend in use over an older health check', () => {
    const ready = backendView({ ...server, health: silent }, { kind: 'ready', version: '3' });
    assert.equal(backendStatusText(ready), 'running (version 3)');
    assert.equal(ready.problem, undefined);
    const failed = backendView({ ...server, health: { kind: 'answers' } }, { kind: 'failed', message: 'Lost.' });
    assert.equal(backendStatusText(failed), 'failed');
    assert.equal(failed.problem, 'Lost.');
  });

  it('shows why a server cannot be used, even if it answers', () => {
    const view = backendView({ ...server, problem: 'Not trusted.', health: { kind: 'answers' } }, undefined);
    assert.equal(backendStatusText(view), 'unavailable');
    assert.equal(view.problem, 'Not trusted.');
  });

  it('keeps the machine where a remote agent runs', () => {
    const agent = { ...server, source: 'configured', remoteHost: 'agents.example' } as const;
    assert.equal(backendView(agent, undefined).remoteHost, 'agents.example');
    assert.equal('remoteHost' in backendView(server, undefined), false);
  });

  it('needs a sign-in if it did when it was used last, until it says otherwise', () => {
    const agent = { ...server, source: 'configured', needsSignIn: true } as const;
    for (const state of [undefined, { kind: 'stopped' }] as const) {
      assert.equal(backendStatusText(backendView(agent, state)), 'needs sign-in');
    }
    assert.equal(backendView(agent, { kind: 'ready' }).state, 'ready');
    assert.equal(backendView({ ...agent, problem: 'Not installed.' }, undefined).state, 'unavailable');
  });

  it('has no health for an agent, which starts with its first prompt', () => {
    const view = backendView({ ...server, source: 'configured' }, undefined);
    assert.equal(backendStatusText(view), 'starts with your first prompt');
    assert.equal(view.health, undefined);
  });
});
