import assert from 'node:assert/strict';
import { once } from 'node:events';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import { until } from '../../../support/eventually';
import { Failure, ServerHarness, type CallOptions } from './support/serverHarness';

describe('the embedded server and clients that may not enter', () => {
  let harness: ServerHarness;
  beforeEach(async () => {
    harness = await ServerHarness.start({ token: 'secret-token' });
  });
  afterEach(() => harness.stop());

  const refusal = async (path: string, headers: CallOptions['headers'] = {}): Promise<[number, string | undefined]> => {
    const { status, json } = await harness.call('GET', path, { headers });
    return [status, Failure.safeParse(json).data?.error.code];
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  it('asks for its token, as a header or in the query', async () => {
    assert.deepEqual(await refusal('/health', bearer('secret-token')), [200, undefined]);
    assert.deepEqual(await refusal('/health', { Authorization: 'bearer secret-token' }), [200, undefined]);
    assert.deepEqual(await refusal('/health?token=secret-token'), [200, undefined]);
  });

  it('refuses every other token', async () => {
    for (const headers of [
      {},
      bearer(''),
      bearer('secret-toke'),
      bearer('secret-token2'),
      bearer('x'.repeat(4000)),
      { Authorization: 'Basic secret-token' },
      { Authorization: 'secret-token' },
    ]) {
      assert.deepEqual(await refusal('/health', headers), [401, 'UNAUTHORIZED']);
    }
    for (const query of [
      'token=',
      'token=wrong',
      'token=wrong&token=secret-token',
      'token=secret-token&token=wrong',
      'Token=secret-token',
    ]) {
      assert.deepEqual(await refusal(`/health?${query}`), [401, 'UNAUTHORIZED']);
    }
    // A wrong header is not made good by the query.
    assert.deepEqual(await refusal('/health?token=secret-token', bearer('wrong')), [401, 'UNAUTHORIZED']);
  });

  it('does not mention its paths to who has no token', async () => {
    assert.deepEqual(await refusal('/nowhere'), [401, 'UNAUTHORIZED']);
  });

  it('lets nobody in by another name, and no web page', async () => {
    for (const Host of ['example.com', 'localhost.example.com', '0.0.0.0', '192.168.1.2:80', '127.0.0.1.nip.io']) {
      assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), Host }), [403, 'FORBIDDEN']);
    }
    for (const Origin of ['https://example.com', 'http://localhost:3000', 'null', 'vscode-webview://x']) {
      assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), Origin }), [403, 'FORBIDDEN']);
    }
    for (const Origin of [
      `https://127.0.0.1:${harness.port}`,
      `http://localhost:${harness.port}`,
      'http://127.0.0.1',
    ]) {
      assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), Origin }), [403, 'FORBIDDEN'], Origin);
    }
    for (const Host of ['localhost', 'LOCALHOST:1', '127.0.0.1:8765', '[::1]:8765']) {
      assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), Host }), [200, undefined]);
    }
  });

  it('lets in a client that calls the server its own origin, as some do without a page', async () => {
    assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), Origin: harness.url }), [200, undefined]);
    const named = { Host: 'localhost:1', Origin: 'http://LOCALHOST:1' };
    assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), ...named }), [200, undefined]);
    assert.deepEqual(await refusal('/health', { Origin: harness.url }), [401, 'UNAUTHORIZED']);
    const rebound = { Host: 'example.com:1', Origin: 'http://example.com:1' };
    assert.deepEqual(await refusal('/health', { ...bearer('secret-token'), ...rebound }), [403, 'FORBIDDEN']);
  });

  it('has no token in its log', async () => {
    await refusal('/nowhere?token=secret-token');
    await refusal('/nowhere', bearer('secret-token'));
    assert.doesNotMatch(harness.log.lines.join('\n'), /secret-token/u);
  });
});

