import assert from 'node:assert/strict';
import { parseServeOptions, serveUsage } from '../../../../../src/acp/node/serve/serveOptions';

const token = 'a-token-of-24-characters';
const tls = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];

describe('the options of the program that offers an agent', () => {
  it('listen only on this machine by default, with a random token', () => {
    assert.deepEqual(parseServeOptions([]), {
      agent: undefined,
      cwd: '.',
      host: '127.0.0.1',
      port: 8766,
      token: 'generate',
      allowedHosts: ['127.0.0.1'],
      tls: undefined,
      isVerbose: false,
    });
    assert.deepEqual(parseServeOptions(['--acp']), parseServeOptions([]));
  });

  it('are all read', () => {
    const argv = [
      '--agent',
      'opencode acp',
      '--cwd',
      '/srv',
      '--port',
      '0',
      '--host',
      '192.0.2.7',
      '--allow-host',
      'big',
    ];
    assert.deepEqual(parseServeOptions([...argv, '--token', token, ...tls, '--verbose']), {
      agent: 'opencode acp',
      cwd: '/srv',
      host: '192.0.2.7',
      port: 0,
      token: { given: token },
      allowedHosts: ['192.0.2.7', 'big'],
      tls: { cert: 'cert.pem', key: 'key.pem' },
      isVerbose: true,
    });
    assert.equal(parseServeOptions(['--help']), 'help');
    assert.doesNotThrow(() => parseServeOptions(['--allow-host', '[fe80::1]', '--allow-host', 'big-1.example.com']));
  });

  it('refuse an address that others reach without TLS or without a token, unless told', () => {
    const others = ['--host', '192.0.2.7'];
    assert.throws(() => parseServeOptions(others), /others could read .* add --insecure/);
    assert.throws(() => parseServeOptions([...others, ...tls, '--no-token']), /--no-token lets other machines/);
    assert.doesNotThrow(() => parseServeOptions([...others, ...tls]));
    assert.doesNotThrow(() => parseServeOptions([...others, '--insecure', '--no-token']));
    assert.throws(() => parseServeOptions(['--host', '0.0.0.0', ...tls]), /also needs --allow-host/);
    assert.doesNotThrow(() => parseServeOptions(['--host', '0.0.0.0', '--allow-host', 'big', ...tls]));
  });

  it('refuse what is wrong, in words', () => {
    for (const [argv, words] of [
      [['--port', '70000'], /not a valid port/],
      [['--agent', ' '], /--agent is empty/],
      [['--token', 'short'], /fewer than 16 characters/],
      [['--token', 'with a blank in it, and long'], /one word/],
      [['--token', token, '--no-token'], /only one of/],
      [['--token', token, '--token-file', 'f'], /only one of/],
      [['--tls-cert', 'cert.pem'], /together/],
      [['--allow-host', 'big.example:8766'], /--allow-host big\.example:8766 .* without a port/],
      [['--allow-host', 'https://big.example'], /without a port/],
      [['--allow-host', 'fe80::1'], /in brackets/],
      [['--unknown'], /unknown/i],
    ] as const) {
      assert.throws(
        () => parseServeOptions(argv),
        (error) => error instanceof RangeError && words.test(error.message),
      );
    }
  });

  it('are all in the help', () => {
    for (const option of [
      'agent',
      'cwd',
      'port',
      'host',
      'allow-host',
      'token',
      'token-file',
      'no-token',
      'tls-cert',
      'tls-key',
      'insecure',
      'verbose',
      'help',
    ])
      assert.ok(serveUsage.includes(`--${option} `) || serveUsage.includes(`--${option}  `), option);
  });
});
