import { until } from '../../../support/eventually';
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { ContextClient } from '../../../../src/context/common/contextClient';
import { HttpProvider, maxAnswerBytes } from '../../../../src/context/node/httpProvider';
import { FakeClock } from '../../../fake/fakeClock';
import { clientOf, documentOf, noTraffic, realClient, titles } from '../support/contextHarness';
import { startServer, type ProviderServer } from '../support/providerServer';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const result = (value: unknown): string => JSON.stringify({ result: value });

type Respond = (response: ServerResponse, call: number) => void;

describe('an HTTP provider whose dialect is not proven', () => {
  let server: ProviderServer | undefined;
  let client: ContextClient | undefined;
  const clock = new FakeClock();
  afterEach(() => {
    client?.dispose();
    server?.close();
  });

  /** The titles that each of some questions brings; `items` and `annotations` get the number of their call, from 1. */
  async function ask(questions: number, items: Respond, annotations: Respond): Promise<string[][]> {
    const current = (server = await startServer((response, { method }) => {
      const call = current.requests.filter((request) => request.method === method).length;
      if (method === 'capabilities') response.end(result({}));
      else if (method === 'items') items(response, call);
      else annotations(response, call);
    }));
    const { url } = current;
    const ports = {
      fetch: new OutgoingHttp().fetch,
      clock,
      isAllowed: () => false,
      maxBytes: maxAnswerBytes,
      traffic: noTraffic,
    };
    const asking = (client = realClient({ create: () => new HttpProvider(url, ports) }, { [url]: true }));
    const found: string[][] = [];
    for (let version = 1; version <= questions; version++)
      found.push(titles((await asking.requestItems(documentOf('text', version))).items));
    return found;
  }

  const asked = (): string =>
    (server?.requests ?? [])
      .map(({ method }) => ({ capabilities: 'c', items: 'i', annotations: 'a' })[method])
      .join('');
  const whole: Respond = (response) => void response.end(result([{ title: 'whole' }]));
  const marks: Respond = (response) => void response.end(result([{ item: { title: 'mark' }, range }]));
  const with503: Respond = (response) => void response.writeHead(503).end('busy');

  it('keeps the items when annotations end the connection, and asks for both again', async () => {
    const found = await ask(2, whole, (response) => void response.destroy());
    assert.deepEqual([found, asked()], [[['whole'], ['whole']], 'ciaia']);
    assert.equal(client?.providerStates[0]?.status, 'ready');
  });

  it('keeps the items when annotations are not answered, and waits a second for them', async () => {
    const found = ask(1, whole, () => undefined);
    await until('annotations are asked for', () => asked() === 'cia');
    clock.advance(999);
    assert.equal(clock.pending, 1);
    clock.advance(1);
    assert.deepEqual(await found, [['whole']]);
  });

  it('is B when annotations come after they were refused for a while', async () => {
    const found = await ask(3, whole, (response, call) => (call === 1 ? with503 : marks)(response, call));
    assert.deepEqual([found, asked()], [[['whole'], ['mark'], ['mark']], 'ciaiaa']);
  });

  it('is A when items come after they were refused for a while', async () => {
    const empty: Respond = (response) => void response.end(result([]));
    const found = await ask(2, (response, call) => (call === 1 ? with503 : whole)(response, call), empty);
    assert.deepEqual([found, asked()], [[[], ['whole']], 'ciaia']);
  });

  for (const [says, status, body] of [
    ['an error', 200, '{"error":{"code":-32601}}'],
    ['404', 404, ''],
    ['500 that says that there is no such method', 500, '{"error":{"code":-32601,"message":"no"}}'],
  ] as const) {
    it(`is A when annotations are refused with ${says}`, async () => {
      await ask(2, whole, (response) => void response.writeHead(status).end(body));
      assert.equal(asked(), 'ciai');
    });
  }
});

describe('an HTTP provider that refuses one method and never answers the other', () => {
  const refuse = (response: ServerResponse, why: string): void =>
    void response.end(JSON.stringify({ error: { code: 7, message: why } }));

  for (const { refused, silent, version } of [
    { refused: 'capabilities', silent: 'meta', version: 1 },
    { refused: 'items', silent: 'annotations', version: 2 },
  ]) {
    it(`is reported with what it says to \`${refused}\``, async () => {
      const clock = new FakeClock();
      const server = await startServer((response, { method }) => {
        if (method === refused) refuse(response, 'the token has expired');
        else if (method !== silent) response.end(result({}));
      });
      const ports = {
        fetch: new OutgoingHttp().fetch,
        clock,
        isAllowed: () => false,
        maxBytes: maxAnswerBytes,
        traffic: noTraffic,
      };
      const client = clientOf(clock, { [server.url]: new HttpProvider(server.url, ports) });
      try {
        const answer = client.requestItems(documentOf('text', version), { reason: 'explicit' });
        await until('the other method is asked', () => server.requests.some(({ method }) => method === silent));
        clock.advance(9_000);
        await answer;
        assert.match(client.providerStates[0]?.lastError ?? '', /the token has expired/);
      } finally {
        client.dispose();
        server.close();
      }
    });
  }
});