describe('the embedded server and requests that make no sense', () => {
  let harness: ServerHarness;
  let id: string;
  beforeEach(async () => {
    harness = await ServerHarness.start({ limits: { maxBodyBytes: 1024 * 1024, maxSessions: 3 } });
    ({ id } = await harness.createSession());
  });
  afterEach(() => harness.stop());

  const failureOf = async (method: string, path: string, body?: unknown) => {
    const { status, json, headers } = await harness.call(method, path, { body });
    return { status, headers, ...Failure.parse(json).error };
  };

  it('answers 404 to unknown paths', async () => {
    for (const path of [
      '/',
      '/session',
      '/sessions/',
      `/sessions/${id}/`,
      `/sessions/${id}/nothing`,
      '/api/v1/health',
    ]) {
      const { status, code } = await failureOf('GET', path);
      assert.deepEqual([status, code], [404, 'NOT_FOUND'], path);
    }
  });

  it('answers 405 to unknown methods and reports which it takes', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/sessions', 'GET, POST'],
      ['POST', `/sessions/${id}`, 'GET, DELETE'],
      ['GET', `/sessions/${id}/prompt`, 'POST'],
      ['OPTIONS', '/health', 'GET'],
    ] as const) {
      const { status, code, headers } = await failureOf(method, path);
      assert.deepEqual([status, code, headers.allow], [405, 'METHOD_NOT_ALLOWED', allow]);
    }
  });

  it('answers 400 to what is no JSON', async () => {
    for (const body of ['', '{', '{"profile":"fake"', 'profile=fake', '\ufeff{}', '[1,', '"\\ud800']) {
      const { status, code, details } = await failureOf('POST', '/sessions', body);
      assert.deepEqual([status, code, details['field']], [400, 'INVALID_REQUEST', 'body']);
    }
  });

  it('answers 413 to a body of 50 MB, and to one that does not say how long it is', async () => {
    const large = JSON.stringify({ prompt: 'x'.repeat(50 * 1024 * 1024) });
    assert.equal((await failureOf('POST', `/sessions/${id}/prompt`, large)).status, 413);
    const socket = await harness.dial();
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    socket.write(`POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    assert.match(data.toString(), /^HTTP\/1\.1 413 /u);
    socket.destroy();
  });

  it('answers 414 to a long URL and 431 to long headers', async () => {
    assert.equal((await failureOf('GET', `/sessions?status=${'x'.repeat(5000)}`)).status, 414);
    const socket = await harness.dial();
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    assert.match(data.toString(), /^HTTP\/1\.1 431 [\s\S]*"code":"INVALID_REQUEST"/u);
  });

  for (const [what, head, status] of [
    ['an expectation that it does not meet', 'Host: localhost\r\nExpect: something', 417],
    ['a request without a Host', 'Accept: */*', 400],
  ] as const) {
    it(`explains why it refuses ${what}`, async () => {
      const socket = await harness.dial();
      socket.write(`GET /health HTTP/1.1\r\n${head}\r\n\r\n`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      assert.match(
        data.toString(),
        new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*"code":"INVALID_REQUEST","message":"`, 'u'),
      );
      socket.destroy();
    });
  }

  it('does not call it a failure of its own when a client goes in the middle of a body', async () => {
    const socket = await harness.dial();
    socket.write('POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"profile":');
    await harness.call('GET', '/health');
    socket.resetAndDestroy();
    await harness.call('GET', '/health');
    await until('the connection is gone', () => harness.server.loadCounts.connections === 0);
    assert.deepEqual(
      harness.log.lines.filter((line) => line.includes('answered 5')),
      [],
    );
  });

  it('answers 400 to what is no HTTP and to a path that is not UTF-8', async () => {
    const socket = await harness.dial();
    socket.write('hello\r\n\r\n');
    const [data] = (await once(socket, 'data')) as [Buffer];
    assert.match(data.toString(), /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/u);
    assert.equal((await failureOf('GET', '/sessions/%ff%fe')).status, 400);
  });

  it('keeps serving after connections that break off at any point', async () => {
    const request = `POST /sessions/${id}/prompt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n\r\n{"prompt": "hi"}\n`;
    for (let cut = 1; cut < request.length - 1; cut += 7) {
      const socket = await harness.dial();
      socket.write(request.slice(0, cut));
      socket.resetAndDestroy();
    }
    assert.equal((await harness.call('GET', '/health')).status, 200);
    assert.equal(harness.backend.session.prompts.length, 0);
  });

  it('answers 10,000 prompts at a stretch, all but the first that it is busy', async () => {
    const socket = await harness.dial();
    let tail = '';
    const counts = new Map<string, number>();
    const answered = new Promise<void>((resolve) => {
      let total = 0;
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        tail += chunk;
        let counted = 0;
        for (const { 0: line, 1: status = '', index } of tail.matchAll(/HTTP\/1\.1 (\d+) /gu)) {
          counts.set(status, (counts.get(status) ?? 0) + 1);
          total++;
          counted = index + line.length;
        }
        // The beginning of a line may have come, and its end not yet.
        tail = tail.slice(Math.max(counted, tail.length - 'HTTP/1.1 000'.length));
        if (total === 10_000) resolve();
      });
    });
    const request = `POST /sessions/${id}/prompt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n{"prompt":"hi"}`;
    for (let n = 0; n < 100; n++) socket.write(request.repeat(100));
    await answered;
    assert.deepEqual(Object.fromEntries(counts), { 202: 1, 409: 9999 });
    assert.equal(harness.backend.session.prompts.length, 1);
    socket.destroy();
  });

  it('holds no more sessions than it says', async () => {
    await harness.createSession();
    await harness.createSession();
    assert.deepEqual((await failureOf('POST', '/sessions', { profile: 'fake' })).code, 'RATE_LIMITED');
    await harness.call('DELETE', `/sessions/${id}`);
    assert.equal((await harness.call('POST', '/sessions', { body: { profile: 'fake' } })).status, 201);
  });

  it('makes room by forgetting sessions whose agent has gone', async () => {
    await harness.createSession();
    await harness.createSession();
    const stream = await harness.subscribe(id);
    harness.backend.sessions[0]?.endLog();
    await stream.end();
    assert.match(stream.text, /"event":"session:end".*"reason":"agent_ended"/u);
    assert.match((await harness.call('GET', `/sessions/${id}`)).text, /"status":"stopped"/u);
    assert.equal((await failureOf('POST', `/sessions/${id}/prompt`, { prompt: 'hi' })).code, 'SESSION_NOT_FOUND');
    assert.equal((await harness.call('POST', '/sessions', { body: { profile: 'fake' } })).status, 201);
    assert.equal((await failureOf('GET', `/sessions/${id}`)).code, 'SESSION_NOT_FOUND');
  });
});

