import assert from 'node:assert/strict';
import { request } from 'node:http';
import * as z from 'zod';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { McpServer, type McpAddress } from '../../../src/tools/node/mcpServer';
import { until } from '../../support/eventually';

const definition = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

describe('the MCP server of the window', () => {
  let server: McpServer;
  let address: McpAddress;
  let run: (input: unknown, signal: AbortSignal) => Promise<string>;

  beforeEach(async () => {
    run = (input) => Promise.resolve(`seen ${JSON.stringify(input)}`);
    const tool = { definition, run: (input: unknown, signal: AbortSignal) => run(input, signal) };
    const options = { name: 'backline', version: '1.2.3', clock: systemClock, log: nullLogger };
    server = new McpServer({ ...options, providers: [{ tools: [tool] }] });
    await server.start();
    address = server.createAddress();
  });
  afterEach(() => server.stop());

  async function post(body: string, headers: Record<string, string> = address.headers): Promise<Response> {
    const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
    return await fetch(address.url, { method: 'POST', body, headers: all });
  }
  async function ask(method: string, params: object = {}): Promise<unknown> {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    const answer = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.literal(7) }).parse(await response.json());
    return answer['result'] ?? { error: answer['error'] };
  }

  it('listens on this machine only, and has an unguessable token', () => {
    assert.match(address.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.match(address.headers['Authorization'] ?? '', /^Bearer \S{32}$/);
  });

  it('greets in the version of the client, or in the newest', async () => {
    const serverInfo = { name: 'backline', version: '1.2.3' };
    const capabilities = { tools: {} };
    const greet = (protocolVersion: string): Promise<unknown> => ask('initialize', { protocolVersion });
    assert.deepEqual(await greet('2025-03-26'), { protocolVersion: '2025-03-26', capabilities, serverInfo });
    assert.deepEqual(await greet('1999-01-01'), { protocolVersion: '2025-11-25', capabilities, serverInfo });
    assert.deepEqual(await ask('ping'), {});
  });

  it('refuses a protocol version that it does not have', async () => {
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' });
    const statusOf = async (version: string): Promise<number> =>
      (await post(ping, { ...address.headers, 'MCP-Protocol-Version': version })).status;
    assert.equal(await statusOf('1999-01-01'), 400);
    assert.equal(await statusOf('2025-06-18'), 200);
  });

  it('takes batches only in versions that have them', async () => {
    const batch = JSON.stringify([{ jsonrpc: '2.0', id: 7, method: 'ping' }]);
    const answerIn = async (version: string): Promise<unknown> =>
      await (await post(batch, { ...address.headers, 'MCP-Protocol-Version': version })).json();
    assert.deepEqual(await answerIn('2025-03-26'), [{ jsonrpc: '2.0', id: 7, result: {} }]);
    for (const version of ['2025-06-18', '2025-11-25'])
      assert.match(JSON.stringify(await answerIn(version)), /"id":null,"error":\{"code":-32600/);
  });

  it('tells what its tools are for, if it was told so', async () => {
    const options = { name: 'backline', version: '1.2.3', clock: systemClock, log: nullLogger, providers: [] };
    const telling = new McpServer({ ...options, instructions: 'Look first.' });
    await telling.start();
    try {
      address = telling.createAddress();
      const greeting = z.looseObject({ instructions: z.string() }).parse(await ask('initialize'));
      assert.equal(greeting.instructions, 'Look first.');
    } finally {
      await telling.stop();
    }
  });

  it('lists and calls the tool', async () => {
    assert.deepEqual(await ask('tools/list'), { tools: [definition] });
    assert.deepEqual(await ask('tools/call', { name: 'look', arguments: { file: 'a' } }), {
      content: [{ type: 'text', text: 'seen {"file":"a"}' }],
    });
  });

  it('tells the model what went wrong in the tool', async () => {
    run = () => Promise.reject(new Error('no such file'));
    assert.deepEqual(await ask('tools/call', { name: 'look' }), {
      content: [{ type: 'text', text: 'no such file' }],
      isError: true,
    });
  });

  it('refuses what it does not know by the error codes of JSON-RPC', async () => {
    const codeOf = (answer: unknown): number =>
      z.object({ error: z.object({ code: z.number() }) }).parse(answer).error.code;
    assert.equal(codeOf(await ask('tools/call', { name: 'rm' })), -32602);
    assert.equal(codeOf(await ask('resources/list')), -32601);
    assert.equal(codeOf(await (await post('{')).json()), -32700);
    assert.equal(codeOf(await (await post('{"id":1,"method":"ping"}')).json()), -32600);
    assert.equal(codeOf(await (await post('[]')).json()), -32600);
  });

  it('answers the requests of a batch, and nothing to notifications', async () => {
    const one = { jsonrpc: '2.0', id: 'a', method: 'ping' };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const batch = await post(JSON.stringify([one, initialized]));
    assert.deepEqual(await batch.json(), [{ jsonrpc: '2.0', id: 'a', result: {} }]);
    assert.equal((await post(JSON.stringify(initialized))).status, 202);
  });

  it('lets nobody in without the token, no web page, and nothing but POST', async () => {
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.equal((await post(ping, {})).status, 401);
    assert.equal((await post(ping, { Authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await post(ping, { ...address.headers, Origin: 'https://example.com' })).status, 403);
    assert.equal((await fetch(address.url, { headers: address.headers })).status, 405);
    assert.equal((await fetch(address.url.replace('/mcp', '/x'), { headers: address.headers })).status, 404);
    assert.equal(await statusForHosts('example.com'), 403);
    assert.equal(await statusForHosts('127.0.0.1', 'example.com'), 400);
  });

  it('gives each client a token of its own', async () => {
    const other = server.createAddress();
    assert.equal(other.url, address.url);
    assert.notEqual(other.headers['Authorization'], address.headers['Authorization']);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.equal((await post(ping, { ...other.headers })).status, 200);
  });

  it('ends a call that its client cancels, and no call of another client', async () => {
    const signals: AbortSignal[] = [];
    run = (_input, signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
      });
    };
    const call = JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'look' } });
    const mine = post(call);
    await until('my call runs', () => signals.length === 1);
    const others = post(call, { ...server.createAddress().headers });
    others.catch(() => undefined);
    await until('the other call runs', () => signals.length === 2);
    const params = { requestId: 'x', reason: 'The user has stopped.' };
    assert.equal(
      (await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))).status,
      202,
    );
    assert.equal((await mine).status, 202, 'there is no answer to what was cancelled');
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    );
  });

  it('answers a client at once while another one floods it', async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<undefined>();
    run = async (input) => {
      if (JSON.stringify(input) === '{}') return 'quick';
      most = Math.max(most, ++running);
      await gate.promise;
      running--;
      return 'slow';
    };
    const greedy = server.createAddress().headers;
    const params = { name: 'look', arguments: { slow: true } };
    const call = (id: number): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const statuses: number[] = [];
    const flood = Array.from({ length: 150 }, async (_, id) => {
      const response = await post(JSON.stringify(call(id)), { ...greedy });
      statuses.push(response.status);
      return await response.text();
    });
    await until('what is too much is refused', () => statuses.includes(429));
    assert.deepEqual(await ask('tools/call', { name: 'look', arguments: {} }), {
      content: [{ type: 'text', text: 'quick' }],
    });
    gate.resolve(undefined);
    await Promise.all(flood);
    assert.ok(most <= 6, `${most} at once`);
    assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
    await until('all is over', () => server.openRequestCount === 0);
  });

  it('serves ten sessions at once while one of them sends 10,000 calls, and holds nothing afterwards', async () => {
    let running = 0;
    let most = 0;
    run = async (input) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return `seen ${JSON.stringify(input)}`;
    };
    const call = (session: number, id: number): object => {
      const params = { name: 'look', arguments: { session } };
      return { jsonrpc: '2.0', id, method: 'tools/call', params };
    };
    const greedy = server.createAddress().headers;
    const statuses: number[] = [];
    let answered = 0;
    const flood = Array.from({ length: 200 }, async (_, batch) => {
      const calls = Array.from({ length: 50 }, (_each, index) => call(0, 50 * batch + index));
      const response = await post(JSON.stringify(calls), { ...greedy });
      statuses.push(response.status);
      const body: unknown = await response.json();
      if (Array.isArray(body)) answered += body.length;
    });
    const others = Array.from({ length: 9 }, async (_, index) => {
      const session = index + 1;
      const { headers } = server.createAddress();
      for (let id = 1; id <= 20; id++) {
        const response = await post(JSON.stringify(call(session, id)), { ...headers });
        const expected = { content: [{ type: 'text', text: `seen {"session":${session}}` }] };
        assert.deepEqual(await response.json(), { jsonrpc: '2.0', id, result: expected });
      }
    });
    await Promise.all(others);
    await Promise.all(flood);
    assert.ok(statuses.every((status) => status === 200 || status === 429));
    assert.equal(answered, 50 * statuses.filter((status) => status === 200).length, 'each call has an answer');
    assert.ok(most <= 24, `${most} at once`);
    await until('all is over', () => server.openRequestCount === 0);
  });

  it('reads no more than it needs, and ends calls when it stops', async () => {
    await assert.rejects(post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(2_000_000) })));
    const started = Promise.withResolvers<AbortSignal>();
    run = (_input, signal) => {
      started.resolve(signal);
      return new Promise(() => undefined);
    };
    const call = assert.rejects(ask('tools/call', { name: 'look' }));
    const signal = await started.promise;
    await server.stop();
    await call;
    assert.equal(signal.aborted, true);
  });

  /** `fetch` sets the header itself. */
  function statusForHosts(...hosts: string[]): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = [...Object.entries(address.headers), ...hosts.map((host) => ['Host', host])].flat();
      const asking = request(address.url, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.on('error', reject);
      asking.end('{}');
    });
  }
});
