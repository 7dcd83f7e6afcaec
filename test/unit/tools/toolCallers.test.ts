import assert from 'node:assert/strict';
import { nullLogger } from '../../../src/base/common/log';
import type { ToolCaller } from '../../../src/session/common/toolCaller';
import { FairCallQueue } from '../../../src/tools/common/calls/fairCallQueue';
import { McpServer, type McpAddress } from '../../../src/tools/node/mcpServer';
import { FakeClock } from '../../fake/fakeClock';
import { FakeToolCaller } from '../../fake/fakeToolCaller';
import { until } from '../../support/eventually';

const call = { id: 1, method: 'tools/call', params: { name: 'act' } };
const change = { purpose: 'test', files: [] };

describe('who calls a tool of the MCP server', () => {
  const clock = new FakeClock();
  let server: McpServer;
  let run: (signal: AbortSignal, caller?: ToolCaller) => Promise<string>;

  beforeEach(async () => {
    run = (_signal, caller) => Promise.resolve(caller ? 'known' : 'unknown');
    const definition = { name: 'act', description: 'Acts.', inputSchema: { type: 'object' } };
    const tool = {
      definition,
      run: (_input: unknown, signal: AbortSignal, caller?: ToolCaller) => run(signal, caller),
    };
    server = new McpServer({ name: 'backline', version: '1', clock, log: nullLogger, providers: [{ tools: [tool] }] });
    await server.start();
  });
  afterEach(() => server.stop());

  async function post({ headers, url }: McpAddress, message: object, session?: string): Promise<string> {
    const all = { ...headers, ...(session === undefined ? {} : { 'Mcp-Session-Id': session }) };
    const response = await fetch(url, {
      method: 'POST',
      headers: all,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    return await response.text();
  }

  it('is the session that got the address, until it ends', async () => {
    const [one, two] = [new FakeToolCaller(), new FakeToolCaller()];
    run = async (signal, caller) => {
      await caller?.mayChangeFiles(change, signal);
      return caller ? 'known' : 'unknown';
    };
    const [first, second] = [server.createSessionAddress(one), server.createSessionAddress(two)];
    assert.match(await post(first, call), /known/);
    assert.deepEqual([one.changes.length, two.changes.length], [1, 0]);
    one.end();
    assert.match(await post(first, call), /unknown/);
    assert.match(await post(second, call), /"known"/);
    assert.match(await post(server.createSessionAddress(one), call), /unknown/);
    assert.match(await post(server.createAddress(), call), /unknown/);
  });

  it('is a client with the name that it gives, each on its own connection', async () => {
    const names: (string | undefined)[] = [];
    const address = server.createAddress((name) => {
      names.push(name);
      return new FakeToolCaller();
    });
    const greet = (name: unknown): object => ({ id: 1, method: 'initialize', params: { clientInfo: { name } } });
    await post(address, greet('one'), 'a');
    await post(address, greet('x'.repeat(5_000)), 'b');
    await post(address, greet(7), 'c');
    for (const session of ['a', 'b', 'c', undefined]) await post(address, call, session);
    assert.deepEqual(names, ['one', 'x'.repeat(200), undefined, undefined]);
    const callers: unknown[] = [];
    run = (_signal, caller) => {
      callers.push(caller?.endSignal);
      return Promise.resolve('');
    };
    for (const session of ['a', 'b', 'a']) await post(address, call, session);
    assert.equal(names.length, 4, 'the callers of these connections are known already');
    assert.ok(callers[0] === callers[2] && callers[0] !== callers[1]);
    await post(address, greet('two'), 'a');
    await post(address, call, 'a');
    assert.equal(names.at(-1), 'two');
    server.revokeAddress(address);
    assert.match(await post(address, call, 'a'), /Send the token/);
  });

  it('is answered that the user stopped the turn, in which the call is cancelled', async () => {
    const caller = new FakeToolCaller();
    const address = server.createSessionAddress(caller);
    const signals: AbortSignal[] = [];
    run = (signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const first = post(address, call);
    await until('the call', () => signals.length === 1);
    caller.stop();
    assert.match(await first, /"text":"The user stopped this turn\.".*"isError":true/);
    run = (signal) => Promise.resolve(`next ${signal.aborted}`);
    assert.match(await post(address, call), /next false/);
  });

  it('can ask the user for long: the answer begins with spaces', async () => {
    const answer = Promise.withResolvers<string>();
    let isRunning = false;
    run = () => {
      isRunning = true;
      return answer.promise;
    };
    const { headers, url } = server.createAddress();
    const body = JSON.stringify({ jsonrpc: '2.0', ...call });
    const posted = fetch(url, { method: 'POST', headers, body });
    await until('the call runs', () => isRunning);
    clock.advance(20_000);
    const response = await posted;
    assert.equal(response.headers.get('content-type'), 'application/json');
    clock.advance(20_000);
    answer.resolve('late');
    const text = await response.text();
    assert.match(text, /^ {2}\{/);
    assert.match(JSON.stringify(JSON.parse(text)), /"text":"late"/);
    assert.equal(clock.pending, 0);
  });

  it('does not keep others waiting while the user is asked', async () => {
    const limits = { maxRunning: 1, maxRunningPerClient: 1, maxWaitingPerClient: 9, callsPerSecond: 9, burstSize: 9 };
    const queue = new FairCallQueue(clock, limits);
    const { signal } = new AbortController();
    const user = Promise.withResolvers<string>();
    const asking = queue.run('a', signal, (pause) => pause(() => user.promise));
    assert.equal(await queue.run('b', signal, () => Promise.resolve('done')), 'done');
    user.resolve('yes');
    assert.equal(await asking, 'yes');
    assert.equal(await queue.run('a', signal, () => Promise.resolve('next')), 'next');
    queue.dispose();
  });
});
