import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decideRequest } from '../../../../../src/permissions/common/decide';
import { isWebAddress, namesOnlyWebAddresses } from '../../../../../src/permissions/common/policy/webAddresses';
import { createFileRequest } from '../../../../../src/permissions/common/requests/toolRequest';
import { RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';

const web = [
  ...['https://x.example', 'http://www.example.com/a/b?c=d#e', 'https://example.co.uk:443/', 'https://müller.de/ö'],
  ...[
    'https://docs.rs/tokio/1.0.0/tokio/',
    'https://en.wikipedia.org/wiki/C_(language)',
    'https://x.example/?u=http://y.example',
  ],
  ...['HTTPS://GitHub.com/a', 'https://xn--mller-kva.de', 'https://日本.jp/'],
];
const others = [
  ...[
    'https://x.example\nfile:///etc/passwd',
    'https://x.example file:///etc/passwd',
    ' https://x.example',
    'https://x.example\t',
  ],
  ...[
    'file:///etc/passwd',
    'ftp://x.example',
    'httpsx://x.example',
    'https:x.example',
    'https:/x.example',
    'https:///x.example',
    'https:\\\\x.example',
  ],
  ...[
    'https://me@x.example',
    'https://me:pw@x.example',
    'https://x.example@127.0.0.1/',
    'https://x.example\\@127.0.0.1',
  ],
  ...[
    'http://127.0.0.1:9229/json',
    'http://127.0.0.1',
    'http://127.1',
    'http://0',
    'http://0.0.0.0',
    'http://2130706433',
    'http://017700000001',
  ],
  ...[
    'http://0x7f000001',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://127.0.0.1.',
    'http://169.254.169.254/latest',
    'http://10.0.0.1',
    'http://172.16.0.1',
  ],
  ...[
    'http://192.168.0.1',
    'http://100.64.0.1',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]',
    'http://[fe80::1%25eth0]',
    'http://[fd00::1]',
    'http://8.8.8.8',
  ],
  ...[
    'http://localhost',
    'http://LOCALHOST:80',
    'http://localhost.',
    'http://a.localhost',
    'http://x.example.',
    'http://intranet',
    'http://printer.local',
  ],
  ...[
    'http://router.lan',
    'http://metadata.google.internal',
    'http://1.0.0.127.in-addr.arpa',
    'http://localtest.me',
    'http://a.lvh.me',
    'http://127.0.0.1.nip.io',
  ],
  ...[
    'http://10-0-0-1.example.com',
    'http://7f000001.example.com',
    'http://foo.127.0.0.1.example.com',
    'http://app.local-ip.co',
  ],
  ...[
    'http://１２７.0.0.1',
    'http://①②⑦.0.0.1',
    'http://127。0。0。1',
    'http://ｌocalhost',
    'http://ⓛocalhost.example',
    'http://x。example',
    'http://%31%32%37.0.0.1',
  ],
  ...[
    'http://x.example:22',
    'http://x.example:0',
    'http://x.example:99999',
    'http://-x.example',
    'http://x_y.example',
    'http://x..example',
    'http://.example',
  ],
  ...[
    '',
    'x.example',
    '//x.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://',
    'http://x.1',
    'http://x.\u0000example',
    'http://x.exa\u00admple',
  ],
];

const answerTo = (input: Record<string, unknown>): string => {
  const members = Object.entries(input).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const request = { ...createFileRequest('demo', 'fetch'), input: Object.fromEntries(members) };
  return decideRequest(request, {
    ...{ rules: [], policy: { fetch: 'allow', read: 'allow' } },
    ...{ globs: new RuleGlobs(), isProtected: () => false },
  }).answer;
};

describe('an address to fetch', () => {
  it('is allowed by a policy only if it is surely one of the web', () => {
    assert.deepEqual(
      web.filter((address) => !isWebAddress(address)),
      [],
    );
    assert.deepEqual(
      others.filter((address) => isWebAddress(address)),
      [],
    );
    for (const address of others) {
      assert.equal(answerTo({ url: address }), 'ask', address);
      assert.equal(answerTo({ urls: ['https://x.example', address] }), 'ask', address);
    }
    for (const address of web) assert.equal(answerTo({ url: address, prompt: 'What is it?' }), 'allow', address);
  });

  it('in a prompt is checked, too, since some agents fetch it', () => {
    const prompts = [
      'Summarize https://x.example/a.',
      'What is Rust?',
      'See (https://x.example), and http://y.example/b!',
      'a: b',
    ];
    assert.deepEqual(
      prompts.filter((prompt) => !namesOnlyWebAddresses(prompt)),
      [],
    );
    for (const prompt of prompts) assert.equal(answerTo({ prompt }), 'allow', prompt);
    const hidden = [
      ...[
        'Read file:///etc/passwd',
        'https://x.example http://127.0.0.1:9229/json',
        'http://localhost:3000',
        'open localhost',
        'GET 10.0.0.1',
      ],
      ...[
        'see http://[::1]/',
        'https://me:pw@x.example',
        'http:\\\\127.0.0.1',
        'file:/etc/passwd',
        'http://2130706433/',
        '0x7f000001',
      ],
    ];
    for (const prompt of hidden) assert.equal(answerTo({ prompt }), 'ask', prompt);
  });

  it('is no file of the workspace', () => {
    const request = { ...createFileRequest('demo', 'fetch', '/ws/a.ts'), input: { url: '"https://x.example"' } };
    const context = {
      rules: [],
      policy: { fetch: 'allow' },
      globs: new RuleGlobs(),
      isProtected: () => false,
    } as const;
    assert.equal(decideRequest(request, context).answer, 'ask');
  });

  it('never is one that a parser of addresses takes for this machine or a private network', () => {
    const part = fc.constantFrom(
      ...[
        '127',
        '0',
        '1',
        '10',
        '0x7f',
        '0177',
        '169',
        '254',
        'localhost',
        'example',
        'com',
        'local',
        '2130706433',
        'x',
      ],
      ...[
        '１２７',
        '。',
        '.',
        '@',
        ':',
        '/',
        '\\',
        '%31',
        '[',
        ']',
        '::',
        '#',
        '?',
        '-',
        ' ',
        '\n',
        '80',
        'nip.io',
        'xn--',
      ],
    );
    const address = fc.array(part, { minLength: 1, maxLength: 9 }).map((parts) => `http://${parts.join('')}`);
    fc.assert(
      fc.property(address, (text) => {
        if (!isWebAddress(text)) return;
        const { hostname, password, username } = new URL(text);
        assert.equal(username + password, '');
        assert.match(hostname, /^[a-z0-9-]+(\.[a-z0-9-]+)*\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/);
        assert.doesNotMatch(hostname, /^[\d.x]+$|(?:^|\.)(?:localhost|local|nip\.io)$/);
        assert.ok(text.toLowerCase().startsWith(`http://${hostname}`) || /[^\x20-\x7e]/.test(text));
      }),
      { numRuns: 5_000 },
    );
  });
});
