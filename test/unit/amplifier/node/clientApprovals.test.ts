import assert from 'node:assert/strict';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import { naiveNow, type TurnScript } from '../../../fake/amplifier/realDialectSession';
import { until } from '../../../support/eventually';
import { connectTo, Recorder, type Harness } from './clientHarness';

const request = { approval_id: 'appr-1', prompt: 'Allow running: command', options: ['Allow', 'Deny'] };

describe('approvals that are late, unclear, or lost on the way', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  const gated: TurnScript = async (turn) => {
    await turn.gatedTool('bash');
    turn.complete('done');
  };

  beforeEach(async () => {
    server = new RealDialectServer({ script: gated, pingMs: 20 });
    await server.start();
    harness = connectTo(server.url);
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  /** As another window that loads the session while a request waits. */
  async function load(lastActivity: string | null): Promise<Recorder> {
    session.dispose();
    server.session.status = 'awaiting_approval';
    server.session.pendingApproval = request;
    server.session.lastActivity = lastActivity;
    return new Recorder(await harness.backend.loadSession(session.id, { cwd: '/ws' }));
  }

  it('have nearly the whole time when they are fresh', async () => {
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    assert.ok((data.timeout ?? 0) > 280 && (data.timeout ?? 0) <= 285, `${data.timeout} s`);
  });

  it('have what is left since their own time', async () => {
    server.session.status = 'awaiting_approval';
    server.session.pendingApproval = request;
    server.session.emit('approval:required', { ...request, timeout: 300, timestamp: naiveNow(2) });
    const { data } = await recorder.next('approval:required');
    assert.ok((data.timeout ?? 0) <= 285, `${data.timeout} s`);
  });

  it('have what is left since the last activity when the session is loaded', async () => {
    const { data } = await (await load(naiveNow(200))).next('approval:required');
    assert.ok((data.timeout ?? 0) > 80 && (data.timeout ?? 0) <= 85, `${data.timeout} s`);
  });

  it('have little time when nobody knows how old they are', async () => {
    const { data } = await (await load(null)).next('approval:required');
    assert.ok((data.timeout ?? 0) <= 10, `${data.timeout} s`);
  });

  it('are denied soon when hardly anything is left', async () => {
    const loaded = await load(naiveNow(290));
    assert.equal((await loaded.next('approval:required')).data.timeout, 0);
    await until('a denial', () => server.session.decisions.length > 0);
    assert.deepEqual(server.session.decisions, ['Deny']);
  });

  it('are not taken back by a status from before they came', async () => {
    const onServer = server.session;
    const isStatus = ({ method, path }: { method: string; path: string }): boolean =>
      method === 'GET' && path.endsWith(session.id);
    await until('what is asked after connecting', () => server.requests.some(isStatus));
    onServer.status = 'processing';
    // The second answer is the one that a prompt gives up at.
    let asked = 0;
    server.intercept = ({ method, url = '' }, response) => {
      if (method !== 'GET' || !url.endsWith(session.id) || ++asked < 2) return false;
      server.intercept = () => false;
      onServer.status = 'awaiting_approval';
      onServer.pendingApproval = request;
      onServer.emit('approval:required', { ...request, timeout: 300 });
      const old = JSON.stringify({ session_id: session.id, status: 'processing', pending_approval: null });
      void recorder
        .next('approval:required')
        .then(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end(old));
      return true;
    };
    await assert.rejects(session.sendPrompt({ text: 'go' }), { code: 'busy' });
    assert.deepEqual(recorder.all('approval:denied'), []);
    await session.answerApproval('appr-1', 'Deny');
    assert.deepEqual(onServer.decisions, ['Deny']);
  });

  it('stay, and can only be denied, when the status cannot be read', async () => {
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    server.session.pendingApproval = { id: 7, what: 'a shape that nobody knows' };
    await assert.rejects(session.answerApproval(data.approval_id, 'Allow'), { code: 'protocol' });
    assert.deepEqual(recorder.all('approval:denied'), []);
    assert.deepEqual(server.session.decisions, []);
    await session.answerApproval(data.approval_id, 'Deny');
    await recorder.next('prompt:complete');
    assert.deepEqual(server.session.ran, []);
  });

  it('stay when the server is gone exactly while one is answered, and run nothing', async () => {
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    const onServer = server.session;
    server.intercept = ({ url = '', socket }) => {
      if (!url.endsWith('/approval')) return false;
      socket.destroy();
      server.intercept = () => false;
      return true;
    };
    await assert.rejects(session.answerApproval(data.approval_id, 'Allow'), { code: 'notReady' });
    assert.deepEqual(recorder.all('approval:granted'), []);
    await session.answerApproval(data.approval_id, 'Deny');
    await recorder.next('prompt:complete');
    assert.deepEqual(onServer.ran, []);
  });

  it('end with the session when the server was restarted while one was answered', async () => {
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    const onServer = server.session;
    let stopped: Promise<void> | undefined;
    server.intercept = ({ url = '' }) => {
      if (!url.endsWith('/approval')) return false;
      stopped = server.stop();
      return true;
    };
    await assert.rejects(session.answerApproval(data.approval_id, 'Allow'), { code: 'notReady' });
    await stopped;
    server.intercept = () => false;
    await server.start();
    await recorder.end();
    assert.equal(recorder.all('session:end')[0]?.data.reason, 'server_restarted');
    assert.deepEqual(recorder.all('approval:granted'), []);
    assert.deepEqual(onServer.ran, []);
  });
});
