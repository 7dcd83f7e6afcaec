import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import type { RegistryAgent } from '../../../../src/agents/common/registry/registryAgent';
import { RegistryStore } from '../../../../src/agents/node/registryStore';
import { nullLogger } from '../../../../src/base/common/log';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';

const entry = (id: string): object => ({
  ...{ id, name: id, version: '1.0.0', description: 'x', distribution: { npx: { package: `${id}@1.0.0` } } },
});
const documentOf = (...ids: string[]): string => JSON.stringify({ version: '1.0.0', agents: ids.map(entry) });
const dayMs = 24 * 60 * 60_000;
const { signal } = new AbortController();

describe('the registry of agents', () => {
  let folder: string;
  let server: Server;
  let address: string;
  let clock: FakeClock;
  let requests: IncomingMessage[];
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  const stores: RegistryStore[] = [];

  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'backline-registry-')), 'storage');
    clock = new FakeClock();
    clock.setForward(1_700_000_000_000);
    requests = [];
    respond = (_request, response) => response.setHeader('etag', '"1"').end(documentOf('listed'));
    server = createServer((request, response) => {
      requests.push(request);
      respond(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}/registry.json`;
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) store.dispose();
    server.closeAllConnections();
    server.close();
    await rm(path.dirname(folder), { recursive: true, force: true });
  });

  function open(): RegistryStore {
    const bundledRegistry = { agents: [entry('shipped')] };
    const store = new RegistryStore({ address: () => address, folder, bundledRegistry, fetch, clock, log: nullLogger });
    stores.push(store);
    return store;
  }
  const ids = (store: RegistryStore): string[] => store.registryState().agents.map(({ id }) => id);

  async function refreshed(): Promise<RegistryStore> {
    const store = open();
    await store.refresh(signal);
    assert.deepEqual([ids(store), store.registryState().problem], [['listed'], undefined]);
    return store;
  }

  it('shows what ships with the extension at once, then what the registry lists', async () => {
    const store = open();
    assert.deepEqual([ids(store), store.registryState().origin], [['shipped'], 'snapshot']);
    let changes = 0;
    store.onDidChange(() => changes++);
    await store.refresh(signal);
    assert.deepEqual(store.registryState(), { ...store.registryState(), origin: 'registry', checkedAt: clock.now() });
    assert.deepEqual(ids(store), ['listed']);
    assert.ok(changes > 0);
  });

  it('shows the last answer offline, and asks whether it has changed', async () => {
    await refreshed();
    const checkedAt = clock.now();
    clock.advance(dayMs);
    const store = open();
    await store.loadCached();
    assert.deepEqual(store.registryState(), { ...store.registryState(), origin: 'cache', checkedAt });
    assert.deepEqual(ids(store), ['listed']);
    respond = (_request, response) => response.writeHead(304).end();
    await store.refresh(signal);
    assert.equal(requests.at(-1)?.headers['if-none-match'], '"1"');
    assert.deepEqual(
      [ids(store), store.registryState().origin, store.registryState().checkedAt],
      [['listed'], 'registry', clock.now()],
    );
  });

  it('asks at most once a day over all windows, and when it is told to', async () => {
    const store = await refreshed();
    clock.advance(dayMs - 1);
    await store.refreshIfDue(signal);
    await open().refreshIfDue(signal);
    assert.equal(requests.length, 1);
    await store.refresh(signal);
    assert.equal(requests.length, 2);
    clock.advance(dayMs);
    const other = open();
    await other.loadCached();
    await store.refreshIfDue(signal);
    assert.equal(requests.length, 3);
    // It was not due when the other window looked at what the first one had written.
    await other.refreshIfDue(signal);
    assert.equal(requests.length, 3);
  });

  it('asks again an hour after a failure', async () => {
    const store = open();
    respond = (_request, response) => response.writeHead(500).end();
    await store.refreshIfDue(signal);
    await store.refreshIfDue(signal);
    assert.equal(requests.length, 1);
    clock.advance(60 * 60_000);
    await store.refreshIfDue(signal);
    assert.equal(requests.length, 2);
  });

  it('asks once for all who ask at the same time', async () => {
    const store = open();
    await Promise.all([store.refresh(signal), store.refresh(signal), store.refreshIfDue(signal)]);
    assert.equal(requests.length, 1);
  });

  const faults: Record<string, [(response: ServerResponse) => void, RegExp]> = {
    'answers 404': [(response) => response.writeHead(404).end('no'), /was not found on .* \(404\)/],
    'answers 500': [(response) => response.writeHead(500).end('no'), /answered with an error \(500\)/],
    'sends a page': [(response) => response.end('<!doctype html><html></html>'), /did not send a list of agents/],
    'sends another document': [(response) => response.end('{"agents":{}}'), /did not send a list of agents/],
    'sends 50 MB': [(response) => sendMuch(response), /larger than 4 MB/],
    'claims 50 MB': [(response) => response.writeHead(200, { 'content-length': 50e6 }).write('{'), /larger than 4 MB/],
    'cuts the connection at 10 %': [(response) => cutAt(response, 10), /was lost/],
    'cuts the connection at 50 %': [(response) => cutAt(response, 50), /was lost/],
    'cuts the connection at 99 %': [(response) => cutAt(response, 99), /was lost/],
    'redirects to http': [
      (response) => response.writeHead(302, { location: 'http://example.com/' }).end(),
      /does not use https, so nothing was downloaded from it/,
    ],
  };
  for (const [what, [answer, problem]] of Object.entries(faults)) {
    it(`keeps what it has when the server ${what}`, async () => {
      const store = await refreshed();
      respond = (_request, response) => answer(response);
      await store.refresh(signal);
      assert.match(store.registryState().problem ?? '', problem);
      assert.match(store.registryState().problem ?? '', /^[^\n]+\.$/);
      assert.equal(store.registryState().isOffline, undefined);
      assert.deepEqual([ids(store), store.registryState().origin], [['listed'], 'registry']);
      assert.deepEqual(await readdir(folder), ['registry.json']);
      respond = (_request, response) => response.end(documentOf('again'));
      await store.refresh(signal);
      assert.deepEqual([ids(store), store.registryState().problem], [['again'], undefined]);
    });
  }

  it('keeps what it has when nobody is there', async () => {
    const store = await refreshed();
    server.closeAllConnections();
    server.close();
    await store.refresh(signal);
    assert.match(store.registryState().problem ?? '', /could not be reached/);
    assert.equal(store.registryState().isOffline, true);
    assert.deepEqual(ids(store), ['listed']);
  });

  it('does not wait for a server that is silent or slow', async () => {
    for (const drips of [false, true]) {
      const store = open();
      respond = (_request, response) => {
        if (drips) response.write('{');
      };
      const before = requests.length;
      const done = store.refresh(signal);
      await until('the request', () => requests.length > before && clock.pending > 0);
      clock.advance(20_000);
      await done;
      assert.match(store.registryState().problem ?? '', /stopped sending|too slow/);
      assert.equal(clock.pending, 0);
    }
  });

  it('leaves out agents that are invalid, and shows the others', async () => {
    const store = open();
    respond = (_request, response) =>
      response.end(JSON.stringify({ agents: [entry('good'), { id: 'bad' }, entry('Bad')], extensions: [], more: 1 }));
    await store.refresh(signal);
    assert.deepEqual(ids(store), ['good']);
  });

  it('never shows the answer of one address for another', async () => {
    const store = await refreshed();
    address = address.replace('registry.json', 'other.json');
    await store.loadCached();
    assert.deepEqual([ids(store), store.registryState().origin], [['shipped'], 'snapshot']);
    assert.equal(store.registryState().checkedAt, undefined);
    respond = (_request, response) => response.end(documentOf('other'));
    await store.refreshIfDue(signal);
    assert.equal(requests.at(-1)?.headers['if-none-match'], undefined);
    assert.deepEqual(ids(store), ['other']);
  });

  it('does not show an answer that comes after the address has changed', async () => {
    const store = open();
    let answer = (): void => undefined;
    respond = (_request, response) => {
      answer = () => response.end(documentOf('late'));
    };
    const done = store.refresh(signal);
    await until('the request', () => requests.length > 0);
    address = `${address}?other`;
    await store.loadCached();
    answer();
    await done;
    assert.deepEqual(ids(store), ['shipped']);
  });

  it('asks no address without https but those of this machine', async () => {
    address = 'http://example.com/registry.json';
    const store = open();
    await store.refresh(signal);
    assert.match(store.registryState().problem ?? '', /does not use https/);
    assert.deepEqual(ids(store), ['shipped']);
  });

  it('begins anew when what it has stored is damaged', async () => {
    await refreshed();
    for (const text of ['', '{', '[]', '{"address":1}', JSON.stringify({ address, checkedAt: 1, document: {} })]) {
      await writeFile(path.join(folder, 'registry.json'), text);
      const store = open();
      await store.loadCached();
      assert.deepEqual([ids(store), store.registryState().origin], [['shipped'], 'snapshot']);
    }
  });

  it('shows the answer even if it cannot be stored', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await refreshed();
    assert.equal(await readFile(folder, 'utf8'), 'a file where the folder should be');
  });

  describe('an icon', () => {
    const icon = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';
    const withIcon = (url: string): RegistryAgent => ({
      ...{ id: 'a', name: 'A', version: '1', description: 'x', authors: [], distributions: [], iconUrl: url },
    });

    it('is loaded once and checked', async () => {
      respond = (_request, response) => response.end(icon);
      const store = open();
      assert.equal(await store.icon(withIcon(address)), icon);
      assert.equal(await store.icon(withIcon(address)), icon);
      assert.equal(requests.length, 1);
    });

    it('is none if it is unsafe, too large, missing or from an address without https', async () => {
      const store = open();
      const bodies = ['<svg onload="x"/>', `<svg>${' '.repeat(20_000)}</svg>`, 'nonsense'];
      for (const [at, body] of bodies.entries()) {
        respond = (_request, response) => response.end(body);
        assert.equal(await store.icon(withIcon(`${address}?${at}`)), undefined);
      }
      respond = (_request, response) => response.writeHead(404).end(icon);
      assert.equal(await store.icon(withIcon(`${address}?404`)), undefined);
      assert.equal(await store.icon(withIcon('http://example.com/icon.svg')), undefined);
    });
  });
});

/** As much as the other side takes, at most 50 MB. */
function sendMuch(response: ServerResponse): void {
  const piece = Buffer.alloc(1_000_000, ' ');
  let sent = 0;
  const next = (): void => {
    if (response.destroyed || sent++ === 50) response.end();
    else response.write(piece, next);
  };
  next();
}

function cutAt(response: ServerResponse, percent: number): void {
  const whole = Buffer.from(documentOf('other'));
  response.setHeader('content-length', whole.length);
  response.write(whole.subarray(0, Math.floor((whole.length * percent) / 100)), () => response.destroy());
}
