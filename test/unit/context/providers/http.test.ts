import { until } from '../../../support/eventually';
import assert from 'node:assert/strict';
import { FakeClock } from '../../../fake/fakeClock';
import type { ServerResponse } from 'node:http';
import type { RememberedConsentRequest } from '../../../../src/context/common/providers/providerError';
import { HttpProvider, maxAnswerBytes } from '../../../../src/context/node/httpProvider';
import type { ProviderState } from '../../../../src/context/common/providers/providerHandle';
import { documentOf, noTraffic, realClient, titles } from '../support/contextHarness';
import { serveProvider, startServer, type ProviderRequest, type ProviderServer } from '../support/providerServer';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

const item = { title: 'x', range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } } };
const allowed: RememberedConsentRequest[] = [];
const factory = {
  create: ({ place }: { place: { kind: string; url?: string } }): HttpProvider =>
    new HttpProvider(place.url ?? '', {
      fetch: new OutgoingHttp().fetch,
      clock: new FakeClock(),
      isAllowed: ({ url }) => allowed.some((request) => request.url === url),
      maxBytes: maxAnswerBytes,
      traffic: noTraffic,
    }),
};

describe('an HTTP provider', () => {
  const servers: ProviderServer[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const keep = (server: ProviderServer): ProviderServer => {
    servers.push(server);
    return server;
  };

  /** What becomes of a question to one provider, beside another that works. */
  async function outcome(
    url: string,
    settings: object | true = true,
    secrets: Record<string, string> = {},
  ): Promise<{ titles: string[]; state: ProviderState | undefined }> {
    const other = keep(await serveProvider({ capabilities: () => ({}), items: () => [{ ...item, title: 'other' }] }));
    const client = realClient(factory, { [url]: settings, [other.url]: true }, secrets);
    const answer = await client.requestItems(documentOf('text'));
    const state = client.providerStates.find(({ id }) => id === url);
    client.dispose();
    return { titles: titles(answer.items), state };
  }

  /** Answers `capabilities` well, and `items` with what the test writes. */
  async function itemsServer(write: (response: ServerResponse) => void | Promise<void>): Promise<ProviderServer> {
    const server = await startServer(async (response, { method }) => {
      if (method === 'capabilities') response.end('{"result":{}}');
      else await write(response);
    });
    return keep(server);
  }

  const answers =
    (body: string, status = 200) =>
    (response: ServerResponse): void => {
      response.writeHead(status).end(body);
    };

  for (const [says, write, error] of [
    ['not JSON', answers('<html>no</html>'), /not a JSON object: <html>no/],
    ['an empty body', answers(''), /its body is empty/],
    ['no result', answers('{}'), /has no `result`/],
    ['a null result', answers('{"result":null}'), /has no `result`/],
    ['a result of the wrong type', answers('{"result":{"title":"x"}}'), /array of items/],
    ['a text for a result', answers('{"result":"x"}'), /array of items/],
    ['500 with an error', answers('{"error":{"code":7,"message":"broken"}}', 500), /HTTP 500: broken \(code 7\)/],
    ['500 with any body', answers('upstream is down', 500), /HTTP 500: upstream is down/],
    ['an error without a message', answers('{"error":{"code":-32601}}'), /failed: no reason given \(code -32601\)/],
    ['an error with a code of letters', answers('{"error":{"code":"E42","message":"TELL"}}'), /: TELL \(code E42\)/],
    ['an error that is a text', answers('{"error":"TELL"}', 400), /HTTP 400: TELL$/],
    ['an error beside a result', answers('{"result":[],"error":{"code":1,"message":"no"}}'), /failed: no \(code 1\)/],
    [
      'a redirect',
      (response: ServerResponse) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      /redirects \(HTTP 302\) to https:\/\/elsewhere\.example\//,
    ],
    [
      'a lost connection',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"result":', () => response.destroy());
      },
      /lost while reading/,
    ],
  ] as const) {
    it(`says so of ${says}, and hides nobody else's items`, async () => {
      const { titles, state } = await outcome((await itemsServer(write)).url);
      assert.match(state?.lastError ?? '', error);
      assert.deepEqual(titles, ['other']);
    });
  }

  it('stops reading a body of 50 MB', async () => {
    let written = 0;
    const server = await itemsServer((response) => {
      const chunk = Buffer.alloc(1_024 * 1_024, 32);
      const more = (): void => {
        if (written++ < 50 && !response.destroyed) response.write(chunk, more);
        else response.end();
      };
      more();
    });
    const { titles, state } = await outcome(server.url);
    assert.match(state?.lastError ?? '', /larger than 8 MiB/);
    assert.deepEqual(titles, ['other']);
    assert.ok(written < 40, `${written} MiB were taken`);
  });

  it('does not wait for a slow body when nobody waits for it', async () => {
    const closings: string[] = [];
    const server = await itemsServer((response) => {
      response.on('close', () => closings.push('closed'));
      response.write('{"result":[');
    });
    const client = realClient(factory, { [server.url]: true });
    const controller = new AbortController();
    const asked = client.requestItems(documentOf('text'), { signal: controller.signal });
    await until('it is asked for items', () => server.requests.length === 2);
    controller.abort();
    assert.equal((await asked).items.length, 0);
    await until('it is let go', () => closings.length > 0);
    client.dispose();
  });

  it('reports that the connection failed', async () => {
    const server = await startServer(() => undefined);
    server.close();
    assert.match(
      (await outcome(server.url)).state?.lastError ?? '',
      /Could not connect to 127\.0\.0\.1:\d+: ECONNREFUSED/,
    );
  });

  it('refuses a selector that is null', async () => {
    const server = keep(await serveProvider({ capabilities: () => ({ selector: null }), items: () => [item] }));
    const { titles, state } = await outcome(server.url);
    assert.match(state?.lastError ?? '', /`selector` that is a list/);
    assert.deepEqual(titles, ['other']);
  });

  it('asks the methods of the document first, with the settings as they are', async () => {
    const server = keep(await serveProvider({ capabilities: () => ({}), items: () => [item] }));
    const settings = { a: [1, { b: null }] };
    await outcome(server.url, settings);
    const sent = server.requests.map(({ method, params, settings: given }) => ({ method, params, settings: given }));
    assert.deepEqual(sent, [
      { method: 'capabilities', params: {}, settings },
      { method: 'items', params: { uri: documentOf('').uri, content: 'text' }, settings },
    ]);
  });

  it('stays with the dialect that was proven', async () => {
    const provider = { capabilities: () => ({}), annotations: () => [{ item: { title: 'b' }, range: item.range }] };
    const server = keep(await serveProvider(provider));
    const client = realClient(factory, { [server.url]: true });
    await client.requestItems(documentOf('one', 1));
    await client.requestItems(documentOf('two', 2));
    client.dispose();
    assert.deepEqual(
      server.requests.map(({ method }) => method),
      ['capabilities', 'items', 'annotations', 'annotations'],
    );
  });

  it('does not send documents to a provider of B that names itself by the wrong method', async () => {
    const provider = {
      capabilities: () => ({ meta: { name: 'Named' } }),
      items: () => [{ title: 'wrong' }],
      annotations: () => [{ item: { title: 'right' } }],
    };
    const server = keep(await serveProvider(provider));
    const { titles, state } = await outcome(server.url);
    assert.deepEqual([titles, state?.title], [['right', 'other'], 'Named']);
  });

  it('takes whole-file items of the document for what they are, also when all else is answered with an empty list', async () => {
    const server = keep(
      await startServer((response, { method }) => {
        const result = method === 'capabilities' ? {} : method === 'items' ? [{ title: 'whole' }] : [];
        response.end(JSON.stringify({ result }));
      }),
    );
    assert.deepEqual((await outcome(server.url)).titles, ['whole', 'other']);
  });

  it('sends headers of the settings with their secrets, as headers only', async () => {
    const server = keep(await serveProvider({ capabilities: () => ({}), items: () => [item] }));
    const settings = { headers: { authorization: 'Bearer ${secret:token}' }, key: 'k-${secret:token}' };
    await outcome(server.url, settings, { token: 's3cret' });
    const [first]: ProviderRequest[] = server.requests;
    assert.equal(first?.headers.authorization, 'Bearer s3cret');
    assert.deepEqual(first.settings, { key: 'k-s3cret' });
  });

  it('reports which secret is missing, and sends nothing', async () => {
    const server = keep(await serveProvider({ capabilities: () => ({}), items: () => [item] }));
    const { titles, state } = await outcome(server.url, { headers: { authorization: '${secret:gone}' } });
    assert.match(state?.lastError ?? '', /secret "gone".*not stored/);
    assert.equal(state?.isSecretMissing, true);
    assert.deepEqual([titles, server.requests.length], [['other'], 0]);
  });

  it('keeps secrets out of what it says', async () => {
    const server = keep(
      await startServer((response, { headers }) => void response.writeHead(401).end(`no: ${headers.authorization}`)),
    );
    const { state } = await outcome(server.url, { headers: { authorization: '${secret:t}' } }, { t: 's3cret' });
    assert.match(state?.lastError ?? '', /HTTP 401: no: •••/);
  });

  it('keeps secrets out of an answer that is cut in the middle of one', async () => {
    const server = keep(
      await startServer((response, { headers }) => {
        response.writeHead(500).end(`${'x'.repeat(170)} ${headers.authorization} and more`);
      }),
    );
    const token = 'SUPERSECRETTOKEN-0123456789';
    const { state } = await outcome(server.url, { headers: { authorization: 'Bearer ${secret:t}' } }, { t: token });
    assert.match(state?.lastError ?? '', /x Bearer •••…$/);
  });

  it('sends nothing unencrypted to another machine without permission', async () => {
    const url = 'http://example.invalid/';
    const { state } = await outcome(url);
    assert.deepEqual([state?.status, state?.consent], ['needsConsent', { kind: 'plainHttp', url }]);
    allowed.push({ kind: 'plainHttp', url });
    assert.match((await outcome(url)).state?.lastError ?? '', /Could not connect/);
  });
});
