import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import { AmplifierClient } from '../../../../src/amplifier/node/client/http/amplifierClient';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import { connectTo, Recorder, type Harness, MemoryLogger } from './clientHarness';
import { turns } from '../../../support/turns';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

const key = 'sk-ant-"very"/secret';
const token = 'token-of-the-server';
/** As it stands in JSON, and with each character escaped. */
const keyInJson = JSON.stringify(key).slice(1, -1);
const keyEscaped = Array.from(key, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('the key and the token, on a server that echoes them,', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  beforeEach(async () => {
    server = new RealDialectServer({
      script: async (turn) => {
        turn.delta('begun');
        await new Promise(() => undefined);
      },
      pingMs: 60_000,
    });
    await server.start();
    const log = new MemoryLogger();
    harness = {
      ...connectTo(server.url, {
        log,
        client: new AmplifierClient({ http: new OutgoingHttp(), baseUrl: server.url, log, token }),
        credentials: () => Promise.resolve({ anthropic_api_key: key }),
      }),
      log,
    };
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  function answerWith(path: RegExp, answer: (response: ServerResponse) => void): void {
    server.intercept = ({ url = '' }, response) => {
      if (!path.test(url)) return false;
      answer(response);
      return true;
    };
  }

  const asJson = (status: number, body: string) => (response: ServerResponse) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);

  /** Whether any part of it says the key or the token, however it is escaped. */
  function assertSilent(said: readonly unknown[]): void {
    const text = said.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
    for (const secret of [key, keyInJson, keyEscaped, token, 'very', 'of-the-server']) {
      assert.ok(!text.includes(secret), `${secret} is in ${text}`);
    }
  }

  function assertSilentError(error: unknown): true {
    for (let at = error; at instanceof Error; at = at.cause) assertSilent([at.message, at.stack, at]);
    assertSilent(harness.log.lines);
    return true;
  }

  it('go to it in the requests that need them', async () => {
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    const withKey = server.requests.filter(({ body }) => body.includes(keyInJson));
    assert.deepEqual(
      withKey.map(({ method, path }) => `${method} ${path}`),
      ['POST /sessions'],
    );
    assert.ok(server.requests.every(({ headers }) => headers.authorization === `Bearer ${token}`));
    assertSilent([...harness.log.lines, recorder.events]);
    assert.ok(harness.log.lines.length > 3);
  });

  it('are in no event', async () => {
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    server.session.emit('tool:pre', { tool_name: 'bash', operation: 'bash', input: { env: [key, { [token]: key }] } });
    server.session.emit('error', { error: `401: ${JSON.stringify({ key, header: `Bearer ${token}` })}` });
    for (const form of [keyInJson, keyEscaped, token]) {
      const data = `{"event":"notice","data":{"level":"info","message":"it is ${form}."}}`;
      server.session.writeRaw(`event: message\r\ndata: ${data}\r\n\r\n`);
      server.session.writeRaw(`event: ${token}\r\ndata: {"event":"it is ${form}"}\r\n\r\n`);
      server.session.writeRaw(`event: message\r\ndata: {"event":"it is ${form}"}\r\n\r\n`);
    }
    await recorder.next('notice', 3);
    assert.deepEqual(
      recorder.all('notice').map(({ data }) => data.message),
      Array(3).fill('it is [key].'),
    );
    assertSilent([...harness.log.lines, recorder.events]);
  });

  it('are in no text that comes in pieces', async () => {
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    for (const piece of [' is ', key.slice(0, 9), key.slice(9), token.slice(0, 8)]) {
      server.session.emit('content_block:delta', { block_index: 0, delta: piece });
      // Each comes in a read of its own.
      await turns();
    }
    server.session.emit('content_block:delta', { block_index: 0, delta: `${token.slice(8)}.` });
    server.session.complete('');
    const { data } = await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'begun is [key][key].');
    assert.equal(data.response, 'begun is [key][key].');
    assertSilent([...harness.log.lines, recorder.events]);
  });

  it('are told of when they are withheld', async () => {
    const other = connectTo(server.url, { keyProblem: () => Promise.resolve('The key is not sent.') });
    const told = new Recorder(await other.backend.createSession({ cwd: '/ws' }));
    assert.equal((await told.next('notice')).data.message, 'The key is not sent.');
    other.backend.dispose();
  });

  for (const [what, body] of [
    ['by its code', `{"detail":{"error":{"code":"SESSION_CREATE_FAILED","message":"bad ${keyInJson}"}}}`],
    [
      'in its details',
      `{"error":{"code":"SERVER_ERROR","message":"m","details":{"h":"${token}","k":["${keyEscaped}"]}}}`,
    ],
    ['in JSON within JSON', JSON.stringify({ detail: `upstream said ${JSON.stringify({ key, token })}` })],
    [
      'in a list of field errors',
      `{"detail":[{"loc":["body","${keyInJson}"],"msg":"${keyInJson}","input":"${keyInJson}"}]}`,
    ],
    ['in no JSON', `failed with ${key} and ${token}`],
    ['at the end of what is kept of a long text', `${'x'.repeat(190)}${key}`],
  ] as const) {
    it(`are in no error that tells them ${what}`, async () => {
      answerWith(/^\/sessions$/u, asJson(500, body));
      await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), (error) => {
        assert.ok(error instanceof BackendError);
        return assertSilentError(error);
      });
    });
  }

  it('are in no error of an answer that makes no sense', async () => {
    answerWith(/^\/health$/u, (response) => response.writeHead(200, { 'Content-Type': `text/${token}` }).end(key));
    await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), assertSilentError);
    answerWith(/^\/health$/u, asJson(200, JSON.stringify({ status: { [key]: token } })));
    await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), assertSilentError);
  });

  it('are in no error of a stream that is refused, or is none', async () => {
    for (const answer of [
      asJson(401, JSON.stringify({ error: { code: 'UNAUTHORIZED', message: `not ${token}`, details: { key } } })),
      asJson(403, `{"detail":"${keyEscaped}"}`),
      (response: ServerResponse) => response.writeHead(200, { 'Content-Type': `text/${token}` }).end(),
    ]) {
      answerWith(/\/events$/u, answer);
      await assert.rejects(harness.backend.createSession({ cwd: '/ws' }), assertSilentError);
    }
    server.session.dropStreams();
    await recorder.end();
    assertSilent([...harness.log.lines, recorder.events]);
  });
});
