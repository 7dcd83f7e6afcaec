import assert from 'node:assert/strict';
import { ServerRegistry } from '../../../../src/amplifier/common/serverRegistry';
import { configuredServer } from '../../../../src/amplifier/common/serverUrl';
import { FakeBackend } from '../../../fake/fakeBackend';

describe('the Amplifier server among the backends', () => {
  let port: unknown;
  let trusted: boolean;
  let made: { readonly backend: FakeBackend; readonly url: string }[];
  let states: string[];
  let changes: number;
  let create: () => Promise<void>;
  let registry: ServerRegistry;

  beforeEach(() => {
    port = 8765;
    trusted = true;
    made = [];
    states = [];
    changes = 0;
    create = () => Promise.resolve();
    registry = new ServerRegistry({
      server: () => configuredServer({ host: '127.0.0.1', port }),
      createBackend: async ({ origin: url }) => {
        await create();
        const backend = new FakeBackend('amplifier');
        made.push({ backend, url });
        return backend;
      },
      isTrusted: () => trusted,
      onDidChangeState: ({ kind }) => states.push(kind),
      onListenerError: (error) => {
        throw error;
      },
    });
    registry.onDidChange(() => changes++);
  });
  afterEach(() => registry.dispose());

  it('is one entry, by its address', async () => {
    const [entry, ...others] = await registry.list();
    assert.deepEqual(entry, {
      id: 'amplifier',
      title: 'Amplifier',
      source: 'server',
      description: 'http://127.0.0.1:8765',
    });
    assert.deepEqual(others, []);
    assert.deepEqual(made, [], 'looking makes nothing');
  });

  it('is made once, for all who ask at once', async () => {
    const [one, other] = await Promise.all([registry.open('amplifier'), registry.open('amplifier')]);
    assert.equal(one, other);
    assert.equal(made.length, 1);
  });

  it('tells of its state', async () => {
    await registry.open('amplifier');
    made[0]?.backend.change({ kind: 'ready' });
    assert.deepEqual(states, ['ready']);
    assert.equal(changes, 1);
  });

  it('is stopped and made anew when the settings have changed', async () => {
    await registry.open('amplifier');
    port = 9000;
    await registry.reset();
    assert.deepEqual(made[0]?.backend.calls, ['stop', 'dispose']);
    assert.equal(changes, 1);
    await registry.open('amplifier');
    assert.deepEqual(
      made.map(({ url }) => url),
      ['http://127.0.0.1:8765', 'http://127.0.0.1:9000'],
    );
  });

  it('is ended even when it was only being made', async () => {
    let go = (): void => undefined;
    create = () => new Promise((resolve) => (go = resolve));
    const opening = registry.open('amplifier');
    const stopped = registry.stop();
    go();
    await Promise.all([opening, stopped]);
    assert.deepEqual(made[0]?.backend.calls, ['stop', 'dispose']);
  });

  it('says which setting is wrong, and works once it is corrected', async () => {
    port = 'x';
    const [entry] = await registry.list();
    assert.match(entry?.problem ?? '', /amplifier\.server\.port/);
    await assert.rejects(registry.open('amplifier'), { code: 'notReady', message: /amplifier\.server\.port/ });
    port = 8765;
    await registry.open('amplifier');
  });

  it('is not used in a workspace that is not trusted', async () => {
    trusted = false;
    assert.match((await registry.list())[0]?.problem ?? '', /Workspace Trust/);
    await assert.rejects(registry.open('amplifier'), { code: 'untrusted' });
    assert.deepEqual(made, []);
  });

  it('knows no other backend', async () => {
    await assert.rejects(registry.open('opencode'), { code: 'notFound' });
  });
});

describe('the settings of the Amplifier server', () => {
  for (const [host, port, wrong] of [
    ['127.0.0.1', 0, 'amplifier.server.port'],
    ['127.0.0.1', '8765', 'amplifier.server.port'],
    ['127.0.0.1', 70_000, 'amplifier.server.port'],
    ['', 8765, 'amplifier.server.host'],
    [null, 8765, 'amplifier.server.host'],
    ['ftp://x', 8765, 'amplifier.server.host'],
  ] as const) {
    it(`as ${JSON.stringify([host, port])} are refused by the name of ${wrong}`, () => {
      assert.throws(() => configuredServer({ host, port }), { message: new RegExp(`^${wrong} `) });
    });
  }
});
