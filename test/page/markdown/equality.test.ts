import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { sharedMarkdown } from './support/openMarkdown';
import { sample } from './support/sample';

/** Shapes whose meaning is decided late, or differs from what their start looks like. */
const pieces = [
  'A paragraph with **bold**, *italic*, `code` and ~~more~~.',
  'Two lines\nof one paragraph  \nwith a break.',
  'Setext\n======',
  'Setext two\n---',
  '# Heading #',
  '- one\n- two\n  - nested\n\n  loose\n- three',
  '1. one\n2. two\n10) other list',
  '- [ ] open\n- [x] done',
  '```ts\nconst a = 1;\n\nconst b = `x`;\n```',
  '~~~~\n```\nnested\n```\n~~~~',
  '````md\n```ts\ninner\n```\n````',
  '```unterminated\ncode',
  '    indented code\n\n    goes on',
  '> quote\nlazy\n> > deeper',
  '| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |',
  '| not | a table |\nbecause of this',
  '***',
  '[ref]',
  '[ref][late] and ![image][late]',
  '[late]: https://example.com/late "title"',
  '[ref]: src/a.ts:12',
  'https://example.com/a_b_c?d=(e) and src/a.ts:12',
  '[unfinished](http://exa',
  '**unfinished *emphasis',
  'a \\* b \\',
  '&amp; &#x41; &nope;',
  '<div onclick="x">html</div>',
  '- ```js\n  let x;\n  ```\n- after',
  '1986\\. A great year',
  'e\u0301 😀 \u202eabc\u202c 👩‍👩‍👧',
  'line\r\nwith carriage\rreturns',
  '\t- tab\n\t\t- more',
  '-',
  '1.',
  '``a`b``',
];

const markdown = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom('\n\n', '\n', '\n\n\n', '')), { maxLength: 8 })
  .map((parts) => parts.map(([piece, gap]) => piece + gap).join(''));
const deltas = fc.constantFrom(1, 2, 3, 5, 16, 64);

describe('streamed markdown', () => {
  const opened = sharedMarkdown();

  const bothWays = (text: string, units: number): Promise<{ whole: string; streamed: string }> =>
    opened.page.evaluate(
      ([source, size]) => ({
        whole: window.markdownPage.render(source),
        streamed: window.markdownPage.streamed(source, size),
      }),
      [text, units] as const,
    );

  for (const units of [1, 4, 100])
    it(`ends as the whole text, in deltas of ${units}`, async () => {
      const { whole, streamed } = await bothWays(sample, units);
      assert.equal(streamed, whole);
    });

  it('ends as the whole text, whatever the text and the deltas', async function () {
    this.timeout(180_000);
    await fc.assert(
      fc.asyncProperty(markdown, deltas, async (text, units) => {
        const { whole, streamed } = await bothWays(text, units);
        assert.equal(streamed, whole);
      }),
      { numRuns: 300 },
    );
  });

  it('ends as the whole text for any characters', async function () {
    this.timeout(180_000);
    const noise = fc
      .array(fc.constantFrom(...Array.from('ab \n\n*_`~[]()|-#>1.!\\:"\t\r'), '```', '**', '\ud83d', '\u200f'), {
        maxLength: 60,
      })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(noise, deltas, async (text, units) => {
        const { whole, streamed } = await bothWays(text, units);
        assert.equal(streamed, whole);
      }),
      { numRuns: 300 },
    );
  });

  it('continues after an end, and takes another text', async () => {
    const result = await opened.page.evaluate(() => {
      const { markdownPage } = window;
      markdownPage.begin();
      markdownPage.append('# One\n\ntw');
      markdownPage.finish();
      markdownPage.append('o\n\n- three');
      const goneOn = markdownPage.finish();
      markdownPage.set('# Other');
      const other = markdownPage.finish();
      return { goneOn, other, expected: markdownPage.render('# One\n\ntwo\n\n- three') };
    });
    assert.equal(result.goneOn, result.expected);
    assert.equal(result.other, '<h3 dir="auto">Other</h3>');
  });
});
