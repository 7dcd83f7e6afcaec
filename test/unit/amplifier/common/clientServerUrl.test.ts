import assert from 'node:assert/strict';
import { ApiKeyStore } from '../../../../src/amplifier/common/server/apiKeyStore';
import { configuredServerUrl } from '../../../../src/amplifier/common/server/serverUrl';
import { isLoopback } from '../../../../src/base/common/addresses/loopback';
import { toRfc3339 } from '../../../../src/amplifier/common/api/wireTime';

describe('the address of an Amplifier server', () => {
  const unset = 'nobody set it';
  for (const [host, port, expected, local] of [
    ['127.0.0.1', unset, 'http://127.0.0.1:8765/', true],
    ['127.0.0.1', 7443, 'http://127.0.0.1:7443/', true],
    ['127.0.0.1', 80, 'http://127.0.0.1/', true],
    [' localhost ', unset, 'http://localhost:8765/', true],
    ['::1', unset, 'http://[::1]:8765/', true],
    ['[::1]', 7443, 'http://[::1]:7443/', true],
    ['amp.example', unset, 'http://amp.example:8765/', false],
    ['127.0.0.1.evil.example', unset, 'http://127.0.0.1.evil.example:8765/', false],
    ['https://127.0.0.1', 7443, 'https://127.0.0.1:7443/', true],
    ['HTTPS://127.0.0.1', 7443, 'https://127.0.0.1:7443/', true],
    ['http://127.0.0.1', 7443, 'http://127.0.0.1:7443/', true],
    ['https://[::1]/', 7443, 'https://[::1]:7443/', true],
    ['https://amp.example/base?a#b', 7443, 'https://amp.example:7443/base', false],
    ['https://amp.example', 8765, 'https://amp.example:8765/', false],
    ['https://amp.example', 443, 'https://amp.example/', false],
    ['https://amp.example', 80, 'https://amp.example:80/', false],
    ['https://amp.example/base', unset, 'https://amp.example/base', false],
    ['http://localhost.evil.example', unset, 'http://localhost.evil.example/', false],
    ['https://amp.example:9000', unset, 'https://amp.example:9000/', false],
    ['https://amp.example:9000', 7443, 'https://amp.example:9000/', false],
    ['https://amp.example:443', 7443, 'https://amp.example/', false],
    ['http://amp.example:80/base', 7443, 'http://amp.example/base', false],
    ['http://amp.example:443', 7443, 'http://amp.example:443/', false],
    ['https://amp.example/a:80', 7443, 'https://amp.example:7443/a:80', false],
    ['https://[::1]:443', 7443, 'https://[::1]/', true],
  ] as const) {
    it(`of ${host} with ${port === unset ? 'no port set' : `port ${port}`} is ${expected}, ${local ? 'this machine' : 'elsewhere'}`, () => {
      const isDefaultPort = port === unset;
      const url = configuredServerUrl({ host, port: isDefaultPort ? 8765 : port, isDefaultPort });
      assert.equal(url.href, expected);
      assert.equal(isLoopback(url), local);
    });
  }

  for (const host of ['ftp://x', 'http://user:pw@x', 'a b', '', '127.0.0.1:8765', 'https://x:70000']) {
    it(`is refused as ${JSON.stringify(host)}`, () =>
      assert.throws(() => configuredServerUrl({ host, port: 1 }), /amplifier\.server\.host/));
  }
});

describe('the API key', () => {
  let secrets: Map<string, string>;
  let state: Map<string, unknown>;
  let asked: string[];
  let answer: boolean;
  let credentials: ApiKeyStore;

  beforeEach(() => {
    secrets = new Map();
    state = new Map();
    asked = [];
    answer = true;
    credentials = new ApiKeyStore({
      secrets: {
        get: (name) => Promise.resolve(secrets.get(name)),
        store: (name, value) => Promise.resolve(void secrets.set(name, value)),
        delete: (name) => Promise.resolve(void secrets.delete(name)),
      },
      state: { get: (name) => state.get(name), update: (name, value) => Promise.resolve(void state.set(name, value)) },
      confirm: (origin) => {
        asked.push(origin);
        return Promise.resolve(answer);
      },
    });
  });

  it('goes to a server that the user confirms, asked once, although that cannot be kept', async () => {
    credentials = new ApiKeyStore({
      secrets: { get: () => Promise.resolve('key'), store: () => Promise.resolve(), delete: () => Promise.resolve() },
      state: { get: () => undefined, update: () => Promise.reject(new Error('EROFS: read-only file system')) },
      confirm: (origin) => {
        asked.push(origin);
        return Promise.resolve(true);
      },
    });
    for (const path of ['/', '/again']) {
      const server = new URL(path, 'https://amp.example');
      assert.deepEqual(await credentials.credentialsFor(server), { anthropic_api_key: 'key' });
    }
    assert.deepEqual(asked, ['https://amp.example']);
    await assert.rejects(credentials.forgetConfirmations());
    await credentials.credentialsFor(new URL('https://amp.example'));
    assert.equal(asked.length, 2);
  });

  it('goes to this machine without a question', async () => {
    await credentials.setKey(' key ');
    assert.deepEqual(await credentials.credentialsFor(new URL('http://127.0.0.1:8765')), { anthropic_api_key: 'key' });
    assert.deepEqual(asked, []);
  });

  it('is withheld with a reason if the connection is not encrypted', async () => {
    const plain = new URL('http://amp.example');
    assert.equal(await credentials.explainWhyKeyIsNotSent(plain), undefined);
    await credentials.setKey('key');
    assert.equal(await credentials.credentialsFor(plain), undefined);
    assert.match((await credentials.explainWhyKeyIsNotSent(plain)) ?? '', /not sent to http:\/\/amp\.example.*https/u);
    assert.equal(await credentials.explainWhyKeyIsNotSent(new URL('https://amp.example')), undefined);
    assert.equal(await credentials.explainWhyKeyIsNotSent(new URL('http://localhost:8765')), undefined);
  });

  it('is sent to an https server after one confirmation', async () => {
    await credentials.setKey('key');
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await credentials.credentialsFor(new URL('https://amp.example/x')), {
        anthropic_api_key: 'key',
      });
    }
    assert.deepEqual(asked, ['https://amp.example']);
    await credentials.credentialsFor(new URL('https://other.example'));
    assert.equal(asked.length, 2);
    assert.doesNotMatch(JSON.stringify([...state]), /"key"/);
  });

  it('is sent nowhere else', async () => {
    await credentials.setKey('key');
    answer = false;
    assert.equal(await credentials.credentialsFor(new URL('https://amp.example')), undefined);
    answer = true;
    assert.equal(await credentials.credentialsFor(new URL('http://amp.example')), undefined);
    assert.deepEqual(asked, ['https://amp.example']);
  });

  it('is removed by an empty value', async () => {
    await credentials.setKey('key');
    await credentials.setKey('  ');
    assert.equal(secrets.size, 0);
    assert.equal(await credentials.credentialsFor(new URL('http://localhost')), undefined);
  });
});

describe('times on the wire', () => {
  it('keep their zone, and are local without one', () => {
    assert.equal(toRfc3339('2025-12-09T10:30:00Z'), '2025-12-09T10:30:00.000Z');
    assert.equal(toRfc3339('2025-12-09T10:30:00.123456'), new Date(2025, 11, 9, 10, 30, 0, 123).toISOString());
    assert.equal(toRfc3339('yesterday'), undefined);
    assert.equal(toRfc3339(undefined), undefined);
  });
});
