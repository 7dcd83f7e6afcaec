import assert from 'node:assert/strict';
import { sharedMarkdown } from './support/openMarkdown';

describe('highlighting of style sheets', () => {
  const opened = sharedMarkdown();

  /** The parts of the code that have a colour, by what they are: each as `kind text`. */
  async function coloured(code: string, language: string): Promise<string[]> {
    await opened.page.evaluate((text) => window.markdownPage.render(text), `\`\`\`${language}\n${code}\n\`\`\`\n`);
    return opened.page
      .locator('.md-code code span[class^="hljs-"]')
      .evaluateAll((all) =>
        all.map((part) => `${part.getAttribute('class')?.replace('hljs-', '')} ${part.textContent}`),
      );
  }

  for (const [title, language, code, ...expected] of [
    ['a rule', 'css', 'ul.a { color: red; }', 'selector-tag ul', 'selector-class .a', 'attribute color'],
    ['a property nobody knows', 'css', 'a { new-thing: 1px; }', 'selector-tag a', 'attribute new-thing', 'number 1px'],
    ['a rule without spaces', 'css', 'b{c:#fff;d:e}', 'selector-tag b', 'attribute c', 'number #fff', 'attribute d'],
    ['a last property', 'css', 'b {\n  c:1px\n}', 'selector-tag b', 'attribute c', 'number 1px'],
    [
      'selectors in several lines',
      'css',
      'a:hover,\nmy-list #fff::before {\n}',
      'selector-tag a',
      'selector-pseudo :hover',
      'selector-tag my-list',
      'selector-id #fff',
      'selector-pseudo ::before',
    ],
    [
      'a value in several lines',
      'css',
      `a { font: "b; c",\n  d(-.5e2em, --e) !important; }`,
      'selector-tag a',
      'attribute font',
      'string "b; c"',
      'built_in d',
      'number -.5e2em',
      'variable --e',
      'meta !important',
    ],
    [
      'an address',
      'css',
      'a { b: url(https://example.com/a;b) c }',
      'selector-tag a',
      'attribute b',
      'built_in url',
      'string https://example.com/a;b',
    ],
    [
      'rules for media',
      'css',
      '@media print and (min-width: 3px) { a { } }',
      'keyword @media',
      'keyword and',
      'attribute min-width',
      'number 3px',
      'selector-tag a',
    ],
    ['a comment in several lines', 'css', '/* a: b;\nc */ d { }', 'comment /* a: b;\nc */', 'selector-tag d'],
    [
      'what Sass adds',
      'scss',
      `$a: 1px; // it's\n.b { &:hover { c: $a; } }`,
      'attribute $a',
      'number 1px',
      `comment // it's`,
      'selector-class .b',
      'selector-pseudo :hover',
      'attribute c',
      'variable $a',
    ],
    [
      'the style of a page',
      'html',
      '<style>a { b: 1 }</style>',
      'tag <style>',
      'name style',
      'selector-tag a',
      'attribute b',
      'number 1',
      'tag </style>',
      'name style',
    ],
  ] as const)
    it(`knows ${title}`, async () => assert.deepEqual(await coloured(code, language), expected));
});
