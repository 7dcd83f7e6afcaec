import assert from 'node:assert/strict';
import type { BackendView } from '../../../../src/chat/common/chatView';
import { backendRepair, type RepairKind } from '../../../../src/chat/common/page/backendRepair';
import { commandIds } from '../../../../src/manifest';

const agent: BackendView = { id: 'a', title: 'Agent', description: '', source: 'configured', state: 'ready' };
const server: BackendView = { id: 's', title: 'Server', description: '', source: 'server', state: 'ready' };

function commandFor(view: BackendView, wanted?: RepairKind, isTrusted = true): string | undefined {
  const repair = backendRepair(view, isTrusted, wanted);
  return repair.kind === 'command' ? [repair.command, repair.id].filter(Boolean).join(' ') : repair.kind;
}

describe('The remedy for a backend', () => {
  it('is the sign-in if a turn has failed without it, whatever its state is', () => {
    for (const state of ['ready', 'stopped', 'starting', 'failed', 'authRequired'] as const)
      assert.equal(commandFor({ ...agent, state }, 'signIn'), `${commandIds.acpSignIn} a`, state);
    assert.equal(commandFor(server, 'signIn'), commandIds.amplifierSetToken);
    assert.equal(commandFor({ ...server, health: { kind: 'needsToken' } }, 'signIn'), commandIds.amplifierSetToken);
    assert.equal(commandFor({ ...server, health: { kind: 'answers' } }, 'signIn'), commandIds.amplifierSetApiKey);
  });

  it('is what has to be done before a sign-in', () => {
    assert.equal(commandFor(agent, 'signIn', false), 'workbench.trust.manage');
    assert.equal(commandFor({ ...agent, needsPermission: true }, 'signIn'), `${commandIds.reviewWorkspace} a`);
    assert.equal(commandFor({ ...agent, state: 'unavailable' }, 'signIn'), 'offer');
  });

  it('is otherwise the one for its state, or the wanted one', () => {
    assert.equal(commandFor({ ...agent, state: 'authRequired' }), `${commandIds.acpSignIn} a`);
    assert.equal(commandFor({ ...agent, state: 'failed' }), `${commandIds.acpRestartAgent} a`);
    assert.equal(commandFor({ ...server, state: 'failed' }), commandIds.showStatus);
    assert.equal(commandFor({ ...server, health: { kind: 'needsToken' } }), commandIds.amplifierSetToken);
    const missing: BackendView = { ...agent, state: 'unavailable', install: 'npm i agent' };
    assert.equal(commandFor(missing), 'offer');
    assert.equal(commandFor(missing, 'edit'), 'editSettings');
    assert.equal(commandFor(missing, 'install'), 'install');
    assert.equal(commandFor(agent), 'editSettings');
    assert.equal(backendRepair(undefined, true, 'signIn').kind, 'editSettings');
  });
});
