import assert from 'node:assert/strict';
import { npmRegistryOf, parseNpmrc } from '../../../../../src/agents/common/install/npmConfig';
import { toNpmFailure } from '../../../../../src/agents/common/install/npmFailure';

describe('the configuration of npm', () => {
  const registry = (text: string, env: Record<string, string> = {}): unknown =>
    npmRegistryOf(parseNpmrc(text, env), env);

  it('names the registry, and the public one if it does not', () => {
    assert.deepEqual(registry(''), { url: 'https://registry.npmjs.org/' });
    assert.deepEqual(registry('; a comment\nregistry = https://e.com/npm\n'), { url: 'https://e.com/npm/' });
    assert.deepEqual(registry('registry="https://e.com/"', { npm_config_registry: 'https://f.com' }), {
      ...{ url: 'https://f.com/' },
    });
    assert.deepEqual(registry('registry=nonsense'), { url: 'https://registry.npmjs.org/' });
  });

  it('has a token for its registry and for no other', () => {
    const own = 'registry=https://e.com/npm/private/\n//e.com/npm/:_authToken=${TOKEN}\n//f.com/:_authToken=other';
    assert.deepEqual(registry(own, { TOKEN: 'abc' }), {
      ...{ url: 'https://e.com/npm/private/', authorization: 'Bearer abc' },
    });
    assert.deepEqual(registry('//f.com/:_authToken=other'), { url: 'https://registry.npmjs.org/' });
    assert.deepEqual(registry('//registry.npmjs.org/:username=a\n//registry.npmjs.org/:_password=Yg=='), {
      ...{ url: 'https://registry.npmjs.org/', authorization: `Basic ${btoa('a:b')}` },
    });
    assert.deepEqual(registry('//registry.npmjs.org/:_auth=YTpi'), {
      ...{ url: 'https://registry.npmjs.org/', authorization: 'Basic YTpi' },
    });
  });
});

describe('a failure of npm', () => {
  const failure = (code: string, summary = 'GET https://r.example/a'): string => {
    const { code: found, message } = toNpmFailure(JSON.stringify({ error: { code, summary } }), '', 'a@1.0.0');
    return `${found}: ${message}`;
  };

  it('is said in a sentence with the host that it is about', () => {
    assert.equal(failure('E404'), 'notFound: r.example does not have a@1.0.0.');
    assert.equal(failure('ETARGET', ''), 'notFound: the npm registry does not have a@1.0.0.');
    assert.equal(failure('ENOTFOUND'), 'offline: r.example could not be reached.');
    assert.equal(failure('ECONNRESET'), 'connectionLost: The connection to r.example was lost.');
    assert.equal(failure('EIDLETIMEOUT'), 'stalled: r.example stopped sending.');
    assert.equal(failure('ENOSPC'), 'diskFull: The disk is full.');
    assert.equal(failure('EACCES'), 'permissionDenied: Backline can’t write to its own folder.');
    assert.equal(failure('E407'), 'proxyNeedsSignIn: The proxy requires you to sign in.');
    assert.equal(
      failure('ECONNREFUSED', 'tunneling socket: 407'),
      'proxyNeedsSignIn: The proxy requires you to sign in.',
    );
    assert.equal(failure('E503'), 'serverError: r.example answered with an error (503).');
    assert.equal(failure('EBADPLATFORM'), 'notSupportedHere: a@1.0.0 does not run on this system.');
    assert.match(
      failure('EINTEGRITY'),
      /^integrity: The package a@1.0.0 from r.example differs from the published one/,
    );
    assert.match(failure('SELF_SIGNED_CERT_IN_CHAIN'), /^certificate: Nothing was downloaded from r.example/);
  });

  it('is read from the last object, or from the texts of older ones', () => {
    const noise = `npm notice\n${JSON.stringify({ error: { code: 'E404', summary: '' } })}`;
    assert.equal(toNpmFailure(noise, '', 'a').code, 'notFound');
    assert.equal(toNpmFailure('', 'npm ERR! code ENOSPC\nnpm ERR! nospc', 'a').code, 'diskFull');
    assert.equal(toNpmFailure('', '', 'a').message, 'npm could not install a.');
  });

  it('shows no password and no token', () => {
    const text = 'https://me:secret@e.com/a //e.com/:_authToken=secret _auth: secret npm_secretsecretsecretsecret';
    assert.doesNotMatch(failure('EODD', text), /secret/);
  });
});
