import assert from 'node:assert/strict';
import { parseJson } from '../../../../src/base/common/parseJson';
import { McpBridge } from '../../../../src/tools/node/clients/mcpBridge';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';

describe('what an MCP client sends to the bridge', () => {
  let written: unknown[];
  let sent: string[];
  let clock: FakeClock;

  beforeEach(() => {
    [written, sent, clock] = [[], [], new FakeClock()];
  });

  function bridgeOf(lines: readonly string[], respond: (body: string) => Promise<Response>): McpBridge {
    async function* input(): AsyncGenerator<Uint8Array> {
      for (const line of lines) {
        yield await Promise.resolve(Buffer.from(`${line}\n`));
        // The answer to one line may change how the next one is read.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return new McpBridge({
      findServer: () => Promise.resolve({ url: 'http://127.0.0.1:1/mcp', authorization: 'Bearer a' }),
      input: input(),
      write: (line) => void written.push(parseJson(line)),
      fetch: (_url, { body }) => {
        const text = typeof body === 'string' ? body : '';
        sent.push(text);
        return respond(text);
      },
      clock,
    });
  }

  const result = (value: object) => (): Promise<Response> =>
    Promise.resolve(new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result: value })));

  it('is answered with its id if it is too large, wherever the id stands', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const lines = [
      JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'tools/call', params: { text } }),
      JSON.stringify({ method: 'tools/call', params: { id: 5, text }, jsonrpc: '2.0', id: 9 }),
    ];
    await bridgeOf(lines, result({})).run();
    const ids = written.map((answer) => (answer as { id: unknown; error: { message: string } }).id);
    assert.deepEqual([ids, sent], [['first', 9], []]);
    assert.match(JSON.stringify(written), /at most 1 MiB/);
  });

  it('may be a batch, until the version that was agreed on has none', async () => {
    const batch = JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    await bridgeOf([initialize, batch], result({ protocolVersion: '2025-03-26' })).run();
    assert.equal(sent.length, 3);
    [written, sent] = [[], []];
    await bridgeOf([initialize, batch, initialize], result({ protocolVersion: '2025-06-18' })).run();
    assert.equal(sent.length, 2);
    assert.match(JSON.stringify(written), /"id":null,"error":\{"code":-32600/);
  });

  it('is given up when the client has left and does not wait for the answer', async () => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    let isOver = false;
    const running = bridgeOf([call], () => new Promise(() => undefined)).run();
    void running.then(() => (isOver = true));
    await until('the call', () => sent.length === 1 && clock.pending > 0);
    clock.advance(9_999);
    assert.equal(isOver, false);
    clock.advance(1);
    await running;
  });
});
