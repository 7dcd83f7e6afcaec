import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProviderError, type ConsentRequest } from '../../../src/context/common/providerError';
import { fetchRemoteModule } from '../../../src/context/node/remoteModule';

const url = 'https://example.com/provider.js';
const code = 'export default {};\n';
const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;

describe('code from elsewhere', () => {
  let folder: string;
  let fetched: string[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-remote-'));
    fetched = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function get(
    options: {
      url?: string;
      integrity?: unknown;
      isAllowed?: (request: ConsentRequest) => boolean;
      answers?: Record<string, Response>;
    } = {},
  ): Promise<string> {
    const answers = options.answers ?? { [url]: new Response(code) };
    const ports = {
      fetch: (address: string): Promise<Response> => {
        fetched.push(address);
        const answer = answers[address];
        return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('fetch failed'));
      },
      isAllowed: options.isAllowed ?? ((): boolean => true),
      folder: path.join(folder, 'kept'),
    };
    const pin = 'integrity' in options ? options.integrity : integrity;
    return fetchRemoteModule(options.url ?? url, pin, ports, AbortSignal.timeout(20_000));
  }

  it('is fetched once and kept by its hash', async () => {
    const first = await get();
    assert.equal(await readFile(fileURLToPath(first), 'utf8'), code);
    assert.equal(await get(), first);
    assert.deepEqual(fetched, [url]);
    assert.match(path.basename(fileURLToPath(first)), /^sha384-[0-9a-f]{96}\.mjs$/);
  });

  it('is fetched again when what was kept has been changed', async () => {
    const file = fileURLToPath(await get());
    await writeFile(file, 'evil');
    await get();
    assert.equal(await readFile(file, 'utf8'), code);
    assert.equal(fetched.length, 2);
  });

  for (const pin of [undefined, 7, '', 'latest', 'md5-abc', 'sha384-']) {
    it(`is not even fetched with the pin ${JSON.stringify(pin)}`, async () => {
      await assert.rejects(get({ integrity: pin }), /hash in the settings/);
      assert.deepEqual(fetched, []);
    });
  }

  it('is not even fetched without the word of the user', async () => {
    await assert.rejects(get({ isAllowed: () => false }), (error: unknown) => {
      assert.ok(error instanceof ProviderError);
      assert.deepEqual(error.consent, { kind: 'remoteCode', url, integrity });
      return true;
    });
    assert.deepEqual(fetched, []);
  });

  it('needs the word of the user again for another hash', async () => {
    const isAllowed = (request: ConsentRequest): boolean =>
      request.kind === 'remoteCode' && request.integrity === integrity;
    await get({ isAllowed });
    await assert.rejects(get({ isAllowed, integrity: `sha256-${'A'.repeat(43)}=` }), /Allow it first/);
  });

  it('is refused when it is not what was pinned, and nothing is kept', async () => {
    await assert.rejects(get({ answers: { [url]: new Response('evil') } }), /not the one that is pinned.*sha384-/);
    assert.deepEqual(await readdir(folder), []);
  });

  it('is never fetched over plain http', async () => {
    await assert.rejects(get({ url: 'http://127.0.0.1/p.js' }), /only fetched over https/);
    assert.deepEqual(fetched, []);
  });

  it('may be redirected within https, and nowhere else', async () => {
    const to = (location: string): Response => new Response(null, { status: 302, headers: { location } });
    await get({ answers: { [url]: to('/other.js'), 'https://example.com/other.js': new Response(code) } });
    await rm(path.join(folder, 'kept'), { recursive: true });
    await assert.rejects(get({ answers: { [url]: to('http://example.com/other.js') } }), /only fetched over https/);
    assert.equal(fetched.includes('http://example.com/other.js'), false);
  });

  it('says what the server said instead', async () => {
    await assert.rejects(get({ answers: { [url]: new Response('', { status: 404 }) } }), /HTTP 404/);
    await assert.rejects(get({ answers: {} }), /No connection to example\.com/);
  });
});
