import assert from 'node:assert/strict';
import { backendView } from '../../../src/chat/common/conversations/backendView';
import { backendDotClass, backendStatusText } from '../../../src/chat/browser/chatLabels';

const server = { id: 'amplifier', title: 'Amplifier', source: 'server', description: 'http://127.0.0.1:8765' } as const;
const silent = { kind: 'silent', message: 'No server answers. Start it.' } as const;

describe('a server among the backends', () => {
  it('is running, with its version, before it was used', () => {
    const view = backendView({ ...server, health: { kind: 'answers', version: '1.2' } }, undefined);
    assert.equal(view.state, 'stopped');
    assert.equal(backendStatusText(view), 'running (version 1.2)');
    assert.equal(backendDotClass(view), 'is-ready');
  });

  it('says what to do when it is unavailable', () => {
    const view = backendView({ ...server, health: silent }, { kind: 'stopped' });
    assert.equal(backendStatusText(view), 'unavailable');
    assert.equal(view.problem, silent.message);
  });

  it('is told of as who uses it has found it', () => {
    const ready = backendView({ ...server, health: silent }, { kind: 'ready', version: '3' });
    assert.equal(backendStatusText(ready), 'running (version 3)');
    assert.equal(ready.problem, undefined);
    const failed = backendView({ ...server, health: { kind: 'answers' } }, { kind: 'failed', message: 'Lost.' });
    assert.equal(backendStatusText(failed), 'failed');
    assert.equal(failed.problem, 'Lost.');
  });

  it('that cannot be used says why, whatever it answers', () => {
    const view = backendView({ ...server, problem: 'Not trusted.', health: { kind: 'answers' } }, undefined);
    assert.equal(backendStatusText(view), 'unavailable');
    assert.equal(view.problem, 'Not trusted.');
  });

  it('is no agent: that one is started by its first prompt', () => {
    const view = backendView({ ...server, source: 'configured' }, undefined);
    assert.equal(backendStatusText(view), 'not started');
    assert.equal(view.health, undefined);
  });
});
