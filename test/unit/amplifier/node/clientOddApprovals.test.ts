import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { until } from '../../../support/eventually';
import { connectTo, Recorder, type Harness } from './clientHarness';
import { DocumentDialectServer } from '../../../fake/amplifier/documentDialectServer';

const request = { approval_id: 'a-1', prompt: 'Run it?', options: ['Allow', 'Deny'] };
/** What is told soon on a machine with nothing else to do is told soon on every other. */
const patient: Clock = {
  ...systemClock,
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs === 250 ? 20_000 : delayMs, callback),
};
const unreadable = { ...request, options: [{ id: 'allow' }, { id: 'deny' }] };

describe('approvals that a server tells oddly', () => {
  let server: DocumentDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  /** A turn that asks in this way; `told` of the event, `waiting` of the status. */
  async function ask(
    told: Record<string, unknown>,
    waiting: Record<string, unknown> | null = request,
    status: DocumentDialectServer['status'] = 'awaiting_approval',
    // What is lost must not be found only because somebody looks after a while.
    heartbeatMs = 60_000,
  ): Promise<void> {
    server = new DocumentDialectServer({
      hasCancelRoute: true,
      script: (it) => {
        it.status = status;
        it.pendingApproval = waiting;
        it.emit('approval:required', told);
      },
    });
    await server.start();
    harness = connectTo(server.url, { clock: patient, limits: { cancelGraceMs: 50, silenceMs: 60_000, heartbeatMs } });
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
    await session.sendPrompt({ text: 'go' });
  }

  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  const answers = (): unknown[] =>
    server.requests.filter(({ path }) => path.endsWith('/approval')).map(({ body }) => JSON.parse(body) as unknown);
  const wasAsked = (after: number): boolean =>
    server.requests.slice(after).some(({ method, path }) => method === 'GET' && path.endsWith(server.id));

  /** A new connection, on which the request is told once more while the status is still on its way. */
  async function tellAgain(again: Record<string, unknown>): Promise<void> {
    let held: (() => void) | undefined;
    server.intercept = ({ method, url = '' }, response: ServerResponse) => {
      if (method !== 'GET' || !url.endsWith(server.id)) return false;
      server.intercept = () => false;
      const body = { session_id: server.id, status: server.status, pending_approval: server.pendingApproval };
      held = () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
    server.dropStreams();
    await until('the status being asked for', () => held !== undefined);
    server.emit('approval:required', again);
    server.emit('notice', { level: 'info', message: 'told' });
    await until('what is told again', () => recorder.all('notice').some(({ data }) => data.message === 'told'));
    held?.();
  }

  for (const [what, odd] of Object.entries({
    'a context that is a text': { context: 'rm -rf x' },
    'a context that is a list': { context: [] },
    'a time-out that is no number': { timeout: { seconds: 12 } },
    'options of unknown kinds': { option_kinds: ['perhaps', 'never'] },
    'a call that is a number': { call_id: 7 },
  })) {
    it(`are shown, and can be denied, with ${what}`, async () => {
      await ask({ ...request, ...odd });
      const { data } = await recorder.next('approval:required');
      await session.answerApproval(data.approval_id, 'Deny');
      assert.deepEqual(answers(), [{ decision: 'Deny' }]);
    });
  }

  it('are denied in time when the time-out is a text', async () => {
    await ask({ ...request, timeout: '12' });
    const { data } = await recorder.next('approval:required');
    assert.ok((data.timeout ?? 0) <= 11, `${data.timeout} s`);
  });

  it('are answered by a number where their id is one', async () => {
    const numbered = { ...request, approval_id: 7, option_kinds: ['allow_once', 'reject_once'] };
    await ask(numbered, numbered);
    const { data } = await recorder.next('approval:required');
    assert.equal(data.approval_id, '7');
    await session.answerApproval('7', 'Allow');
    assert.deepEqual(answers(), [{ decision: 'Allow', approval_id: 7 }]);
  });

  it('are closed by an event whose id is a number, too', async () => {
    await ask({ ...request, approval_id: 7 }, { ...request, approval_id: 7 });
    await recorder.next('approval:required');
    server.emit('approval:granted', { approval_id: 7, decision: 'Allow' });
    assert.equal((await recorder.next('approval:granted')).data.approval_id, '7');
  });

  it('are shown by what the status reports when the event cannot be read', async () => {
    await ask(unreadable);
    const { data } = await recorder.next('approval:required');
    assert.deepEqual(data.options, request.options);
    await session.answerApproval(data.approval_id, 'Deny');
  });

  it('stop the turn when neither the event nor the status can be read', async () => {
    await ask(unreadable, unreadable);
    await until('a stop', () => server.requests.some(({ path }) => path.endsWith('/cancel')));
    assert.match((await recorder.next('notice')).data.message, /does not describe/u);
  });

  for (const word of ['processing', 'idle'] as const) {
    it(`stay while the status tells them, though it says ${word}`, async () => {
      await ask(request, request, word, 50);
      const { data } = await recorder.next('approval:required');
      const before = server.requests.length;
      server.dropStreams();
      await until('the status being asked for', () => wasAsked(before));
      // Longer than it takes to believe that a turn is over.
      await until('it being asked for again', () => wasAsked(before + 2));
      assert.deepEqual(recorder.all('approval:denied'), []);
      await session.answerApproval(data.approval_id, 'Deny');
      assert.deepEqual(answers(), [{ decision: 'Deny' }]);
    });
  }

  it('are shown by a status that reports that the turn continues', async () => {
    await ask(unreadable, request, 'processing');
    await recorder.next('approval:required');
  });

  it('wait on when a new connection tells them again', async () => {
    await ask(request);
    const { data } = await recorder.next('approval:required');
    await tellAgain(request);
    assert.equal(recorder.all('approval:required').length, 1);
    await session.answerApproval(data.approval_id, 'Allow');
    assert.deepEqual(answers(), [{ decision: 'Allow' }]);
    assert.deepEqual(recorder.all('approval:denied'), []);
  });

  it('are two when what a new connection tells is another one', async () => {
    await ask(request);
    await recorder.next('approval:required');
    await tellAgain({ ...request, prompt: 'Run something else?' });
    assert.equal((await recorder.next('approval:denied')).data.reason, 'unanswerable');
  });
});
