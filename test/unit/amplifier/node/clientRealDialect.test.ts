import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { TurnScript } from '../../../fake/amplifier/realDialectSession';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { until } from '../../../support/eventually';
import { connectTo, Recorder, type Harness } from './clientHarness';

const wholeTurn: TurnScript = async (turn) => {
  turn.delta('Let me ');
  turn.delta('look.');
  turn.thinking('I think in one lump.');
  await turn.gatedTool('bash');
  turn.delta('All ');
  turn.delta('good.');
  turn.complete('All good.');
};

const answer =
  (text: string): TurnScript =>
  (turn) => {
    turn.complete(text);
    return Promise.resolve();
  };

describe('the client and the real server’s dialect', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  async function open(script: TurnScript, limits = {}, clock: Clock = systemClock): Promise<void> {
    server.script = script;
    harness = connectTo(server.url, { limits, clock });
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
  }

  beforeEach(async () => {
    server = new RealDialectServer({ script: wholeTurn, pingMs: 20 });
    await server.start();
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  it('tells a whole turn with an approval', async () => {
    await open(wholeTurn);
    const { requestId } = await session.sendPrompt({ text: 'go' });
    const { data: approval } = await recorder.next('approval:required');
    assert.equal(session.turn, 'own');
    assert.equal(approval.call_id, recorder.all('tool:pre')[0]?.data.call_id);
    await session.answerApproval(approval.approval_id, 'Allow');
    const { data } = await recorder.next('prompt:complete');
    assert.deepEqual(recorder.names, [
      'session:start',
      'prompt:submit',
      'content_block:start',
      'content_block:delta',
      'content_block:end',
      'thinking:delta',
      'thinking:final',
      'tool:pre',
      'approval:required',
      'approval:granted',
      'tool:post',
      'content_block:start',
      'content_block:delta',
      'content_block:end',
      'prompt:complete',
    ]);
    assert.equal(recorder.text, 'Let me look.All good.');
    assert.equal(data.request_id, requestId);
    assert.equal(session.turn, 'none');
    assert.deepEqual(server.session.ran, ['bash']);
  });

  it('shows an answer that comes in prompt:complete only', async () => {
    await open(answer('The whole answer.'));
    await session.sendPrompt({ text: 'go' });
    await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'The whole answer.');
  });

  it('counts usage per turn though the server counts the session', async () => {
    await open(answer('x'));
    for (const count of [1, 2]) {
      await session.sendPrompt({ text: 'go' });
      const { data } = await recorder.next('prompt:complete', count);
      assert.deepEqual(data.token_usage, { input_tokens: 100, output_tokens: 20 });
    }
  });

  it('calls a denial a denial though the server says granted, and nothing runs', async () => {
    await open(wholeTurn);
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    await session.answerApproval(data.approval_id, 'Deny');
    await recorder.next('prompt:complete');
    assert.deepEqual(recorder.all('approval:granted'), []);
    assert.equal(recorder.all('approval:denied')[0]?.data.decision, 'Deny');
    assert.match(recorder.all('tool:error')[0]?.data.error ?? '', /denied/);
    assert.deepEqual(server.session.ran, []);
  });

  it('denies by the listed option before the server’s time-out, which would run the tool', async () => {
    // A minute here is two seconds; the server waits a whole one.
    const [speed, startMs] = [30, systemClock.now()];
    const clock: Clock = {
      now: () => startMs + (systemClock.now() - startMs) * speed,
      monotonicNow: () => systemClock.monotonicNow() * speed,
      setTimer: (delayMs, callback) => systemClock.setTimer(delayMs / speed, callback),
    };
    const script: TurnScript = async (turn) => {
      await turn.gatedTool('bash', { timeoutSeconds: 60 });
      turn.complete('done');
    };
    await open(script, { settleMs: 600_000, silenceMs: 1_800_000, reconnectGraceMs: 1_800_000 }, clock);
    await session.sendPrompt({ text: 'go' });
    await recorder.next('prompt:complete');
    assert.deepEqual(server.session.decisions, ['Deny']);
    assert.deepEqual(server.session.ran, []);
    assert.equal(recorder.all('approval:denied')[0]?.data.reason, 'timeout', 'nobody has rejected it');
  });

  it('sends nothing but a listed option, byte for byte', async () => {
    await open(wholeTurn);
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    for (const option of ['allow', 'Allow ', 'deny', 'Bogus', '']) {
      await assert.rejects(session.answerApproval(data.approval_id, option), { code: 'approvalInvalid' });
    }
    assert.deepEqual(server.session.decisions, []);
  });

  it('refuses an answer that comes twice, after the end, or for nothing', async () => {
    await open(wholeTurn);
    await assert.rejects(session.answerApproval('appr-1', 'Allow'), { code: 'approvalInvalid' });
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    const both = await Promise.allSettled([
      session.answerApproval(data.approval_id, 'Deny'),
      session.answerApproval(data.approval_id, 'Allow'),
    ]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    await recorder.next('prompt:complete');
    await assert.rejects(session.answerApproval(data.approval_id, 'Allow'), { code: 'approvalResolved' });
    assert.deepEqual(server.session.decisions, ['Deny']);
  });

  it('does not let an allowance go to another request than the one shown', async () => {
    // Nobody looks at the status meanwhile.
    await open(wholeTurn);
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    server.session.pendingApproval = {
      approval_id: 'appr-140234',
      prompt: 'Allow running: rm',
      options: ['Allow', 'Deny'],
    };
    await assert.rejects(session.answerApproval(data.approval_id, 'Allow'), { code: 'approvalResolved' });
    assert.deepEqual(server.session.decisions, []);
  });

  it('tells two approvals of one session apart though they have one id', async () => {
    await open(async (turn) => {
      await turn.gatedTool('bash');
      await turn.gatedTool('git');
      turn.complete('done');
    });
    await session.sendPrompt({ text: 'go' });
    const first = await recorder.next('approval:required');
    await session.answerApproval(first.data.approval_id, 'Deny');
    const second = await recorder.next('approval:required', 2);
    assert.notEqual(first.data.approval_id, second.data.approval_id);
    await session.answerApproval(second.data.approval_id, 'Allow');
    await recorder.next('prompt:complete');
    assert.deepEqual(server.session.ran, ['git']);
  });

  it('sends no allowance while the server does not report that anything waits', async () => {
    await open(wholeTurn);
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    server.session.pendingApproval = null;
    await assert.rejects(session.answerApproval(data.approval_id, 'Allow'), { code: 'protocol' });
    assert.deepEqual(server.session.decisions, []);
  });

  it('sends no prompt that the server would swallow while an approval waits', async () => {
    await open(wholeTurn);
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    await assert.rejects(session.sendPrompt({ text: 'more' }), { code: 'busy' });
    await session.answerApproval(data.approval_id, 'Deny');
    await recorder.next('prompt:complete');
    server.session.status = 'awaiting_approval';
    await assert.rejects(session.sendPrompt({ text: 'more' }), { code: 'busy' });
    assert.equal(server.requests.filter(({ path }) => path.endsWith('/prompt')).length, 1);
  });

  it('ends the session after a failure, because the server takes no prompt any more', async () => {
    await open(() => Promise.reject(new Error('No providers mounted')));
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('error');
    assert.equal(data.error, 'No providers mounted');
    await recorder.end();
    assert.equal(recorder.all('session:end')[0]?.data.reason, 'error');
    await assert.rejects(session.sendPrompt({ text: 'again' }), { code: 'closed' });
  });

  it('tells session:start once, however often it connects', async () => {
    await open(wholeTurn);
    for (const connections of [2, 3]) {
      server.session.dropStreams();
      await until(
        `connection ${connections}`,
        () => server.requests.filter(({ path }) => path.endsWith('/events')).length === connections,
      );
      await until('subscribed', () => server.session.subscriberCount === 1);
    }
    await session.sendPrompt({ text: 'go' });
    await recorder.next('tool:pre');
    assert.equal(recorder.all('session:start').length, 1);
  });

  it('finishes the text from the response when events were lost with a connection', async () => {
    await open(async (turn) => {
      turn.delta('One ');
      await until('the first delta arrived', () => recorder.text === 'One ');
      turn.session.dropStreams();
      turn.delta('two ');
      await until('connected again', () => turn.session.subscriberCount === 1);
      turn.complete('One two three.');
    });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'One two three.');
  });

  it('closes the turn as interrupted when its end was lost', async () => {
    await open(async (turn) => {
      turn.delta('half');
      await until('the delta arrived', () => recorder.text === 'half');
      turn.session.dropStreams();
      turn.complete('half and more');
    });
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('prompt:complete');
    assert.equal(data.stop_reason, 'interrupted');
    assert.equal(data.response, 'half');
    assert.equal(session.turn, 'none');
  });

  it('rebuilds an approval whose event was lost', async () => {
    await open(async (turn) => {
      turn.session.dropStreams();
      await turn.gatedTool('bash');
      turn.complete('done');
    });
    // Two events go to the connection that is dead, one of them is lost.
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    assert.deepEqual(data.options, ['AlwaysAllow', 'Allow', 'Deny']);
    assert.ok((data.timeout ?? 0) <= 300);
    await session.answerApproval(data.approval_id, 'Deny');
    await recorder.next('prompt:complete');
    assert.deepEqual(server.session.ran, []);
  });

  it('ends the session, not the transcript, when the server was restarted', async () => {
    await open(wholeTurn);
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required');
    await server.stop();
    await server.start();
    await recorder.end();
    assert.equal(recorder.all('error')[0]?.data.code, 'SESSION_NOT_FOUND');
    assert.equal(recorder.all('approval:denied').length, 1);
    assert.equal(recorder.names.at(-1), 'session:end');
    const again = new Recorder(session);
    await again.end();
    assert.deepEqual(again.names, recorder.names);
    assert.equal((await harness.backend.createSession({ cwd: '/ws' })).turn, 'none');
  });

  it('ends the session when the server reports that it does not know it, though the stream lives', async () => {
    await open(wholeTurn);
    server.sessions.clear();
    await assert.rejects(session.sendPrompt({ text: 'go' }), { code: 'notFound' });
    await recorder.end();
    assert.equal(recorder.all('session:end')[0]?.data.reason, 'server_restarted');
  });

  it('stops a turn by ending the session, denies first, and reports that the agent forgets', async () => {
    await open(async (turn) => {
      await turn.gatedTool('bash');
      await new Promise(() => undefined);
    });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required');
    const { session: onServer } = server;
    await session.cancel();
    await recorder.end();
    assert.deepEqual(onServer.decisions, ['Deny']);
    assert.deepEqual(onServer.ran, []);
    assert.match(recorder.all('notice').at(-1)?.data.message ?? '', /no longer remembers/);
    assert.equal(recorder.names.at(-1), 'session:end');
  });

  it('marks a turn whose events went to another window', async () => {
    await open(
      async (turn) => {
        for (const word of ['a', 'b', 'c', 'd']) turn.delta(word);
        turn.complete('abcd');
        await Promise.resolve();
      },
      { heartbeatMs: 100 },
    );
    const other = connectTo(server.url, { limits: { heartbeatMs: 100 } });
    const theirs = await other.backend.loadSession(session.id, { cwd: '/ws' });
    const theirRecorder = new Recorder(theirs);
    await session.sendPrompt({ text: 'go' });
    await Promise.all([recorder.next('prompt:complete'), theirRecorder.next('prompt:complete')]);
    assert.equal(session.turn, 'none');
    assert.equal(theirs.turn, 'none');
    other.backend.dispose();
  });

  it('lists and loads sessions with the zone that the server leaves out', async () => {
    await open(wholeTurn);
    const [summary] = await harness.backend.listSessions();
    assert.equal(summary?.id, session.id);
    assert.match(summary.updatedAt ?? '', /Z$/);
    assert.ok(Math.abs(Date.parse(summary.updatedAt ?? '') - Date.now()) < 60_000);
    await assert.rejects(harness.backend.loadSession('nope', { cwd: '/ws' }), { code: 'notFound' });
  });

  it('keeps what the server echoes of the context out of the events', async () => {
    await open(answer('x'));
    server.session.emit('prompt:submit', { prompt: 'hi', context_update: { open_files: [{ content: 'SECRET' }] } });
    await recorder.next('prompt:submit');
    assert.ok(!JSON.stringify(recorder.events).includes('SECRET'));
  });
});
