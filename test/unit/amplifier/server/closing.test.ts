import assert from 'node:assert/strict';
import { FakeClock } from '../../../fake/fakeClock';
import type { FakeSession } from './support/fakeBackend';
import { ServerHarness, type SseClient } from './support/serverHarness';

describe('the embedded server and questions that wait when a session ends', () => {
  let clock: FakeClock;
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  let stream: SseClient;
  let answersAtClose: readonly string[];

  beforeEach(async () => {
    clock = new FakeClock();
    harness = await ServerHarness.start({ clock });
    ({ id, fake } = await harness.createSession());
    stream = await harness.subscribe(id);
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'go' } });
    answersAtClose = [];
    fake.beforeClose = () => {
      answersAtClose = [...fake.answers];
      return Promise.resolve();
    };
  });
  afterEach(() => harness.stop());
  async function ask(approvalId: string, more: Record<string, unknown> = {}): Promise<void> {
    fake.ask(approvalId, more);
    await stream.until(() => stream.text.includes(`"approval_id":"${approvalId}"`), approvalId);
  }
  const denials = () =>
    stream.events.flatMap(({ event, data }) =>
      event === 'approval:denied' ? [[data['approval_id'], data['decision'], data['reason']]] : [],
    );

  it('denies all of them when it is deleted, and tells who listens', async () => {
    await ask('a1');
    await ask('a2');
    await ask('a3', { options: ['Sure', 'Leave it'], option_kinds: ['allow_once', 'reject_once'] });
    await harness.call('DELETE', `/sessions/${id}`);
    await stream.end();
    assert.deepEqual(answersAtClose, ['Deny', 'Deny', 'Leave it']);
    assert.deepEqual(denials(), [
      ['a1', 'Deny', 'user_stopped'],
      ['a2', 'Deny', 'user_stopped'],
    ]);
    assert.equal(stream.names.at(-1), 'session:end');
  });

  it('denies them when it stops', async () => {
    await ask('a1');
    await harness.server.stop();
    await stream.end();
    assert.deepEqual(answersAtClose, ['Deny']);
    assert.deepEqual(denials(), [['a1', 'Deny', 'server_stopped']]);
  });

  it('ends the turn of one that offers no denial', async () => {
    await ask('a1', { options: ['Now', 'Later'] });
    await harness.call('DELETE', `/sessions/${id}`);
    assert.equal(fake.cancels, 1);
    assert.deepEqual(fake.answers, []);
  });

  it('denies what is asked while it ends', async () => {
    fake.beforeClose = async () => {
      fake.ask('late');
      while (fake.answers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    await harness.call('DELETE', `/sessions/${id}`);
    assert.deepEqual(fake.answers, ['Deny']);
  });

  it('closes the session also when its agent does not take the denial', async () => {
    await ask('a1');
    const asked = Promise.withResolvers<undefined>();
    fake.beforeApprove = () => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    };
    const deleted = harness.call('DELETE', `/sessions/${id}`);
    await asked.promise;
    clock.advance(1000);
    assert.equal((await deleted).status, 200);
    assert.equal(fake.closes, 1);
    assert.equal(fake.isDisposed, true);
  });
});