describe('the embedded server and requests that do not come to an end', () => {
  it('answers them 408 when their time is over', async () => {
    const harness = await ServerHarness.start({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
    for (const start of [
      'GET /health HTTP/1.1\r\nHost: loc',
      'POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{',
    ]) {
      const socket = await harness.dial();
      const closed = once(socket, 'close');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.write(start);
      await closed;
      assert.match(received, /^HTTP\/1\.1 408 /u);
    }
    await harness.stop();
  });
});

describe('the embedded server and its agents', () => {
  let harness: ServerHarness;
  beforeEach(async () => {
    harness = await ServerHarness.start({ limits: { createTimeoutMs: 50, closeTimeoutMs: 50 } });
  });
  afterEach(() => harness.stop());

  const create = async () => {
    const { status, json } = await harness.call('POST', '/sessions', { body: { profile: 'fake' } });
    return [status, Failure.parse(json).error.code];
  };

  it('explains why an agent gives no session', async () => {
    for (const [code, expected] of [
      ['notReady', [500, 'MODULE_LOAD_FAILED']],
      ['closed', [500, 'MODULE_LOAD_FAILED']],
      ['authRequired', [401, 'MISSING_CREDENTIALS']],
      ['protocol', [502, 'PROVIDER_ERROR']],
      ['timeout', [503, 'PROVIDER_UNAVAILABLE']],
    ] as const) {
      harness.backend.beforeCreate = () => Promise.reject(new BackendError(code, 'Because.'));
      assert.deepEqual(await create(), expected);
    }
    harness.backend.beforeCreate = () => Promise.reject(new Error('a bug'));
    assert.deepEqual(await create(), [500, 'SERVER_ERROR']);
    assert.match(harness.log.lines.join('\n'), /a bug/u);
  });

  it('does not wait for ever for one that sends nothing', async () => {
    harness.backend.beforeCreate = () => new Promise(() => undefined);
    assert.deepEqual(await create(), [503, 'PROVIDER_UNAVAILABLE']);
  });

  it('ends a session whose agent does not let go', async () => {
    const { id, fake } = await harness.createSession();
    fake.beforeClose = () => new Promise(() => undefined);
    const stream = await harness.subscribe(id);
    assert.equal((await harness.call('DELETE', `/sessions/${id}`)).status, 200);
    await stream.end();
    assert.equal(stream.names.at(-1), 'session:end');
    assert.equal(fake.isDisposed, true);
  });

  it('ends one turn and keeps the session', async () => {
    const { id, fake } = await harness.createSession();
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'go' } });
    const { status, json } = await harness.call('POST', `/sessions/${id}/cancel`);
    assert.equal(status, 200);
    assert.deepEqual(json, { status: 'cancelled', message: 'The turn has ended; the session continues' });
    assert.equal(fake.cancels, 1);
    assert.equal((await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'on' } })).status, 202);
  });

  it('says error of a session only while its agent is down', async () => {
    const { id, fake } = await harness.createSession();
    const stream = await harness.subscribe(id);
    fake.emit('error', { error: 'The agent crashed.' });
    await stream.next('error');
    const statusOf = async () => /"status":"(\w+)"/u.exec((await harness.call('GET', `/sessions/${id}`)).text)?.[1];
    assert.equal(await statusOf(), 'idle');
    harness.backend.state = { kind: 'failed', message: 'gone' };
    assert.equal(await statusOf(), 'error');
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'again' } });
    await stream.next('prompt:submit');
    assert.equal(await statusOf(), 'processing');
  });

  it('tells that its port is taken, and takes the next one it may', async () => {
    await assert.rejects(ServerHarness.start({ ports: [harness.port] }), /Port \d+ on 127\.0\.0\.1 is already in use/u);
    const other = await ServerHarness.start({ ports: [harness.port, 0] });
    assert.notEqual(other.port, harness.port);
    const { id } = await other.createSession();
    assert.equal((await harness.call('GET', `/sessions/${id}`)).status, 404);
    await other.stop();
  });

  it('leaves no session behind that was made while it stopped', async () => {
    const made = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<undefined>();
    harness.backend.beforeCreate = async () => {
      asked.resolve(undefined);
      await made.promise;
    };
    const created = harness.call('POST', '/sessions', { body: { profile: 'fake' } });
    await asked.promise;
    const stopped = harness.server.stop();
    made.resolve(undefined);
    assert.equal((await created).status, 500);
    await stopped;
    assert.equal(harness.backend.session.isDisposed, true);
  });

  it('tells subscribers that it stops, and lets the port go', async () => {
    const { id } = await harness.createSession();
    const stream = await harness.subscribe(id);
    const { port } = harness;
    await harness.server.stop();
    await stream.end();
    assert.match(stream.text, /"reason":"server_stopped"/u);
    await (await ServerHarness.start({ ports: [port] })).stop();
  });
});
