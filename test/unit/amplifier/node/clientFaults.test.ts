import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { TurnScript } from '../../../fake/amplifier/realDialectSession';
import { until } from '../../../support/eventually';
import { connectTo, Recorder, type Harness } from './clientHarness';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

describe('the client and a server with faults', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  const endless: TurnScript = async (turn) => {
    turn.delta('begun');
    await new Promise(() => undefined);
  };

  async function open(script: TurnScript, limits = {}): Promise<void> {
    server.script = script;
    harness = connectTo(server.url, { limits });
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
  }

  /** A server whose pings do not come between what a test writes. */
  async function openQuiet(script: TurnScript, limits = {}): Promise<void> {
    harness.backend.dispose();
    await server.stop();
    server = new RealDialectServer({ script, pingMs: 60_000 });
    await server.start();
    await open(script, limits);
  }

  /** Answers one request in the server's place. */
  function answerNext(path: RegExp, answer: (response: ServerResponse) => void): void {
    let done = false;
    server.intercept = (request: IncomingMessage, response: ServerResponse) => {
      if (done || !path.test(request.url ?? '')) return false;
      done = true;
      answer(response);
      return true;
    };
  }

  beforeEach(async () => {
    server = new RealDialectServer({ script: endless, pingMs: 20 });
    await server.start();
    harness = connectTo(server.url);
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  describe('gone', () => {
    it('before anything: reports where it looked and what to do', async () => {
      await server.stop();
      await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), (error) => {
        assert.ok(error instanceof BackendError);
        assert.equal(error.code, 'notReady');
        assert.match(error.message, /127\.0\.0\.1.*Start the Amplifier server.*amplifier\.server\.port/s);
        return true;
      });
      assert.equal(harness.backend.state.kind, 'failed');
    });

    it('while it creates the session', async () => {
      answerNext(/^\/sessions$/, (response) => response.socket?.destroy());
      await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), { code: 'notReady' });
    });

    it('before the stream opens', async () => {
      answerNext(/\/events$/, (response) => response.socket?.destroy());
      await open(endless);
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
    });

    it('while it takes the prompt: the session asks whether it was taken', async () => {
      await open(endless);
      answerNext(/\/prompt$/, (response) => response.socket?.destroy());
      await assert.rejects(session.sendPrompt({ text: 'go' }), { code: 'notReady' });
      assert.equal(session.turn, 'none');
      await session.sendPrompt({ text: 'again' });
      await recorder.next('content_block:delta');
    });

    it('in the turn, for longer than its grace: the turn is closed as interrupted', async () => {
      await open(endless, { reconnectGraceMs: 50 });
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      await server.stop();
      const { data } = await recorder.next('prompt:complete');
      assert.equal(data.stop_reason, 'interrupted');
      assert.equal(harness.backend.state.kind, 'failed');
    });

    it('in the turn: the state says that the session connects again, also after another request has failed or was cancelled', async () => {
      await open(endless);
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      await server.stop();
      const message = `The connection to ${server.url.origin} was lost. Reconnecting…`;
      await until('the loss', isReconnecting);
      await assert.rejects(harness.backend.listSessions(), { code: 'notReady' });
      assert.ok(isReconnecting());
      const controller = new AbortController();
      const created = harness.backend.createSession({ cwd: '/ws' }, controller.signal);
      assert.equal(harness.backend.state.kind, 'starting');
      controller.abort();
      await assert.rejects(created, { code: 'cancelled' });
      assert.ok(isReconnecting());
      await server.start();
      await until('the end of the lost session', () => harness.backend.state.kind === 'stopped');

      function isReconnecting(): boolean {
        const { state } = harness.backend;
        return state.kind === 'failed' && state.message === message;
      }
    });

    it('while it is told to stop: the turn ends here and the user is told', async () => {
      await open(endless);
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      await server.stop();
      await session.cancel();
      assert.equal((await recorder.next('prompt:complete')).data.stop_reason, 'cancelled');
      assert.match((await recorder.next('notice')).data.message, /may still be working/);
    });

    it('when the session is closed', async () => {
      await open(endless);
      await server.stop();
      await session.close();
      await recorder.end();
    });
  });

  describe('the stream', () => {
    it('survives an event over the cap, and says so', async () => {
      await open(endless, { maxEventLength: 64 * 1024 });
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      server.session.emit('content_block:delta', { block_index: 0, delta: 'x'.repeat(1024 * 1024) });
      server.session.emit('content_block:delta', { block_index: 0, delta: ' end' });
      await recorder.next('content_block:delta', 2);
      assert.equal(recorder.text, 'begun end');
      assert.match(recorder.all('notice')[0]?.data.message ?? '', /too large/);
    });

    it('survives an event of 100 MB without keeping it', async () => {
      await openQuiet(endless, { silenceMs: 60_000 });
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      const megabyte = 'x'.repeat(1024 * 1024);
      server.session.writeRaw('event: message\r\ndata: {"event":"content_block:delta","data":{"delta":"');
      for (let written = 0; written < 100; written++) {
        server.session.writeRaw(megabyte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      server.session.writeRaw('"}}\r\n\r\n');
      server.session.emit('content_block:delta', { block_index: 0, delta: ' end' });
      await recorder.next('content_block:delta', 2);
      assert.equal(recorder.text, 'begun end');
    });

    it('takes a line of many megabytes below the cap', async () => {
      await openQuiet(endless, { silenceMs: 60_000 });
      await session.sendPrompt({ text: 'go' });
      const long = 'y'.repeat(8 * 1024 * 1024);
      server.session.emit('content_block:delta', { block_index: 0, delta: long });
      await recorder.next('content_block:delta', 2);
      assert.equal(recorder.text, `begun${long}`);
    });

    it('is opened again when half an event is followed by silence', async () => {
      await openQuiet(endless, { silenceMs: 90 });
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      server.session.writeRaw('event: message\r\ndata: {"event":"content_bl');
      const streams = () => server.requests.filter(({ path }) => path.endsWith('/events')).length;
      await until('a new connection', () => streams() > 1);
      await until('only the new connection', () => server.session.subscriberCount === 1);
      server.session.emit('content_block:delta', { block_index: 0, delta: ' on' });
      server.session.emit('content_block:delta', { block_index: 0, delta: ' and on' });
      await until('the stream goes on', () => recorder.text.endsWith(' and on'));
    });

    it('reads characters and line ends that are cut anywhere', async () => {
      await openQuiet(endless, { silenceMs: 60_000 });
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      const data = JSON.stringify({
        event: 'content_block:delta',
        data: { session_id: session.id, block_index: 0, delta: ' Größe 漢字 🎸' },
      });
      for (const byte of Buffer.from(`event: message\r\ndata: ${data}\r\n\r\n`)) {
        server.session.writeRaw(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await recorder.next('content_block:delta', 2);
      assert.equal(recorder.text, 'begun Größe 漢字 🎸');
    });

    it('ignores messages that are not events', async () => {
      await open(endless);
      for (const data of ['not json', '[]', 'null', '"text"', '{"event":1}', '{"event":"brand:new","data":{}}', '{}']) {
        server.session.writeRaw(`event: message\r\ndata: ${data}\r\n\r\n`);
      }
      server.session.writeRaw('event: message\r\ndata: {"event":"approval:granted","data":null}\r\n\r\n');
      server.session.writeRaw('event: other\r\ndata: {"event":"error","data":{}}\r\n\r\n');
      await session.sendPrompt({ text: 'go' });
      await recorder.next('content_block:delta');
      assert.deepEqual(recorder.names, [
        'session:start',
        'prompt:submit',
        'content_block:start',
        'content_block:delta',
      ]);
    });

    for (const [what, answer, code] of [
      [
        'another content type',
        (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
        'protocol',
      ],
      [
        'a redirect, which is not followed',
        (response: ServerResponse) => response.writeHead(307, { Location: 'http://127.0.0.1:1/steal' }).end(),
        'protocol',
      ],
      ['no permission', (response: ServerResponse) => response.writeHead(401).end(), 'authRequired'],
    ] as const) {
      it(`ends with a coded error on ${what}`, async () => {
        answerNext(/\/events$/, answer);
        await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), { code });
      });
    }

    it('is requested again, ever later, while the server is not well', async () => {
      let refused = 0;
      server.intercept = (request, response) => {
        if (!(request.url ?? '').endsWith('/events') || ++refused > 3) return false;
        response.writeHead(503).end('busy');
        return true;
      };
      await open(endless);
      assert.equal(refused, 4);
    });
  });

  describe('answers', () => {
    it('in another content type, and too large, are coded errors', async () => {
      answerNext(/^\/health$/, (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'));
      await assert.rejects(harness.client.health(), { code: 'UNEXPECTED_CONTENT_TYPE' });
      answerNext(/^\/health$/, (response) => response.writeHead(200).end('x'.repeat(33 * 1024 * 1024)));
      await assert.rejects(harness.client.health(), { code: 'RESPONSE_TOO_LARGE' });
      answerNext(/^\/health$/, (response) => response.writeHead(302, { Location: '/elsewhere' }).end());
      await assert.rejects(harness.client.health(), { code: 'REDIRECTED' });
      answerNext(/^\/health$/, (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
      await assert.rejects(harness.client.health(), { code: 'INVALID_RESPONSE' });
    });

    it('that never come end with the time-out, and at once with the signal', async () => {
      server.intercept = () => true;
      const { AmplifierClient } = await import('../../../../src/amplifier/node/client/http/amplifierClient');
      const client = new AmplifierClient({
        http: new OutgoingHttp(),
        baseUrl: server.url,
        log: harness.log,
        timeouts: { healthMs: 30 },
      });
      await assert.rejects(client.health(), { code: 'TIMEOUT' });
      const controller = new AbortController();
      const waiting = client.info(controller.signal);
      controller.abort();
      await assert.rejects(waiting, { code: 'CANCELLED' });
      await assert.rejects(client.info(controller.signal), { code: 'CANCELLED' });
      client.dispose();
    });
  });
});
