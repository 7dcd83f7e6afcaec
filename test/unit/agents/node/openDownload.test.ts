import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { InstallError } from '../../../../src/agents/common/install/installError';
import { downloadFile } from '../../../../src/agents/node/download/downloadFile';
import { openDownload, readBody, type DownloadOptions } from '../../../../src/agents/node/download/openDownload';
import { systemClock } from '../../../../src/base/node/systemClock';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { makeCertificate, startTlsServer } from '../../context/support/tlsServer';
import { trustingFetch } from './support/trustingFetch';

const body = Buffer.alloc(200_000, 'x');

describe('a download', () => {
  let server: Server | undefined;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-download-'));
  });
  afterEach(async () => {
    server?.closeAllConnections();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function serve(respond: RequestListener): Promise<string> {
    server = createServer(respond);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
  }

  const options = (more: Partial<DownloadOptions> = {}): DownloadOptions => ({
    ...{ fetch, clock: systemClock, signal: new AbortController().signal },
    ...{ maxBytes: 1_000_000, silenceMs: 45_000, allowsLoopback: true },
    ...more,
  });

  async function codeOf(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof InstallError, String(error));
    assert.match(error.message, /^[^\n]+\.$/);
    return error.code;
  }

  const load = async (address: string, more: Partial<DownloadOptions> = {}): Promise<Buffer> =>
    readBody(await openDownload(address, options(more)));

  it('is written to a new file, with its progress and hash', async () => {
    const origin = await serve((_request, response) => response.setHeader('content-length', body.length).end(body));
    const file = path.join(folder, 'file');
    const fractions: (number | undefined)[] = [];
    const hex = createHash('sha256').update(body).digest('hex');
    const onFraction = (fraction: number | undefined): void => void fractions.push(fraction);
    await downloadFile({ ...options(), address: origin, file, hash: { algorithm: 'sha256', hex }, onFraction });
    assert.deepEqual(await readFile(file), body);
    assert.equal(fractions.at(-1), 1);
    assert.deepEqual(
      fractions,
      fractions.toSorted((a = 0, b = 0) => a - b),
    );
  });

  it('is not used if its hash is another one', async () => {
    const origin = await serve((_request, response) => response.end(body));
    const hash = { algorithm: 'sha512', hex: '00' } as const;
    const call = { ...options(), address: origin, file: path.join(folder, 'file'), hash, onFraction: () => undefined };
    assert.equal(await codeOf(downloadFile(call)), 'integrity');
  });

  it('is never written over a file that is there', async () => {
    const origin = await serve((_request, response) => response.end(body));
    const file = path.join(folder, 'file');
    await writeFile(file, 'mine');
    await assert.rejects(downloadFile({ ...options(), address: origin, file, onFraction: () => undefined }));
    assert.equal(await readFile(file, 'utf8'), 'mine');
  });

  for (const lost of [1, 2]) {
    it(`is asked for twice at most: the connection is lost ${lost} times`, async () => {
      let requests = 0;
      const origin = await serve((request, response) => {
        if (++requests <= lost) request.socket.destroy();
        else response.end(body);
      });
      if (lost === 1) assert.deepEqual(await load(origin), body);
      else assert.equal(await codeOf(load(origin)), 'connectionLost');
      assert.equal(requests, 2);
    });
  }

  for (const percent of [10, 50, 99]) {
    it(`reports that the connection was lost at ${percent} %`, async () => {
      const origin = await serve((_request, response) => {
        response.setHeader('content-length', body.length);
        response.write(body.subarray(0, (body.length * percent) / 100), () => response.destroy());
      });
      assert.equal(await codeOf(load(origin)), 'connectionLost');
    });
  }

  it('does not believe a chunked answer that ends in the middle', async () => {
    const origin = await serve((_request, response) => void response.write(body, () => response.destroy()));
    assert.equal(await codeOf(load(origin)), 'connectionLost');
  });

  it('ends when the server sends nothing, before and in the middle of its answer', async () => {
    for (const start of [false, true]) {
      const clock = new FakeClock();
      let asked = false;
      const origin = await serve((_request, response) => {
        asked = true;
        if (start) response.write('x');
      });
      const code = codeOf(load(origin, { clock, silenceMs: 30_000 }));
      await until('the request', () => asked && clock.pending > 0);
      // The first byte starts the silence anew.
      for (let i = 0; i < 3; i++) {
        clock.advance(29_999);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(await code, 'stalled');
      assert.equal(clock.pending, 0);
      server?.closeAllConnections();
      server?.close();
    }
  });

  it('ends when the server sends one byte after the other', async () => {
    const clock = new FakeClock();
    let received = 0;
    const origin = await serve((_request, response) => {
      const drip = (): void => {
        if (response.destroyed) return;
        response.write('x', () => {
          received++;
          clock.advance(1_000);
          setImmediate(drip);
        });
      };
      drip();
    });
    assert.equal(await codeOf(load(origin, { clock, silenceMs: 20_000, totalMs: 20_000 })), 'stalled');
    assert.ok(received >= 10);
  });

  it('ends when the user cancels, before and in the middle', async () => {
    const controller = new AbortController();
    const origin = await serve((_request, response) => void response.write('x'));
    const download = await openDownload(origin, options({ signal: controller.signal }));
    const code = codeOf(readBody(download));
    controller.abort();
    assert.equal(await code, 'cancelled');
    assert.equal(await codeOf(load(origin, { signal: AbortSignal.abort() })), 'cancelled');
  });

  it('is refused when it is too large, by its own words or by what comes', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/honest') response.setHeader('content-length', body.length);
      response.end(body);
    });
    assert.equal(await codeOf(load(`${origin}/honest`, { maxBytes: 1_000 })), 'tooLarge');
    assert.equal(await codeOf(load(origin, { maxBytes: 1_000 })), 'tooLarge');
  });

  it('tells the answers of servers and proxies apart', async () => {
    const origin = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end('no'));
    const codes = await Promise.all(
      [404, 410, 401, 403, 500, 503].map((status) => codeOf(load(`${origin}/${status}`))),
    );
    const expected = ['notFound', 'notFound', 'notFound', 'notFound', 'serverError', 'serverError'];
    assert.deepEqual(codes, expected);
  });

  it('knows a proxy that wants authentication by its answer, or by the error of fetch', async () => {
    // Node.js keeps such an answer to itself; VS Code's fetch does not.
    const answer = (): Promise<Response> => Promise.resolve(new Response('no', { status: 407 }));
    assert.equal(await codeOf(load('https://example.com/a', { fetch: answer })), 'proxyNeedsSignIn');
    const cause = new Error('Proxy response (407) !== 200 when HTTP Tunneling');
    const refuse = (): Promise<Response> => Promise.reject(new TypeError('fetch failed', { cause }));
    assert.equal(await codeOf(load('https://example.com/a', { fetch: refuse })), 'proxyNeedsSignIn');
  });

  it('reports that nobody is there', async () => {
    const origin = await serve(() => undefined);
    server?.close();
    assert.equal(await codeOf(load(origin)), 'offline');
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND example.com'), { code: 'ENOTFOUND' });
    const refuse = (): Promise<Response> => Promise.reject(new TypeError('fetch failed', { cause }));
    assert.equal(await codeOf(load('https://example.com/a', { fetch: refuse })), 'offline');
  });

  it('is https, also after redirects, unless it stays on this machine', async () => {
    const origin = await serve((request, response) => {
      const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
      if (to === null) response.end('here');
      else response.writeHead(302, { location: to }).end();
    });
    for (const address of ['http://example.com/a', 'ftp://example.com/a', 'file:///etc/passwd', 'nonsense'])
      assert.equal(await codeOf(load(address)), 'insecureAddress', address);
    assert.equal(await codeOf(load(origin, { allowsLoopback: false })), 'insecureAddress');
    assert.equal((await load(`${origin}/?to=/other`)).toString(), 'here');
    assert.equal(await codeOf(load(`${origin}/?to=http://example.com/`)), 'insecureAddress');
    assert.equal(await codeOf(load(`${origin}/?to=file:///etc/passwd`)), 'insecureAddress');
    const twice = encodeURIComponent('/?to=/');
    assert.equal((await load(`${origin}/?to=${twice}`)).toString(), 'here');
  });

  it('does not follow redirects in a circle', async () => {
    const origin = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
    assert.equal(await codeOf(load(origin)), 'serverError');
  });

  it('gives a token to the first server only', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('here');
    });
    const otherServer = server;
    const origin = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: other }).end();
    });
    await load(origin, { headers: { authorization: 'Bearer secret' } });
    otherServer?.closeAllConnections();
    otherServer?.close();
    assert.deepEqual(seen, ['Bearer secret', undefined]);
  });

  it('checks the certificate, and never leaves https for this machine', async () => {
    const certificate = await makeCertificate();
    const tls = await startTlsServer(certificate, (request, response) => {
      if (request.url === '/') response.end('safe');
      else response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    try {
      assert.equal(await codeOf(load(tls.origin)), 'certificate');
      const trusting = { fetch: trustingFetch(certificate.cert) };
      assert.equal((await load(tls.origin, trusting)).toString(), 'safe');
      assert.equal(await codeOf(load(`${tls.origin}/away`, trusting)), 'insecureAddress');
    } finally {
      tls.close();
    }
  });
});
