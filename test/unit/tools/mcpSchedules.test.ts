import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { McpServer, type McpAddress } from '../../../src/tools/node/mcpServer';
import { eventually } from '../../support/eventually';

const definition = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

/** What one client does: how large its request is, how much of it it sends, and where it leaves. */
const client = fc.record({
  kind: fc.constantFrom('ping', 'quick', 'hangs', 'fails', 'nonsense', 'noToken'),
  padding: fc.constantFrom(0, 1_000, 100_000, 900_000, 1_200_000),
  /** Of the body. */
  sent: fc.constantFrom(0, 0.5, 1),
  leaves: fc.constantFrom('atOnce', 'whenSent', 'stalls', 'waits'),
});
type Client = typeof client extends fc.Arbitrary<infer T> ? T : never;

describe('the MCP server, whatever its clients do', () => {
  let server: McpServer;
  let address: McpAddress;
  /** Calls of the tool that have not ended. */
  let running = 0;

  before(async () => {
    const run = async (input: unknown, signal: AbortSignal): Promise<string> => {
      running++;
      try {
        const text = JSON.stringify(input);
        if (text.includes('fails')) throw new Error('no');
        if (text.includes('hangs')) await aborted(signal);
        return 'seen';
      } finally {
        running--;
      }
    };
    const options = { name: 'x', version: '1', clock: systemClock, log: nullLogger };
    server = new McpServer({ ...options, providers: [{ tools: [{ definition, run }] }] });
    await server.start();
    address = server.createAddress();
  });
  after(() => server.stop());

  function bodyOf({ kind, padding }: Client): string {
    const filling = 'x'.repeat(padding);
    if (kind === 'nonsense') return `{"jsonrpc": ${filling}`;
    const isCall = kind === 'quick' || kind === 'hangs' || kind === 'fails';
    const params = isCall ? { name: 'look', arguments: { kind, filling } } : { filling };
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: isCall ? 'tools/call' : 'ping', params });
  }

  async function act(sockets: Socket[], one: Client): Promise<void> {
    const body = bodyOf(one);
    const { port } = new URL(address.url);
    const socket = connect(Number(port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const token = one.kind === 'noToken' ? 'Bearer none' : (address.headers['Authorization'] ?? '');
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${token}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sending = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(head + body.slice(0, Math.floor(body.length * one.sent)), () => resolve());
    });
    if (one.leaves === 'atOnce') socket.destroy();
    await sending;
    if (one.leaves === 'whenSent') socket.destroy();
    // A client that stalls reads nothing; one that waits takes what comes.
    if (one.leaves === 'stalls') socket.pause();
    else socket.resume();
  }

  async function ping(): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = { ...address.headers, 'Content-Type': 'application/json' };
    const response = await fetch(address.url, { method: 'POST', body, headers, signal: AbortSignal.timeout(30_000) });
    await response.arrayBuffer();
    return response.status;
  }

  it('answers a fresh client at once, and holds nothing once they are gone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 12 }), async (clients) => {
        const sockets: Socket[] = [];
        try {
          await Promise.all(clients.map((one) => act(sockets, one)));
          assert.equal(await ping(), 200, 'beside them');
        } finally {
          for (const socket of sockets) socket.destroy();
        }
        assert.equal(await ping(), 200, 'after them');
        await eventually('the end of all requests', () => {
          assert.deepEqual([running, server.openRequestCount], [0, 0]);
        });
      }),
      { numRuns: 25 },
    );
  });
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
