import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { AmplifierBackendDeps } from '../../../../src/amplifier/node/client/amplifierBackend';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { RealSession } from '../../../fake/amplifier/realDialectSession';
import { until } from '../../../support/eventually';
import { connectTo, patientStop, Recorder, type Harness } from './clientHarness';

/** The server that exists runs the tool when nobody answers: whoever lets go of a session must have said no. */
describe('an approval that waits when the client lets go', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;
  let onServer: RealSession;

  beforeEach(async () => {
    server = new RealDialectServer({
      script: async (turn) => {
        await turn.gatedTool('bash', { timeoutSeconds: 120 });
        turn.complete('done');
      },
      pingMs: 20,
    });
    await server.start();
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  async function ask(limits = {}, options: Partial<AmplifierBackendDeps> = { clock: patientStop }): Promise<void> {
    harness = connectTo(server.url, { ...options, limits });
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required');
    onServer = server.session;
  }

  async function assertDenied(): Promise<void> {
    await until('a denial', () => onServer.decisions.length > 0);
    assert.deepEqual(onServer.decisions, ['Deny']);
    assert.deepEqual(onServer.ran, []);
  }

  /** The next requests to that path are cut off; resolves with how many were when it has had enough. */
  function cut(path: RegExp, times: number): void {
    let left = times;
    server.intercept = ({ url = '', socket }) => {
      if (!path.test(url) || left-- <= 0) return false;
      socket.destroy();
      return true;
    };
  }

  it('is denied before the backend has stopped', async () => {
    await ask();
    await harness.backend.stop();
    await assertDenied();
    assert.equal(recorder.all('approval:denied')[0]?.data.reason, 'turn_ended');
  });

  it('is denied before the backend has stopped though the first denials are lost', async () => {
    await ask();
    cut(/\/approval$/u, 2);
    await harness.backend.stop();
    assert.deepEqual(onServer.decisions, ['Deny']);
  });

  it('does not keep the backend from stopping when the server hangs', async () => {
    // Timers run ten times as fast.
    const clock = {
      ...systemClock,
      setTimer: (delayMs: number, callback: () => void) => systemClock.setTimer(delayMs / 10, callback),
    };
    await ask({ heartbeatMs: 10_000, silenceMs: 60_000 }, { clock });
    let denials = 0;
    server.intercept = ({ url = '' }) => {
      if (url.endsWith('/approval')) denials++;
      return true;
    };
    const startedAt = performance.now();
    await harness.backend.stop();
    assert.ok(performance.now() - startedAt < 30_000);
    assert.ok(denials > 0);
  });

  it('has its turn stopped, if the server can, when nothing listed denies', async () => {
    server.script = async (turn) => {
      await turn.session.requestApproval(120, ['Yes', 'Always']);
    };
    await ask({}, {});
    await harness.backend.stop();
    assert.ok(server.requests.some(({ path }) => path.endsWith('/cancel')));
    assert.deepEqual(onServer.decisions, []);
  });

  it('is denied when the backend is disposed', async () => {
    await ask();
    harness.backend.dispose();
    await assertDenied();
  });

  it('is denied when only the session is disposed, and the backend waits for that', async () => {
    await ask();
    cut(/\/approval$/u, 1);
    session.dispose();
    await harness.backend.stop();
    assert.deepEqual(onServer.decisions, ['Deny']);
  });

  it('is denied when the session is closed', async () => {
    await ask();
    await session.close();
    await assertDenied();
  });

  it('is denied by REST when the stream has failed for good', async () => {
    await ask();
    server.intercept = ({ url = '' }, response) => {
      if (!url.endsWith('/events')) return false;
      response.writeHead(401).end();
      return true;
    };
    onServer.dropStreams();
    await recorder.end();
    await assertDenied();
  });

  it('is denied by REST when the turn was given up for want of a connection', async () => {
    await ask({ reconnectGraceMs: 30 });
    cut(/\/events$/u, Infinity);
    onServer.dropStreams();
    assert.equal((await recorder.next('prompt:complete')).data.stop_reason, 'interrupted');
    await assertDenied();
  });

  it('is denied once the server is to be reached again', async () => {
    await ask({ reconnectGraceMs: 30 });
    cut(/./u, Infinity);
    onServer.dropStreams();
    await recorder.next('prompt:complete');
    assert.deepEqual(onServer.decisions, []);
    cut(/./u, 0);
    await assertDenied();
  });
});
