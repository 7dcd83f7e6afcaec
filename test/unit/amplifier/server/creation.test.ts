import assert from 'node:assert/strict';
import * as http from 'node:http';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import { FakeClock } from '../../../fake/fakeClock';
import type { FakeSession } from './support/fakeBackend';
import { Failure, ServerHarness } from './support/serverHarness';

const never = (): Promise<void> => new Promise(() => undefined);
const body = { profile: 'fake', model: 'big' };

describe('the embedded server while it creates a session', () => {
  let clock: FakeClock;
  let harness: ServerHarness;

  beforeEach(async () => {
    clock = new FakeClock();
    harness = await ServerHarness.start({ clock });
    harness.backend.afterCreate = (session) => {
      const choices = [{ value: 'big', name: 'Big' }];
      session.config = [{ id: 'm', name: 'Model', category: 'model', type: 'select', value: 'small', choices }];
    };
  });
  afterEach(() => harness.stop());

  const create = async (): Promise<unknown[]> => {
    const { status, json } = await harness.call('POST', '/sessions', { body });
    return [status, Failure.parse(json).error.code];
  };
  /** Waits for what the test has brought about; the test's own time limit ends it. */
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  };
  /** What is awaited before the model of the next session is chosen. */
  function beforeModel(wait: FakeSession['beforeSetConfig']): void {
    const { afterCreate } = harness.backend;
    harness.backend.afterCreate = (session) => {
      afterCreate(session);
      session.beforeSetConfig = wait;
    };
  }

  async function assertNothingIsLeft(): Promise<void> {
    await until(() => harness.backend.session.isDisposed);
    assert.equal(harness.backend.session.closes, 1, 'its agent was told');
    assert.match((await harness.call('GET', '/sessions')).text, /"total":0/u);
  }

  /** A client that sends the request and goes away once `isTime`. */
  async function goAway(isTime: () => boolean): Promise<void> {
    const { port } = harness;
    const request = http.request({ method: 'POST', path: '/sessions', port, agent: false });
    request.on('error', () => undefined);
    request.end(JSON.stringify(body));
    await until(isTime);
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.destroy();
    await closed;
  }

  it('chooses the model before anybody hears of the session', async () => {
    const { status } = await harness.call('POST', '/sessions', { body });
    assert.equal(status, 201);
    assert.deepEqual(harness.backend.session.configured, [['m', 'big']]);
  });

  it('closes it when the model cannot be chosen', async () => {
    beforeModel(() => Promise.reject(new BackendError('backend', 'No such model after all.')));
    assert.deepEqual(await create(), [502, 'PROVIDER_ERROR']);
    await assertNothingIsLeft();
  });

  it('closes it when the choice of the model takes too long', async () => {
    let isChoosing = false;
    beforeModel(() => {
      isChoosing = true;
      return never();
    });
    const created = create();
    await until(() => isChoosing);
    clock.advance(6 * 60_000);
    assert.deepEqual(await created, [503, 'PROVIDER_UNAVAILABLE']);
    await assertNothingIsLeft();
  });

  it('closes it when the client goes while the model is chosen', async () => {
    let isChoosing = false;
    beforeModel(() => {
      isChoosing = true;
      return never();
    });
    await goAway(() => isChoosing);
    await assertNothingIsLeft();
  });

  it('closes one that comes after its time', async () => {
    const made = Promise.withResolvers<undefined>();
    let isAsked = false;
    harness.backend.beforeCreate = async () => {
      isAsked = true;
      await made.promise;
    };
    const created = create();
    await until(() => isAsked);
    clock.advance(6 * 60_000);
    assert.deepEqual(await created, [503, 'PROVIDER_UNAVAILABLE']);
    made.resolve(undefined);
    await until(() => harness.backend.sessions.length === 1);
    await assertNothingIsLeft();
  });

  it('tells the agent that its client has gone, and closes what comes in spite of it', async () => {
    const made = Promise.withResolvers<undefined>();
    const signals: AbortSignal[] = [];
    harness.backend.beforeCreate = async (_options, signal) => {
      if (signal) signals.push(signal);
      await made.promise;
    };
    await goAway(() => signals.length === 1);
    await until(() => signals[0]?.aborted === true);
    made.resolve(undefined);
    await until(() => harness.backend.sessions.length === 1);
    await assertNothingIsLeft();
  });

  it('lets go of it also when its agent does not', async () => {
    beforeModel(() => Promise.reject(new BackendError('backend', 'No.')));
    const { afterCreate } = harness.backend;
    harness.backend.afterCreate = (session) => {
      afterCreate(session);
      session.beforeClose = never;
    };
    await create();
    assert.equal(harness.backend.session.isDisposed, false);
    clock.advance(5000);
    await assertNothingIsLeft();
  });
});
