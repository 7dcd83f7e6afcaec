import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../../src/base/common/async';
import { ProviderError, type ConsentRequest } from '../../../../src/context/common/providers/providerError';
import { RemoteModuleStore, type RemoteModuleOptions } from '../../../../src/context/node/remoteModuleStore';
import { FakeClock } from '../../../fake/fakeClock';

const url = 'https://example.com/provider.js';
const code = 'export default {};\n';
const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;

const locateOptions = (pin: unknown, isRefresh = false): RemoteModuleOptions => ({
  integrity: pin,
  isRefresh,
  signal: AbortSignal.timeout(45_000),
});

describe('code from elsewhere', () => {
  let folder: string;
  let fetched: string[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-remote-'));
    fetched = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  interface Options {
    url?: string;
    integrity?: unknown;
    isAllowed?: (request: ConsentRequest) => boolean;
    allowedCode?: string | (() => string | undefined);
    answers?: Record<string, Response>;
    clock?: Clock;
  }

  function modulesOf({
    isAllowed = () => true,
    allowedCode,
    clock = new FakeClock(),
    ...options
  }: Options): RemoteModuleStore {
    const answers = options.answers ?? { [url]: new Response(code) };
    return new RemoteModuleStore({
      fetch: (address) => {
        fetched.push(address);
        const answer = answers[address];
        return answer ? Promise.resolve(answer.clone()) : Promise.reject(new TypeError('fetch failed'));
      },
      clock,
      isAllowed,
      allowedCode: () => (typeof allowedCode === 'function' ? allowedCode() : allowedCode),
      folder: path.join(folder, 'kept'),
    });
  }

  async function get(options: Options = {}): Promise<string> {
    const pin = 'integrity' in options ? options.integrity : integrity;
    const found = await modulesOf(options).locate(options.url ?? url, locateOptions(pin));
    return found.specifier;
  }

  it('is downloaded once and stored by its hash', async () => {
    const first = await get();
    assert.equal(await readFile(fileURLToPath(first), 'utf8'), code);
    assert.equal(await get(), first);
    assert.deepEqual(fetched, [url]);
    assert.match(path.basename(fileURLToPath(first)), /^sha384-[0-9a-f]{96}\.mjs$/);
  });

  it('is downloaded again if the stored file was changed', async () => {
    const file = fileURLToPath(await get());
    await writeFile(file, 'evil');
    await get();
    assert.equal(await readFile(file, 'utf8'), code);
    assert.equal(fetched.length, 2);
  });

  it('explains what to do if it cannot be stored, pinned or not', async () => {
    await writeFile(path.join(folder, 'kept'), 'a file');
    for (const options of [{}, { integrity: undefined, allowedCode: integrity }]) {
      await assert.rejects(get(options), (error: unknown) => {
        assert.ok(error instanceof ProviderError);
        assert.match(error.message, /could not be saved in .*kept\. .* Make sure that you can write to this folder/);
        return true;
      });
    }
    assert.deepEqual(await readdir(folder), ['kept']);
  });

  for (const pin of [null, 7, '', 'latest', 'md5-abc', 'sha384-']) {
    it(`is not even fetched with the pin ${JSON.stringify(pin)}`, async () => {
      await assert.rejects(get({ integrity: pin }), /must be a base64 hash/);
      assert.deepEqual(fetched, []);
    });
  }

  it('is not downloaded without permission', async () => {
    await assert.rejects(get({ isAllowed: () => false }), (error: unknown) => {
      assert.ok(error instanceof ProviderError);
      assert.deepEqual(error.consent, { kind: 'remoteCode', url, integrity });
      return true;
    });
    assert.deepEqual(fetched, []);
  });

  it('needs new permission for another hash', async () => {
    const isAllowed = (request: ConsentRequest): boolean =>
      request.kind === 'remoteCode' && request.integrity === integrity;
    await get({ isAllowed });
    await assert.rejects(get({ isAllowed, integrity: `sha256-${'A'.repeat(43)}=` }), /needs your permission/);
  });

  it('is rejected if it does not match the pinned hash, and is not stored', async () => {
    await assert.rejects(get({ answers: { [url]: new Response('evil') } }), /does not match the pinned hash.*sha384-/);
    assert.deepEqual(await readdir(folder), []);
  });

  it('is never downloaded over http', async () => {
    await assert.rejects(get({ url: 'http://127.0.0.1/p.js' }), /can be downloaded only over HTTPS/);
    assert.deepEqual(fetched, []);
  });

  it('may be redirected only to https', async () => {
    const to = (location: string): Response => new Response(null, { status: 302, headers: { location } });
    await get({ answers: { [url]: to('/other.js'), 'https://example.com/other.js': new Response(code) } });
    await rm(path.join(folder, 'kept'), { recursive: true });
    await assert.rejects(
      get({ answers: { [url]: to('http://example.com/other.js') } }),
      /can be downloaded only over HTTPS/,
    );
    assert.equal(fetched.includes('http://example.com/other.js'), false);
  });

  it('reports another answer of the server', async () => {
    await assert.rejects(get({ answers: { [url]: new Response('', { status: 404 }) } }), /HTTP 404/);
    await assert.rejects(get({ answers: {} }), /Could not connect to example\.com/);
  });

  describe('whose hash no settings pin', () => {
    const floating = 'https://openctx.org/npm/@openctx/provider-x';
    const final = 'https://cdn.example.com/npm/@openctx/provider-x/+esm';
    const hashOf = (text: string): string => `sha384-${createHash('sha384').update(text).digest('base64')}`;
    const site = (text: string): Record<string, Response> => ({
      [floating]: new Response(null, { status: 302, headers: { location: final } }),
      [final]: new Response(text, { headers: { 'content-type': 'application/javascript; charset=utf-8' } }),
    });
    const locate = (modules: RemoteModuleStore): ReturnType<RemoteModuleStore['locate']> =>
      modules.locate(floating, locateOptions(undefined));

    /** What the user is asked, if the code does not run. */
    async function question(options: Options): Promise<ConsentRequest | undefined> {
      const asked = await locate(modulesOf(options)).catch((error: unknown) => error);
      return asked instanceof ProviderError ? asked.consent : undefined;
    }

    it('is fetched, and asked for with its final address and its hash', async () => {
      assert.deepEqual(await question({ answers: site(code) }), {
        kind: 'remoteCode',
        url: floating,
        integrity: hashOf(code),
        from: final,
        previousIntegrity: undefined,
      });
      assert.deepEqual(fetched, [floating, final]);
    });

    /** The code is on this disk from now on. */
    async function allow(): Promise<void> {
      await locate(modulesOf({ answers: site(code), allowedCode: hashOf(code) }));
    }

    it('is then the code that was shown, whatever the address has by now', async () => {
      const allowed = new Map<string, string>();
      const answers = site(code);
      const modules = modulesOf({ answers, allowedCode: () => allowed.get(floating) });
      await assert.rejects(locate(modules), /needs your permission/);
      assert.deepEqual(await readdir(folder), [], 'what nobody has allowed is on no disk');
      Object.assign(answers, site('other'));
      await assert.rejects(locate(modules), /needs your permission/);
      assert.equal(fetched.length, 2, 'what waits for an answer is not fetched again');
      allowed.set(floating, hashOf(code));
      const { specifier, newVersion } = await locate(modules);
      assert.equal(await readFile(fileURLToPath(specifier), 'utf8'), code);
      assert.equal(newVersion?.previousIntegrity, hashOf(code));
      assert.equal(newVersion.integrity, hashOf('other'));
    });

    it('runs as it was allowed when its address does not answer, and is looked for once a day', async () => {
      await allow();
      const modules = modulesOf({ answers: {}, allowedCode: hashOf(code) });
      fetched = [];
      for (let times = 0; times < 3; times++) assert.equal((await locate(modules)).newVersion, undefined);
      assert.deepEqual(fetched, [floating]);
    });

    it('is looked for again on the next day, or when the clock was set back', async () => {
      await allow();
      const clock = new FakeClock();
      const modules = modulesOf({ answers: site(code), allowedCode: hashOf(code), clock });
      const looks: number[] = [];
      const look = async (): Promise<void> => {
        fetched = [];
        await locate(modules);
        looks.push(fetched.length);
      };
      await look();
      const oneLook = fetched.length;
      await look();
      clock.setForward(24 * 3_600_000);
      await look();
      clock.setBack(3_600_000);
      await look();
      await look();
      assert.deepEqual(looks, [oneLook, 0, oneLook, oneLook, 0]);
    });

    it('is shown as it is now when nobody has answered for long, or the user asks again', async () => {
      const clock = new FakeClock();
      const answers = site(code);
      const modules = modulesOf({ answers, clock });
      const asked = async (isRefresh: boolean): Promise<string | undefined> => {
        const error: unknown = await modules
          .locate(floating, locateOptions(undefined, isRefresh))
          .catch((thrown: unknown) => thrown);
        return error instanceof ProviderError && error.consent?.kind === 'remoteCode'
          ? error.consent.integrity
          : undefined;
      };
      assert.equal(await asked(false), hashOf(code));
      Object.assign(answers, site('second'));
      assert.equal(await asked(false), hashOf(code));
      assert.equal(await asked(true), hashOf('second'));
      Object.assign(answers, site('third'));
      clock.setForward(10 * 60_000);
      assert.equal(await asked(false), hashOf('third'));
    });

    it('leaves an address that failed alone: a minute, then two, four, until the user asks or it answers', async () => {
      const clock = new FakeClock();
      const answers: Record<string, Response> = {};
      const modules = modulesOf({ answers, clock });
      const looks = async (isRefresh = false, refusal = /^Could not connect to /): Promise<number> => {
        fetched = [];
        await assert.rejects(modules.locate(floating, locateOptions(undefined, isRefresh)), { message: refusal });
        return fetched.length;
      };
      const minute = 60_000;
      assert.deepEqual([await looks(), await looks()], [1, 0]);
      clock.advance(minute);
      assert.deepEqual([await looks(), await looks()], [1, 0]);
      clock.advance(minute);
      assert.equal(await looks(), 0);
      clock.advance(minute);
      assert.equal(await looks(), 1);
      assert.deepEqual([await looks(true), await looks()], [1, 0]);
      Object.assign(answers, site(code));
      assert.equal(await looks(true, / needs your permission to run\.$/), 2);
    });

    it('is looked for again after such a pause while the version that was allowed runs', async () => {
      await allow();
      const clock = new FakeClock();
      const answers: Record<string, Response> = {};
      const modules = modulesOf({ answers, allowedCode: hashOf(code), clock });
      fetched = [];
      assert.equal((await locate(modules)).newVersion, undefined);
      Object.assign(answers, site('other'));
      assert.equal((await locate(modules)).newVersion, undefined);
      assert.deepEqual(fetched, [floating]);
      clock.advance(60_000);
      assert.equal((await locate(modules)).newVersion?.integrity, hashOf('other'));
    });

    it('continues offering its new version until that is allowed', async () => {
      await allow();
      const modules = modulesOf({ answers: site('other'), allowedCode: hashOf(code) });
      await locate(modules);
      assert.equal((await locate(modules)).newVersion?.integrity, hashOf('other'));
    });

    it('is requested again when what was kept is gone and there is other code', async () => {
      const asked = await question({ answers: site('other'), allowedCode: hashOf(code) });
      assert.ok(asked?.kind === 'remoteCode');
      assert.deepEqual([asked.previousIntegrity, asked.integrity], [hashOf(code), hashOf('other')]);
    });

    it('is no web page, and does not come over http', async () => {
      const page = new Response('<p>', { headers: { 'content-type': 'text/html' } });
      await assert.rejects(locate(modulesOf({ answers: { [floating]: page } })), /web page instead of code/);
      const http = new Response(null, { status: 302, headers: { location: 'http://example.com/x' } });
      await assert.rejects(locate(modulesOf({ answers: { [floating]: http } })), /can be downloaded only over HTTPS/);
      assert.equal(fetched.includes('http://example.com/x'), false);
    });
  });
});
