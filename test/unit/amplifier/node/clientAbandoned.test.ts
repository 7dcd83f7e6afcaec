import assert from 'node:assert/strict';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { RealSession, TurnScript } from '../../../fake/amplifier/realDialectSession';
import { until } from '../../../support/eventually';
import { connectTo, patientStop, Recorder, type Harness } from './clientHarness';

/** The server that exists goes on with a turn whatever the client does, and runs what nobody denies. */
describe('a turn that continues after the client left it', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;
  let onServer: RealSession;
  /** Lets the turn go on to its gated tool. */
  let goOn: () => void;

  const late: TurnScript = async (turn) => {
    turn.delta('begun');
    await new Promise<void>((resolve) => (goOn = resolve));
    await turn.gatedTool('bash', { timeoutSeconds: 60 });
    turn.complete('done');
  };

  beforeEach(async () => {
    server = new RealDialectServer({ script: late, pingMs: 20 });
    await server.start();
    harness = connectTo(server.url, { clock: patientStop, limits: { heartbeatMs: 100 } });
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  async function begin(script = late): Promise<void> {
    server.script = script;
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
    onServer = server.session;
    await session.sendPrompt({ text: 'go' });
  }

  async function beginLate(): Promise<void> {
    await begin();
    await recorder.next('content_block:delta');
  }

  async function assertDenied(): Promise<void> {
    await until('the turn is over', () => onServer.status === 'idle');
    assert.deepEqual(onServer.decisions, ['Deny']);
    assert.deepEqual(onServer.ran, []);
  }

  it('is denied what it asks for after a cancel; its session is ended once it is over, and no sooner', async () => {
    await beginLate();
    await session.cancel();
    await recorder.end();
    assert.equal(recorder.all('prompt:complete')[0]?.data.stop_reason, 'cancelled');
    assert.match(recorder.all('notice')[0]?.data.message ?? '', /no longer remembers/u);
    assert.equal(recorder.all('session:end')[0]?.data.reason, 'user_stopped');
    assert.equal(server.sessions.size, 1);
    goOn();
    await assertDenied();
    await until('the session is ended', () => server.sessions.size === 0);
  });

  it('is denied what it asks for after the session was closed', async () => {
    await beginLate();
    await session.close();
    await recorder.end();
    assert.equal(server.sessions.size, 1);
    goOn();
    await assertDenied();
    await until('the session is ended', () => server.sessions.size === 0);
  });

  it('is denied by what the stream tells when the status does not mention it', async () => {
    await beginLate();
    const toStatus = onServer.toStatus.bind(onServer);
    onServer.toStatus = () => ({ ...toStatus(), pending_approval: null });
    await session.cancel();
    goOn();
    await assertDenied();
  });

  it('is stopped and denied while the backend stops', async () => {
    await beginLate();
    const stopped = harness.backend.stop();
    goOn();
    await stopped;
    assert.deepEqual(onServer.decisions, ['Deny']);
    assert.deepEqual(onServer.ran, []);
    assert.ok(server.requests.some(({ path }) => path.endsWith('/cancel')));
    assert.equal(server.requests.filter(({ method }) => method === 'DELETE').length, 0);
    assert.match(recorder.all('notice')[0]?.data.message ?? '', /may continue/u);
  });

  it('is denied by REST when its stream has failed for good', async () => {
    await beginLate();
    server.intercept = ({ url = '' }, response) => {
      if (!url.endsWith('/events')) return false;
      response.writeHead(403).end();
      return true;
    };
    onServer.dropStreams();
    await recorder.end();
    assert.equal(recorder.all('notice').length, 1);
    goOn();
    await assertDenied();
  });

  it('is denied by REST while there is no stream, and is the user’s again with the next one', async () => {
    harness.backend.dispose();
    harness = connectTo(server.url, { limits: { reconnectGraceMs: 30 } });
    await begin(async (turn) => {
      await late(turn, '');
      await turn.gatedTool('git');
    });
    await recorder.next('content_block:delta');
    server.intercept = ({ url = '' }, response) => {
      if (!url.endsWith('/events')) return false;
      response.writeHead(503).end();
      return true;
    };
    onServer.dropStreams();
    assert.equal((await recorder.next('prompt:complete')).data.stop_reason, 'interrupted');
    goOn();
    await until('a denial', () => onServer.decisions.length === 1);
    server.intercept = () => false;
    await until('connected again', () => onServer.subscriberCount === 1);
    await until('asked', () => onServer.decisions.length === 2 || recorder.all('approval:required').length > 0);
    assert.deepEqual(onServer.ran, []);
  });

  it('is followed until it is over, though the server is away for a while', async () => {
    await beginLate();
    await session.cancel();
    server.intercept = ({ socket }) => {
      socket.destroy();
      return true;
    };
    onServer.dropStreams();
    goOn();
    await until('it asks', () => onServer.status === 'awaiting_approval');
    server.intercept = () => false;
    await assertDenied();
  });

  it('is not followed if it belongs to another window and has no approval', async () => {
    await beginLate();
    const other = connectTo(server.url);
    await other.backend.loadSession(session.id, { cwd: '/ws' });
    await other.backend.stop();
    assert.ok(!server.requests.some(({ path }) => path.endsWith('/cancel')));
    other.backend.dispose();
  });

  it('is one in which a request took the place of another, which nobody can deny', async () => {
    await begin(async (turn) => {
      await Promise.all([turn.gatedTool('bash'), turn.gatedTool('write_file')]);
    });
    await recorder.end();
    assert.match(recorder.all('notice')[0]?.data.message ?? '', /is being stopped/u);
    assert.equal(recorder.all('approval:denied')[0]?.data.reason, 'unanswerable');
    assert.equal(recorder.all('prompt:complete')[0]?.data.stop_reason, 'cancelled');
    assert.deepEqual(onServer.decisions, ['Deny']);
  });

  it('is one in which a request came after another of the same id, of which only the status told', async () => {
    let askAgain = (): void => undefined;
    await begin(async (turn) => {
      const emit = turn.session.emit.bind(turn.session);
      turn.session.emit = () => turn.session.dropStreams();
      const first = turn.gatedTool('bash');
      turn.session.emit = emit;
      await new Promise<void>((resolve) => (askAgain = resolve));
      // One of them is lost with the connection that is gone.
      turn.thinking('a');
      turn.thinking('b');
      await Promise.all([first, turn.gatedTool('bash')]);
    });
    await recorder.next('approval:required');
    // A look begins when the one before is over: the first of the new connection has told the request.
    const hasLooked = (count: number): boolean => {
      const at = server.requests.findLastIndex(({ path }) => path.endsWith('/events'));
      const isLook = ({ method, path }: { method: string; path: string }) =>
        method === 'GET' && path.endsWith(session.id);
      return onServer.subscriberCount === 1 && server.requests.slice(at).filter(isLook).length >= count;
    };
    // One is made every 100 ms: after that many, what a new connection tells does not count as told again any more.
    await until('the looks on the new connection', () => hasLooked(5));
    askAgain();
    await recorder.end();
    assert.equal(recorder.all('approval:required').length, 2);
    assert.deepEqual(onServer.decisions, ['Deny']);
  });

  for (const [what, pending] of [
    ['a shape that nobody knows', { what: 1 }],
    ['nothing', null],
    ['no options', { approval_id: 'a', prompt: 'p' }],
  ] as const) {
    it(`is one that waits for an approval of which the status says ${what}`, async () => {
      await begin(async (turn) => {
        turn.session.status = 'awaiting_approval';
        turn.session.pendingApproval = pending;
        await new Promise(() => undefined);
      });
      await recorder.end();
      assert.match(recorder.all('notice')[0]?.data.message ?? '', /does not describe/u);
      assert.equal(recorder.all('prompt:complete')[0]?.data.stop_reason, 'cancelled');
      assert.deepEqual(onServer.decisions, []);
    });
  }
});
