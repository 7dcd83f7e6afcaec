import assert from 'node:assert/strict';
import * as z from 'zod';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import { FakeClock } from '../../../fake/fakeClock';
import type { FakeSession } from './support/fakeBackend';
import { Failure, ServerHarness, type SseClient } from './support/serverHarness';

const Status = z.object({
  status: z.string(),
  message_count: z.number(),
  pending_approval: z.record(z.string(), z.unknown()).nullable(),
});

describe('approvals of the embedded server', () => {
  let clock: FakeClock;
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  let stream: SseClient;

  beforeEach(async () => {
    clock = new FakeClock();
    harness = await ServerHarness.start({ clock });
    ({ id, fake } = await harness.createSession());
    stream = await harness.subscribe(id);
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'go' } });
  });
  afterEach(() => harness.stop());

  const answer = async (body: object): Promise<[status: number, code: string]> => {
    const { status, json } = await harness.call('POST', `/sessions/${id}/approval`, { body });
    return [status, Failure.safeParse(json).data?.error.code ?? z.object({ status: z.string() }).parse(json).status];
  };
  const status = async () => Status.parse((await harness.call('GET', `/sessions/${id}`)).json);
  const ask = async (approvalId: string): Promise<void> => {
    fake.ask(approvalId);
    await stream.until(() => stream.events.some(({ data }) => data['approval_id'] === approvalId), approvalId);
  };

  it('have the five minutes of the protocol, which the agent is held to', () => {
    assert.equal(fake.options.approvalTimeoutMs, 300_000);
  });

  it('show in the status while they wait, with the time since when', async () => {
    assert.equal((await status()).status, 'processing');
    const asked = clock.now();
    await ask('a1');
    clock.advance(60_500);
    const { status: name, pending_approval: pending } = await status();
    assert.equal(name, 'awaiting_approval');
    assert.deepEqual(pending, {
      session_id: id,
      approval_id: 'a1',
      prompt: 'Allow?',
      options: ['Allow', 'Deny', 'Allow All'],
      timeout: 300,
      timestamp: new Date(asked).toISOString().replace(/\.\d{3}Z$/u, 'Z'),
      default: 'deny',
      context: {},
    });
    assert.deepEqual(await answer({ decision: 'Allow All' }), [200, 'approved']);
    await stream.next('approval:granted');
    assert.deepEqual(await status(), { status: 'processing', message_count: 1, pending_approval: null });
  });

  it('are denied in so many words', async () => {
    await ask('a1');
    assert.deepEqual(await answer({ decision: 'Deny' }), [200, 'denied']);
    const { data } = await stream.next('approval:denied');
    assert.deepEqual(data, { session_id: id, approval_id: 'a1', decision: 'Deny', reason: 'user_denied' });
  });

  it('take nothing but a listed option, byte for byte', async () => {
    await ask('a1');
    for (const decision of ['allow', 'Allow ', 'Bogus', '', 'Allow,Deny']) {
      assert.deepEqual(await answer({ decision }), [400, 'APPROVAL_INVALID']);
    }
    assert.deepEqual(fake.answers, []);
    assert.equal((await status()).status, 'awaiting_approval');
  });

  it('are refused when none was asked for', async () => {
    assert.deepEqual(await answer({ decision: 'Allow' }), [400, 'APPROVAL_INVALID']);
  });

  it('are answered once', async () => {
    await ask('a1');
    const answers = await Promise.all([answer({ decision: 'Allow' }), answer({ decision: 'Deny' })]);
    assert.deepEqual(answers.map(([code]) => code).sort(), [200, 409]);
    assert.equal(fake.answers.length, 1);
    await stream.until(() => stream.names.some((name) => /approval:(granted|denied)/u.test(name)), 'the end');
    assert.deepEqual(await answer({ decision: 'Allow' }), [409, 'APPROVAL_RESOLVED']);
  });

  it('are answered once also while the agent is still being told', async () => {
    await ask('a1');
    const told = Promise.withResolvers<undefined>();
    let tellings = 0;
    fake.beforeApprove = async () => {
      tellings++;
      await told.promise;
    };
    const first = answer({ decision: 'Allow' });
    while (tellings === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await answer({ decision: 'Deny' }), [409, 'APPROVAL_RESOLVED']);
    told.resolve(undefined);
    assert.deepEqual(await first, [200, 'approved']);
    assert.equal(tellings, 1);
  });

  it('are resolved when the turn has ended', async () => {
    await ask('a1');
    fake.denyByItself('a1');
    fake.emit('prompt:complete', { response: '' });
    await stream.next('prompt:complete');
    assert.deepEqual(await answer({ decision: 'Allow' }), [409, 'APPROVAL_RESOLVED']);
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'again' } });
    await stream.next('prompt:submit', 2);
    assert.deepEqual(await answer({ decision: 'Allow' }), [400, 'APPROVAL_INVALID']);
  });

  it('report that the time was up', async () => {
    await ask('a1');
    clock.advance(300_000);
    fake.denyByItself('a1');
    await stream.next('approval:denied');
    assert.deepEqual(await answer({ decision: 'Allow' }), [409, 'APPROVAL_TIMEOUT']);
    assert.deepEqual(fake.answers, []);
  });

  for (const [how, change, waitMs, code] of [
    ['forward, which is no time-out', () => clock.setForward(300_000), 1_000, 'APPROVAL_RESOLVED'],
    ['back, which hides no time-out', () => clock.setBack(300_000), 300_000, 'APPROVAL_TIMEOUT'],
  ] as const) {
    it(`may wait while the clock is set ${how}`, async () => {
      await ask('a1');
      change();
      clock.advance(waitMs);
      fake.denyByItself('a1');
      await stream.next('approval:denied');
      assert.deepEqual(await answer({ decision: 'Allow' }), [409, code]);
    });
  }

  it('can be answered again when the backend did not take the answer', async () => {
    await ask('a1');
    fake.failure = new BackendError('backend', 'The agent stumbled.');
    assert.deepEqual(await answer({ decision: 'Allow' }), [502, 'PROVIDER_ERROR']);
    assert.deepEqual(await answer({ decision: 'Allow' }), [200, 'approved']);
  });

  it('are judged by the kind of the option, whatever it is called', async () => {
    fake.ask('a1', { options: ['Sure', 'Leave it'], option_kinds: ['allow_once', 'reject_once'] });
    await stream.next('approval:required');
    assert.deepEqual(await answer({ decision: 'Leave it' }), [200, 'denied']);
  });

  it('without an id mean the question that has waited longest', async () => {
    await ask('a1');
    await ask('a2');
    assert.equal((await status()).pending_approval?.['approval_id'], 'a1');
    assert.deepEqual(await answer({ decision: 'Allow' }), [200, 'approved']);
    await stream.until(() => stream.names.includes('approval:granted'), 'the first');
    assert.equal((await status()).pending_approval?.['approval_id'], 'a2');
    assert.deepEqual(await answer({ decision: 'Deny' }), [200, 'denied']);
    assert.equal((await stream.next('approval:granted')).data['approval_id'], 'a1');
    assert.equal((await stream.next('approval:denied')).data['approval_id'], 'a2');
  });

  it('with an id mean that question, and the others continue waiting', async () => {
    await ask('a1');
    await ask('a2');
    assert.deepEqual(await answer({ decision: 'Allow', approval_id: 'a2' }), [200, 'approved']);
    assert.equal((await stream.next('approval:granted')).data['approval_id'], 'a2');
    assert.equal((await status()).pending_approval?.['approval_id'], 'a1');
    assert.deepEqual(await answer({ decision: 'Deny', approval_id: 'a3' }), [400, 'APPROVAL_INVALID']);
    assert.deepEqual(await answer({ decision: 'Deny', approval_id: 'a2' }), [409, 'APPROVAL_RESOLVED']);
    assert.deepEqual(await answer({ decision: 'Deny', approval_id: 2 }), [400, 'INVALID_REQUEST']);
    assert.deepEqual(await answer({ decision: 'Deny', approval_id: 'a1' }), [200, 'denied']);
    assert.deepEqual(fake.answers, ['Allow', 'Deny']);
  });
});
