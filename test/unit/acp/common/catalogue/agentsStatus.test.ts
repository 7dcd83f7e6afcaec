import assert from 'node:assert/strict';
import type { BackendState } from '../../../../../src/session/common/sessionBackend';
import { agentsStatus, type AgentsSnapshot } from '../../../../../src/acp/common/catalogue/agentsStatus';

const action = (command: string) => ({ label: command, command });
const actions = {
  restart: action('restart'),
  signIn: action('signIn'),
  openSettings: action('openSettings'),
  manageTrust: action('manageTrust'),
};

function saidOf(more: Partial<AgentsSnapshot>): [state: string, summary: string, command: string | undefined] {
  const quiet = { isTrusted: true, problems: [], configuredCount: 0, foundCount: undefined, agents: [] };
  const said = agentsStatus({ ...quiet, ...more }, actions);
  return [said.state, said.summary, said.actions?.[0]?.command];
}

describe('the status of agents', () => {
  const ready = { title: 'A', state: { kind: 'ready' } as const };
  const failed = (message: string): { title: string; state: BackendState } => ({
    title: 'B',
    state: { kind: 'failed', message },
  });

  it('is off before the first use', () => {
    assert.deepEqual(saidOf({}), [
      'off',
      'No agent is running. An agent starts with your next prompt.',
      'openSettings',
    ]);
    assert.match(saidOf({ configuredCount: 2, foundCount: 1 })[1], /\(2 configured, 1 found on PATH\)\.$/);
    assert.equal(saidOf({ agents: [{ title: 'A', state: { kind: 'stopped' } }] })[0], 'off');
  });

  it('names those that run', () => {
    assert.deepEqual(saidOf({ agents: [ready, ready] }), ['ready', 'Running: A, A.', 'restart']);
    const starting: BackendState = { kind: 'starting', message: 'Starting A…' };
    assert.deepEqual(saidOf({ agents: [ready, { title: 'A', state: starting }] }).slice(0, 2), [
      'starting',
      'Starting A…',
    ]);
  });

  it('puts what needs the user first, with what to do', () => {
    assert.deepEqual(saidOf({ agents: [ready, failed('It broke.')] }), ['attention', 'B: It broke.', 'restart']);
    const needsSignIn: BackendState = { kind: 'authRequired', message: 'A needs you to sign in.', methods: [] };
    assert.deepEqual(saidOf({ agents: [ready, { title: 'A', state: needsSignIn }] }), [
      'attention',
      'A needs you to sign in.',
      'signIn',
    ]);
    assert.deepEqual(saidOf({ problems: ['x is wrong.'], agents: [ready] }), [
      'attention',
      'x is wrong.',
      'openSettings',
    ]);
  });

  it('mentions what cannot be started, and does not ask for attention', () => {
    const [state, summary] = saidOf({ configuredCount: 2, unavailableCount: 1 });
    assert.equal(state, 'off');
    assert.match(summary, /2 configured, 1 unavailable/);
  });

  it('says in an untrusted workspace only that', () => {
    const [state, summary, command] = saidOf({ isTrusted: false, problems: ['x'], agents: [failed('y')] });
    assert.deepEqual([state, command], ['off', 'manageTrust']);
    assert.match(summary, /untrusted workspace/);
  });
});
