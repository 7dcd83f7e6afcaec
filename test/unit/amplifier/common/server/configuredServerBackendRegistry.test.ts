import assert from 'node:assert/strict';
import { Emitter } from '../../../../../src/base/common/event';
import type { ServerAvailability } from '../../../../../src/amplifier/common/server/serverMonitor';
import { ConfiguredServerBackendRegistry } from '../../../../../src/amplifier/common/server/configuredServerBackendRegistry';
import { configuredServerUrl } from '../../../../../src/amplifier/common/server/serverUrl';
import { BackendError } from '../../../../../src/session/common/sessionBackend';
import { FakeBackend } from '../../../../fake/fakeBackend';
import { turns } from '../../../../support/turns';

describe('the Amplifier server among the backends', () => {
  let port: unknown;
  let trusted: boolean;
  let own: boolean;
  let missing: string | undefined;
  let made: { readonly backend: FakeBackend; readonly url: string }[];
  let states: string[];
  let changes: number;
  let working: boolean;
  let postponed: number;
  let postponedMessage: string;
  let news: ServerAvailability;
  let looks: number;
  let told: Emitter<void>;
  let create: () => Promise<void>;
  let registry: ConfiguredServerBackendRegistry;

  beforeEach(() => {
    port = 8765;
    trusted = true;
    own = false;
    missing = undefined;
    made = [];
    states = [];
    changes = 0;
    working = false;
    postponed = 0;
    postponedMessage = '';
    news = { kind: 'notAsked' };
    looks = 0;
    told = new Emitter((error) => assert.fail(String(error)));
    create = () => Promise.resolve();
    registry = new ConfiguredServerBackendRegistry({
      configuredUrl: () => configuredServerUrl({ host: '127.0.0.1', port }),
      createBackend: async ({ origin: url }) => {
        await create();
        const backend = new FakeBackend('amplifier');
        made.push({ backend, url });
        return backend;
      },
      isTrusted: () => trusted,
      isOwnServer: () => own,
      missingConsent: () => missing,
      isWorking: () => working,
      onDidPostpone: (message) => {
        postponed++;
        postponedMessage = message;
      },
      requireConsent: () => Promise.reject(new BackendError('notReady', missing ?? '')),
      monitor: {
        get availability() {
          return news;
        },
        onDidChange: told.event,
        checkIfStale: () => {
          looks++;
        },
        updateFromBackend: ({ kind }) => states.push(kind),
      },
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
      health: { kind: 'asking' },
    });
    assert.deepEqual(others, []);
    assert.deepEqual(made, [], 'looking makes nothing');
  });

  it('is not asked, and not opened, if the user has not allowed the server of the workspace', async () => {
    missing = 'Allow it first.';
    const [entry] = await registry.list();
    assert.equal(entry?.problem, missing);
    assert.equal(entry.needsPermission, true);
    assert.equal(looks, 0);
    await assert.rejects(registry.open('amplifier'), { code: 'notReady' });
    assert.deepEqual(made, []);
    missing = undefined;
    await registry.open('amplifier');
    assert.equal(made.length, 1);
  });

  it('is asked whether it answers when somebody looks, and what is known is told without waiting', async () => {
    await registry.list();
    assert.equal(looks, 1);
    for (const [known, health] of [
      [
        { kind: 'answers', version: '1.2' },
        { kind: 'answers', version: '1.2' },
      ],
      [{ kind: 'unreachable' }, { kind: 'silent', message: /127\.0\.0\.1:8765.*Start it.*amplifier\.server\.port/ }],
      [
        { kind: 'unusable', message: 'Set its token.' },
        { kind: 'silent', message: /^Set its token\.$/ },
      ],
      [
        { kind: 'needsToken', message: 'Set its token.' },
        { kind: 'needsToken', message: 'Set its token.' },
      ],
      [
        { kind: 'missed', message: 'Lost.' },
        { kind: 'silent', message: /^Lost\.$/ },
      ],
    ] as const) {
      news = known;
      const [entry] = await registry.list();
      assert.equal(entry?.health?.kind, health.kind);
      if (entry.health.kind === 'silent' && health.kind === 'silent')
        assert.match(entry.health.message, health.message);
      else assert.deepEqual(entry.health, health);
    }
  });

  it('fires only when its availability changes', () => {
    const telling = registry.start();
    news = { kind: 'unreachable' };
    told.fire();
    told.fire();
    assert.equal(changes, 1);
    news = { kind: 'answers' };
    told.fire();
    assert.equal(changes, 2);
    telling.dispose();
    news = { kind: 'unreachable' };
    told.fire();
    assert.equal(changes, 2);
  });

  it('is created once for concurrent calls', async () => {
    const [one, other] = await Promise.all([registry.open('amplifier'), registry.open('amplifier')]);
    assert.equal(one, other);
    assert.equal(made.length, 1);
  });

  it('reports its state', async () => {
    await registry.open('amplifier');
    made[0]?.backend.change({ kind: 'ready' });
    assert.deepEqual(states, ['ready']);
    assert.equal(changes, 1);
  });

  it('is recreated when the settings have changed', async () => {
    await registry.open('amplifier');
    port = 9000;
    await registry.refresh();
    await turns();
    assert.deepEqual(made[0]?.backend.calls, ['stop', 'dispose']);
    assert.equal(changes, 1);
    await registry.open('amplifier');
    assert.deepEqual(
      made.map(({ url }) => url),
      ['http://127.0.0.1:8765', 'http://127.0.0.1:9000'],
    );
  });

  it('completes its turns with the earlier address or token, and the user is told once', async () => {
    const { promise: completed, resolve: complete } = Promise.withResolvers<undefined>();
    await registry.open('amplifier');
    const first = made[0]?.backend;
    assert.ok(first);
    first.retire = () => completed;
    working = true;
    await registry.refresh();
    assert.equal(await registry.open('amplifier'), first, 'nothing has changed');
    port = 9000;
    await registry.refresh();
    assert.notEqual(await registry.open('amplifier'), first);
    await registry.handleTokenChange();
    assert.notEqual(await registry.open('amplifier'), made[1]?.backend);
    port = 'x';
    await registry.refresh();
    assert.deepEqual([first.calls, postponed], [[], 1]);
    complete(undefined);
    await turns();
    assert.deepEqual(first.calls, ['stop', 'dispose']);
  });

  it('does not complete its turns with the earlier address if the user restarts it', async () => {
    await registry.open('amplifier');
    const first = made[0]?.backend;
    assert.ok(first);
    first.retire = () => new Promise(() => undefined);
    working = true;
    port = 9000;
    await registry.refresh();
    const second = await registry.open('amplifier');
    assert.deepEqual([first.calls, postponed], [[], 1]);
    assert.match(postponedMessage, /with the next prompt\. Restart Now stops the running answers\.$/);
    await registry.restart();
    assert.deepEqual(first.calls, ['stop', 'dispose']);
    assert.equal(await registry.open('amplifier'), second);
  });

  it('is left at once, also by running turns, when it must not be used any more', async () => {
    for (const forbid of [() => (trusted = false), () => (own = true), () => (missing = 'Not allowed.')]) {
      await registry.open('amplifier');
      const backend = made.at(-1)?.backend;
      assert.ok(backend);
      backend.retire = () => new Promise(() => undefined);
      // Also what completes its turns already.
      port = port === 8765 ? 9000 : 8765;
      await registry.refresh();
      forbid();
      await registry.refresh();
      assert.deepEqual(backend.calls, ['stop', 'dispose']);
      [trusted, own, missing] = [true, false, undefined];
    }
    assert.equal(postponed, 0);
  });

  it('is ended even when it was only being made', async () => {
    let go = (): void => undefined;
    create = () => new Promise((resolve) => (go = resolve));
    const opening = registry.open('amplifier');
    const stopped = registry.stop();
    await turns();
    go();
    await Promise.all([opening, stopped]);
    assert.deepEqual(made[0]?.backend.calls, ['stop', 'dispose']);
  });

  it('reports which setting is wrong, and works once it is corrected', async () => {
    port = 'x';
    const [entry] = await registry.list();
    assert.match(entry?.problem ?? '', /amplifier\.server\.port/);
    await assert.rejects(registry.open('amplifier'), { code: 'notReady', message: /amplifier\.server\.port/ });
    port = 8765;
    await registry.open('amplifier');
  });

  it('is not used in an untrusted workspace', async () => {
    trusted = false;
    assert.match((await registry.list())[0]?.problem ?? '', /Workspace Trust/);
    assert.equal(looks, 0, 'nobody asks it');
    await assert.rejects(registry.open('amplifier'), { code: 'untrusted' });
    assert.deepEqual(made, []);
  });

  it('is never the server of this window itself', async () => {
    own = true;
    assert.match((await registry.list())[0]?.problem ?? '', /^This window serves its own agents at http:/);
    assert.equal(looks, 0, 'nobody asks it');
    await assert.rejects(registry.open('amplifier'), { code: 'notReady', message: /This window serves/ });
    own = false;
    await registry.open('amplifier');
  });

  it('rejects other ids', async () => {
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
      assert.throws(() => configuredServerUrl({ host, port }), { message: new RegExp(`^${wrong} `) });
    });
  }
});
