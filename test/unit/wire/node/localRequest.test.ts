import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { bearerToken, localRequestProblem, loopbackHosts, sameToken } from '../../../../src/wire/node/localRequest';

type Headers = readonly (readonly [name: string, value: string])[];

describe('localRequestProblem', () => {
  const server = createServer({ requireHostHeader: false }, (message, response) => {
    const [hosts, allowsOwnOrigin] = rules;
    response.end(String(localRequestProblem(message, hosts, allowsOwnOrigin)?.status ?? 'none'));
  });
  let rules: [hosts?: typeof loopbackHosts, allowsOwnOrigin?: boolean] = [];

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    rules = [];
  });
  after(() => server.close());

  async function problemOf(...headers: Headers): Promise<string> {
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const sending = request({ port: address.port, headers: headers.flat(), setHost: false, agent: false }).end();
    const [response] = (await once(sending, 'response')) as [AsyncIterable<Buffer>];
    let text = '';
    for await (const chunk of response) text += chunk.toString();
    return text;
  }

  it('is none for a program that uses a name of this machine, once', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LocalHost:1', '127.0.0.1:65535'])
      assert.equal(await problemOf(['Host', host]), 'none', host);
    assert.equal(await problemOf(), '400');
    assert.equal(await problemOf(['Host', 'localhost'], ['Host', 'localhost']), '400');
  });

  it('is another name, which a web page would have', async () => {
    for (const host of ['example.com', 'localhost.example.com', '127.0.0.1.example.com', 'localhost:123456', '', '::1'])
      assert.equal(await problemOf(['Host', host]), '403', host);
    rules = [{ names: new Set(['example.com']), advice: 'Try another.' }];
    assert.equal(await problemOf(['Host', 'Example.com:80']), 'none');
    assert.equal(await problemOf(['Host', 'localhost']), '403');
  });

  it('is an Origin, unless it is the server itself and that is allowed', async () => {
    const host = ['Host', 'localhost:80'] as const;
    const own = ['Origin', 'http://LOCALHOST:80'] as const;
    assert.equal(await problemOf(host, own), '403');
    rules = [loopbackHosts, true];
    assert.equal(await problemOf(host, own), 'none');
    for (const origin of ['http://localhost', 'https://localhost:80', 'null', 'http://example.com', ''])
      assert.equal(await problemOf(host, ['Origin', origin]), '403', origin);
    assert.equal(await problemOf(host, own, ['Origin', 'http://example.com']), '403');
  });
});

describe('tokens', () => {
  it('are compared as a whole', () => {
    assert.equal(sameToken('secret', 'secret'), true);
    for (const other of ['', 'secre', 'secret ', 'Secret']) assert.equal(sameToken(other, 'secret'), false, other);
  });

  it('are in the header Authorization', () => {
    assert.equal(bearerToken('bearer  abc'), 'abc');
    for (const header of [undefined, '', 'Basic abc', 'Bearer', 'Bearer a b', 'xBearer a'])
      assert.equal(bearerToken(header), undefined, header);
  });
});
