import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import { AmplifierClient } from '../../../../src/amplifier/node/client/http/amplifierClient';
import { nullLogger } from '../../../../src/base/common/log';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

describe('the client on a connection that is lost without an answer', () => {
  let server: http.Server;
  let client: AmplifierClient;
  /** How many requests are cut off before they are answered. */
  let cuts: number;
  let requests: string[];

  beforeEach(async () => {
    requests = [];
    server = http.createServer((request, response) => {
      requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      if (cuts-- > 0) request.socket.destroy();
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"session_id":"s","status":"idle"}');
    });
    server.keepAliveTimeout = 120_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    client = new AmplifierClient({
      http: new OutgoingHttp(),
      baseUrl: new URL(`http://127.0.0.1:${address.port}`),
      log: nullLogger,
    });
    // So that what follows takes a connection that was kept.
    cuts = 0;
    await client.getSession('s');
    requests = [];
  });
  afterEach(async () => {
    client.dispose();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  it('asks again what only reads, once', async () => {
    cuts = 1;
    assert.equal((await client.getSession('s')).status, 'idle');
    assert.equal(requests.length, 2);
  });

  it('gives up when the second connection is lost too', async () => {
    cuts = 2;
    await assert.rejects(client.getSession('s'), { code: 'UNREACHABLE' });
    assert.equal(requests.length, 2);
  });

  it('never sends a prompt, an answer or an end twice', async () => {
    for (const send of [
      () => client.sendPrompt('s', { prompt: 'go' }),
      () => client.answerApproval('s', { decision: 'Allow' }),
      () => client.deleteSession('s'),
    ]) {
      cuts = 0;
      await client.getSession('s');
      requests = [];
      cuts = 1;
      await assert.rejects(send(), { code: 'CONNECTION_LOST' });
      assert.equal(requests.length, 1);
    }
  });
});
