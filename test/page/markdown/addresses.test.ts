import assert from 'node:assert/strict';
import { sharedMarkdown } from './support/openMarkdown';

describe('addresses in the running text of markdown', () => {
  const opened = sharedMarkdown();

  /** What is shown of the text and what it leads to, for each link. */
  async function links(text: string): Promise<(readonly [string, string | null])[]> {
    await opened.page.evaluate((source) => window.markdownPage.render(source), text);
    return opened.page
      .locator('.markdown a')
      .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('data-target')] as const));
  }

  for (const [text, ...expected] of [
    ['See https://example.com.', 'https://example.com'],
    ['See https://example.com/a, then', 'https://example.com/a'],
    ['Is it https://example.com/a?b=c?', 'https://example.com/a?b=c'],
    ['Read https://example.com/a: it says', 'https://example.com/a'],
    ['(https://example.com/a)', 'https://example.com/a'],
    ['(see https://example.com/a_(b), or c)', 'https://example.com/a_(b)'],
    ['https://example.com/a[b]{c}/((d)e)', 'https://example.com/a[b]{c}/((d)e)'],
    ['https://example.com/(a', 'https://example.com/'],
    ['https://example.com?a#b', 'https://example.com?a#b'],
    ['https://example.com/__init__.py/*a*b', 'https://example.com/__init__.py/*a*b'],
    ['**https://example.com/a**', 'https://example.com/a'],
    ['https://example.com/a...b', 'https://example.com/a...b'],
    ['https://example.com/a...', 'https://example.com/a'],
    [`'https://example.com/a','b'`, 'https://example.com/a'],
    ['{"a":"https://example.com/a","b":"c"}', 'https://example.com/a'],
    ['<p>https://example.com/a</p>', 'https://example.com/a'],
    ['a=https://example.com/a', 'https://example.com/a'],
    ['-https://example.com/a', 'https://example.com/a'],
    ['https://a.example,https://b.example', 'https://a.example', 'https://b.example'],
    ['HTTP://EXAMPLE.com/A', 'HTTP://EXAMPLE.com/A'],
    ['http://localhost:3000/a', 'http://localhost:3000/a'],
    ['http://my-service:80', 'http://my-service:80'],
    ['http://my_service:80/a', 'http://my_service:80/a'],
    ['http://127.0.0.1:8765', 'http://127.0.0.1:8765'],
    ['http://[::1]:3000/a', 'http://[::1]:3000/a'],
    ['https://münchen.example/ä', 'https://münchen.example/ä'],
    ['见https://example.com/文档。然后', 'https://example.com/文档'],
    ['见 https://example.com/文档。然后', 'https://example.com/文档'],
    ['at file:///work/a.ts:12.', 'file:///work/a.ts'],
    ['(file:///work/a.ts)', 'file:///work/a.ts'],
  ] as const)
    it(`finds what leads somewhere in ${text}`, async () =>
      assert.deepEqual(
        (await links(text)).map(([, target]) => target),
        expected,
      ));

  for (const text of [
    'https://',
    'https://…',
    'https://.../a',
    'https://<host>/a',
    'https://example.com:99999/',
    'xhttps://example.com',
    'ftp://example.com',
    '//example.com',
    'www.example.com',
    'mailto:a@example.com',
    'file://evil.example/a.ts',
    '`https://example.com`',
  ])
    it(`makes no link of ${text}`, async () => assert.deepEqual(await links(text), []));

  for (const [written, shown] of [
    ['https://example.com/K%C3%B6ln%20a', 'https://example.com/Köln a'],
    ['<https://example.com/%E6%96%87>', 'https://example.com/文'],
    ['https://example.com/a%2Fb%3Fc%23d%25e', 'https://example.com/a%2Fb%3Fc%23d%25e'],
    ['https://example.com/%ff', 'https://example.com/%ff'],
    ['https://xn--mnchen-3ya.example/', 'https://xn--mnchen-3ya.example/'],
  ] as const)
    it(`shows ${written} as ${shown}`, async () => {
      const target = written.replace(/[<>]/g, '');
      assert.deepEqual(await links(written), [[shown, target]]);
    });
});
