import assert from 'node:assert/strict';
import { CombinedBackends } from '../../../../src/session/common/combinedBackends';
import type { BackendRegistry } from '../../../../src/session/common/backendRegistry';
import { BackendError, type BackendSession } from '../../../../src/session/common/sessionBackend';
import { Emitter } from '../../../../src/base/common/event';
import { nullLogger } from '../../../../src/base/common/log';
import { FakeBackend } from '../../../fake/fakeBackend';

class FakeRegistry implements BackendRegistry {
  readonly emitter = new Emitter<void>((error) => {
    throw error;
  });
  readonly onDidChange = this.emitter.event;
  failure: Error | undefined;

  constructor(
    private readonly title: string,
    readonly backends: readonly FakeBackend[],
  ) {}

  list() {
    if (this.failure) return Promise.reject(this.failure);
    const { title } = this;
    return Promise.resolve(this.backends.map(({ id }) => ({ id, title, source: 'found', description: '' }) as const));
  }

  open(id: string) {
    if (this.failure) return Promise.reject(this.failure);
    const backend = this.backends.find((other) => other.id === id);
    return backend ? Promise.resolve(backend) : Promise.reject(new BackendError('notFound', id));
  }
}

describe('all backends', () => {
  let servers: FakeRegistry;
  let agents: FakeRegistry;
  let seen: BackendSession[];
  let all: CombinedBackends;

  beforeEach(() => {
    servers = new FakeRegistry('server', [new FakeBackend('amplifier')]);
    agents = new FakeRegistry('agent', [new FakeBackend('demo'), new FakeBackend('amplifier')]);
    seen = [];
    all = new CombinedBackends([servers, agents], (session) => seen.push(session), nullLogger);
    all.start();
  });
  afterEach(() => all.dispose());

  it('are those of each registry; of two with one id, the first', async () => {
    const entries = await all.list();
    assert.deepEqual(
      entries.map(({ id, title }) => `${id} ${title}`),
      ['amplifier server', 'demo agent'],
    );
  });

  it('fire when any registry changes, until disposed', () => {
    let changes = 0;
    all.onDidChange(() => changes++);
    servers.emitter.fire();
    agents.emitter.fire();
    assert.equal(changes, 2);
    all.dispose();
    agents.emitter.fire();
    assert.equal(changes, 2);
  });

  it('show every session, opened or loaded, before its user gets it', async () => {
    const backend = await all.open('demo');
    const created = await backend.createSession({ cwd: '/ws' });
    const loaded = await backend.loadSession('old', { cwd: '/ws' });
    assert.deepEqual(seen, [created, loaded]);
    assert.deepEqual(seen, agents.backends[0]?.sessions);
  });

  it('stay the same backend: state, methods, identity', async () => {
    const backend = await all.open('demo');
    assert.equal(await all.open('demo'), backend);
    const states: string[] = [];
    backend.onDidChangeState(({ kind }) => states.push(kind));
    agents.backends[0]?.change({ kind: 'ready' });
    assert.deepEqual(states, ['ready']);
    assert.deepEqual(backend.state, { kind: 'ready' });
    assert.equal('authenticate' in backend, false, 'as little as before');
    await backend.deleteSession('old');
    assert.deepEqual(agents.backends[0]?.calls, ['delete old']);
  });

  it('have all members of the backend, also those that not every backend has', async () => {
    const own = Object.assign(agents.backends[0] ?? assert.fail(), {
      isOutdated: false,
      forgetFailures(this: FakeBackend) {
        this.calls.push('forgetFailures');
      },
      prepareSession: () => Promise.resolve(undefined),
    });
    const backend = await all.open('demo');
    backend.forgetFailures?.();
    own.isOutdated = true;
    assert.deepEqual([own.calls, backend.isOutdated], [['forgetFailures'], true]);
    assert.equal(await backend.prepareSession?.({ cwd: '/ws' }), undefined);
    assert.deepEqual(seen, [], 'nothing was opened');
  });

  it('list the others if one registry fails', async () => {
    agents.failure = new BackendError('untrusted', 'Trust it.');
    assert.deepEqual(
      (await all.list()).map(({ id }) => id),
      ['amplifier'],
    );
    await all.open('amplifier');
    await assert.rejects(all.open('demo'), { code: 'untrusted' });
  });

  it('reject an unknown id', async () => {
    await assert.rejects(all.open('nobody'), { code: 'notFound', message: /Choose another/ });
  });
});
