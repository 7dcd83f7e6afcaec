import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { FakeClock } from '../../../fake/fakeClock';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { TurnScript } from '../../../fake/amplifier/realDialectSession';
import { until } from '../../../support/eventually';
import { connectTo, patientStop, Recorder, type Harness } from './clientHarness';

describe('stopping what the client began', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  const endless: TurnScript = async (turn) => {
    turn.delta('begun');
    await new Promise(() => undefined);
  };

  const requestsTo = (method: string, path: RegExp): number =>
    server.requests.filter((request) => request.method === method && path.test(request.path)).length;

  async function open(limits = {}, clock: Clock = systemClock): Promise<void> {
    harness = connectTo(server.url, { limits, clock });
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
  }

  beforeEach(async () => {
    server = new RealDialectServer({ script: endless, pingMs: 20 });
    await server.start();
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  it('a prompt that is not sent yet: it never is', async () => {
    await open();
    const path = `/sessions/${session.id}`;
    server.intercept = ({ method, url }) => method === 'GET' && url === path;
    const sent = session.sendPrompt({ text: 'go' });
    const refused = assert.rejects(sent, { code: 'cancelled' });
    await until('it asks for the status', () => requestsTo('GET', /\/sessions\/[^/]+$/u) > 0);
    await session.cancel();
    await refused;
    server.intercept = () => false;
    assert.equal(session.turn, 'none');
    assert.equal(requestsTo('POST', /\/prompt$/u), 0);
    assert.deepEqual(recorder.all('prompt:submit'), []);
  });

  it('a prompt that the server is taking: its turn ends once it is there', async () => {
    await open();
    let take = (): void => undefined;
    server.held = new Promise((resolve) => (take = resolve));
    const sent = session.sendPrompt({ text: 'go' });
    await until('the prompt is on its way', () => requestsTo('POST', /\/prompt$/u) > 0);
    const stopped = session.cancel();
    take();
    await sent;
    await stopped;
    assert.equal(session.turn, 'none');
    assert.equal((await recorder.next('prompt:complete')).data.stop_reason, 'cancelled');
    assert.equal(requestsTo('POST', /\/cancel$/u), 1);
  });

  it('a prompt that the server takes only when nobody waits for it any more: its turn ends all the same', async () => {
    const clock = new FakeClock();
    await open({}, clock);
    let take = (): void => undefined;
    server.held = new Promise((resolve) => (take = resolve));
    const sent = session.sendPrompt({ text: 'go' });
    await until('the prompt is on its way', () => requestsTo('POST', /\/prompt$/u) > 0);
    server.intercept = ({ method }, response) => {
      if (method === 'GET') return false;
      response.writeHead(503).end();
      return true;
    };
    const stopped = session.cancel();
    // As long as a prompt that is being taken is waited for.
    clock.advance(5000);
    await stopped;
    server.intercept = () => false;
    take();
    await sent;
    assert.equal((await recorder.next('prompt:complete')).data.stop_reason, 'cancelled');
  });

  it('a turn of a server that hangs: in one stretch of time, however much there is to do', async () => {
    const clock = new FakeClock();
    await open({ cancelTimeoutMs: 100 }, clock);
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    server.intercept = () => true;
    const stopped = session.cancel();
    clock.advance(100);
    await stopped;
    assert.equal((await recorder.next('prompt:complete')).data.stop_reason, 'cancelled');
    assert.match((await recorder.next('notice')).data.message, /may still be working/u);
  });

  it('a session of a server that hangs: in one stretch of time, an approval included', async () => {
    server.script = async (turn) => {
      await turn.gatedTool('bash');
    };
    const clock = new FakeClock();
    await open({ closeTimeoutMs: 100 }, clock);
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required');
    server.intercept = () => true;
    const closed = session.close();
    clock.advance(100);
    await closed;
    await recorder.end();
  });

  it('a session whose stream does not open: it is ended on the server', async () => {
    server.intercept = ({ url = '' }, response) => {
      if (!url.endsWith('/events')) return false;
      response.writeHead(401).end();
      return true;
    };
    harness = connectTo(server.url);
    await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), { code: 'authRequired' });
    assert.equal(server.sessions.size, 0);
  });

  /** The server creates a session when the result is called. */
  function holdCreation(): () => void {
    let make = (): void => undefined;
    const held = new Promise<void>((resolve) => (make = resolve));
    server.intercept = ({ method, url }, response) => {
      if (method !== 'POST' || url !== '/sessions') return false;
      server.intercept = () => false;
      const made = JSON.stringify({ session_id: 'late', status: 'created' });
      void held.then(() => response.writeHead(201, { 'Content-Type': 'application/json' }).end(made));
      return true;
    };
    return make;
  }

  it('a session that the server is making: nobody waits, and it is ended once it is there', async () => {
    const make = holdCreation();
    harness = connectTo(server.url);
    const stop = new AbortController();
    const refused = assert.rejects(harness.backend.createSession({ cwd: '/ws' }, stop.signal), { code: 'cancelled' });
    await until('the session is asked for', () => requestsTo('POST', /\/sessions$/u) > 0);
    stop.abort();
    await refused;
    assert.equal(requestsTo('DELETE', /./u), 0);
    make();
    await until('the session is ended', () => requestsTo('DELETE', /\/late$/u) === 1);
  });

  for (const [what, leave] of [
    ['the address changes', (harnessNow: Harness) => harnessNow.backend.retire()],
    ['the backend stops', (harnessNow: Harness) => harnessNow.backend.stop()],
  ] as const) {
    it(`a session that the server is making while ${what}: it is ended before the client goes`, async () => {
      const make = holdCreation();
      harness = connectTo(server.url, { clock: patientStop });
      const refused = assert.rejects(harness.backend.createSession({ cwd: '/ws' }), { code: 'cancelled' });
      await until('the session is asked for', () => requestsTo('POST', /\/sessions$/u) > 0);
      const left = leave(harness).then(() => requestsTo('DELETE', /\/late$/u));
      await refused;
      make();
      assert.equal(await left, 1);
    });
  }

  it('a backend whose settings have changed: it creates no session any more', async () => {
    harness = connectTo(server.url);
    await harness.backend.retire();
    await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), { code: 'notReady', message: /have changed/ });
    assert.equal(requestsTo('POST', /\/sessions$/u), 0);
  });

  it('a session that nobody waits for any more: it is ended on the server', async () => {
    server.intercept = ({ url = '' }) => url.endsWith('/events');
    harness = connectTo(server.url);
    const stop = new AbortController();
    const made = harness.backend.createSession({ cwd: '/ws' }, stop.signal);
    const refused = assert.rejects(made, { code: 'cancelled' });
    await until('the stream is asked for', () => requestsTo('GET', /\/events$/u) > 0);
    stop.abort();
    await refused;
    await until('the session is ended', () => server.sessions.size === 0);
  });

  it('a session that is loaded and that nobody waits for: it stays on the server', async () => {
    await open();
    session.dispose();
    server.intercept = ({ url = '' }) => url.endsWith('/events');
    const stop = new AbortController();
    const loaded = harness.backend.loadSession(session.id, { cwd: '/ws' }, stop.signal);
    const refused = assert.rejects(loaded, { code: 'cancelled' });
    await until('the stream is asked for', () => requestsTo('GET', /\/events$/u) > 1);
    stop.abort();
    await refused;
    assert.equal(server.sessions.size, 1);
  });
});
