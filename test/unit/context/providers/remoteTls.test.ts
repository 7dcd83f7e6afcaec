import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { nullLogger } from '../../../../src/base/common/log';
import type { ContextClient } from '../../../../src/context/common/contextClient';
import { ProviderFactory } from '../../../../src/context/node/providerFactory';
import { FakeClock } from '../../../fake/fakeClock';
import { documentOf, realClient, testWorkerLimits, titles } from '../support/contextHarness';
import { buildContextWorker } from '../support/contextWorker';
import { startServer } from '../support/providerServer';
import { makeCertificate, startTlsServer, type Certificate, type TlsServer } from '../support/tlsServer';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

const code = (title: string): string =>
  `export default { capabilities: () => ({}), items: () => [{ title: ${JSON.stringify(title)} }] };\n`;
const pinOf = (text: string): string => `sha384-${createHash('sha384').update(text).digest('base64')}`;

/** All of the way: the fetch of this Node.js, TLS, the hash, a file, a worker, `import()`, items. */
describe('a provider from an https server', () => {
  const trusted = getCACertificates('default');
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  let certificate: Certificate;
  let server: TlsServer;
  let asked: string[];
  /** What the server has: text, or where it sends to. */
  let pages: Record<string, string | { location: string }>;
  const clients: ContextClient[] = [];

  before(async () => {
    worker = await buildContextWorker();
    certificate = await makeCertificate();
    setDefaultCACertificates([...trusted, certificate.cert]);
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await worker.remove();
  });

  beforeEach(async () => {
    asked = [];
    pages = { '/p.js': code('from afar') };
    server = await serve(certificate);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.dispose();
    server.close();
    await rm(join(worker.folder, 'kept'), { recursive: true, force: true });
  });

  function serve(identity: Certificate): Promise<TlsServer> {
    return startTlsServer(identity, ({ url = '' }, response) => {
      asked.push(url);
      const page = pages[url];
      if (page === undefined) response.writeHead(404).end();
      else if (typeof page === 'string') response.end(page);
      else response.writeHead(302, page).end();
    });
  }

  /** What a new window gets of it. */
  async function ask(
    options: { origin?: string; text?: string; isAllowed?: boolean; provider?: Record<string, unknown> } = {},
  ): Promise<{ found: string[]; error: string | undefined }> {
    const { origin = server.origin, text = code('from afar'), isAllowed = true } = options;
    const factory = new ProviderFactory({
      workerFile: worker.file,
      remoteFolder: join(worker.folder, 'kept'),
      fetch: new OutgoingHttp().fetch,
      clock: new FakeClock(),
      log: nullLogger,
      isAllowed: () => isAllowed,
      workerLimits: testWorkerLimits,
    });
    const client = realClient(factory, options.provider ?? { [`${origin}/p.js`]: { integrity: pinOf(text) } });
    clients.push(client);
    const { items } = await client.requestItems(documentOf('text'));
    return { found: titles(items), error: client.providerStates[0]?.lastError };
  }

  const kept = (): Promise<string[]> => readdir(join(worker.folder, 'kept')).catch(() => []);

  it('is fetched, held to its hash, and run', async () => {
    assert.deepEqual(await ask(), { found: ['from afar'], error: undefined });
    assert.deepEqual(asked, ['/p.js']);
  });

  it('is downloaded once for all windows', async () => {
    await ask();
    server.close();
    assert.deepEqual(await ask(), { found: ['from afar'], error: undefined });
  });

  it('is not downloaded before it is allowed', async () => {
    const { found, error } = await ask({ isAllowed: false });
    assert.deepEqual([found, asked], [[], []]);
    assert.match(error ?? '', /needs your permission/);
  });

  it('does not run when it has changed', async () => {
    pages['/p.js'] = code('something else');
    const { found, error } = await ask();
    assert.deepEqual(found, []);
    assert.ok(error?.includes(`Its hash is ${pinOf(code('something else'))}`), error);
    assert.deepEqual(await kept(), []);
  });

  it('does not run when what was kept has been changed, and is fetched again', async () => {
    await ask();
    const [name = ''] = await kept();
    await writeFile(join(worker.folder, 'kept', name), code('planted'));
    assert.deepEqual(await ask(), { found: ['from afar'], error: undefined });
    await writeFile(join(worker.folder, 'kept', name), code('planted'));
    delete pages['/p.js'];
    assert.deepEqual((await ask()).found, []);
  });

  it('may be redirected to https, and not to http', async () => {
    const plain = await startServer((response) => void response.end(code('from afar')));
    pages = { '/p.js': { location: '/q.js' }, '/q.js': code('from afar') };
    try {
      assert.deepEqual((await ask()).found, ['from afar']);
      await rm(join(worker.folder, 'kept'), { recursive: true });
      pages = { '/p.js': { location: `${plain.url}p.js` } };
      const { found, error } = await ask();
      assert.deepEqual(found, []);
      assert.match(error ?? '', /can be downloaded only over HTTPS/);
      assert.deepEqual(plain.requests, []);
    } finally {
      plain.close();
    }
  });

  it('needs no hash in the settings: what was found and shown runs, and nothing else', async () => {
    pages = { '/p.js': { location: '/1.0.0/p.js' }, '/1.0.0/p.js': code('found') };
    const key = `${server.origin}/p.js`;
    let allowed: string | undefined;
    const factory = new ProviderFactory({
      workerFile: worker.file,
      remoteFolder: join(worker.folder, 'kept'),
      fetch: new OutgoingHttp().fetch,
      // A slow machine must not use up the limit of the look for a new version.
      clock: new FakeClock(),
      log: nullLogger,
      isAllowed: () => false,
      allowedCode: (url) => (url === key ? allowed : undefined),
      workerLimits: testWorkerLimits,
    });
    const client = realClient(factory, { [key]: true });
    clients.push(client);
    assert.deepEqual(titles((await client.requestItems(documentOf('text'))).items), []);
    const consent = client.providerStates[0]?.consent;
    assert.ok(consent?.kind === 'remoteCode');
    assert.deepEqual([consent.integrity, consent.from], [pinOf(code('found')), `${server.origin}/1.0.0/p.js`]);
    pages['/1.0.0/p.js'] = code('other');
    allowed = consent.integrity;
    client.retry(key);
    assert.deepEqual(titles((await client.requestItems(documentOf('text'))).items), ['found']);
    const offer = client.providerStates[0]?.consent;
    assert.ok(offer?.kind === 'remoteCode');
    assert.deepEqual([offer.previousIntegrity, offer.integrity], [allowed, pinOf(code('other'))]);
    allowed = offer.integrity;
    client.retry(key);
    assert.deepEqual(titles((await client.requestItems(documentOf('text'))).items), ['other']);
    assert.equal(client.providerStates[0]?.consent, undefined);
  });

  it('is not downloaded from a server with an untrusted certificate', async () => {
    const stranger = await serve(await makeCertificate());
    try {
      const { found, error } = await ask({ origin: stranger.origin });
      assert.deepEqual([found, asked], [[], []]);
      assert.match(error ?? '', /127\.0\.0\.1:\d+: its certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    } finally {
      stranger.close();
    }
  });

  const bad = [
    ['has expired', { expired: true }],
    ['is for another host', { host: 'DNS:elsewhere.example' }],
    ['is for another host', { host: 'IP:127.0.0.2' }],
  ] as const;
  for (const [problem, options] of bad) {
    it(`does not come from a server whose certificate ${problem} (${JSON.stringify(options)})`, async () => {
      const identity = await makeCertificate(options);
      setDefaultCACertificates([...trusted, identity.cert]);
      const stranger = await serve(identity);
      try {
        const { found, error } = await ask({ origin: stranger.origin });
        assert.deepEqual([found, asked], [[], []]);
        assert.ok(error?.includes(`its certificate ${problem}`), error);
        const headers = { Authorization: 'Bearer key' };
        const posted = await ask({ provider: { [`${stranger.origin}/provider`]: { headers } } });
        assert.deepEqual([posted.found, asked], [[], []]);
        assert.ok(posted.error?.includes(`its certificate ${problem}`), posted.error);
      } finally {
        stranger.close();
        setDefaultCACertificates([...trusted, certificate.cert]);
      }
    });
  }
});
