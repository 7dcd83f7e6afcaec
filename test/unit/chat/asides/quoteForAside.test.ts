import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hunksBetween } from '../../../../src/changes/common/review/hunks';
import { quoteChangeForAside, quoteForAside } from '../../../../src/chat/common/asides/quoteForAside';

describe('The quote of a side question', () => {
  const quotesOf = (baseline: string, text: string): string[] =>
    hunksBetween(baseline, text).map((hunk) =>
      quoteChangeForAside({ path: 'src/a.ts', hunk, seen: { baseline, text } }),
    );

  it('is empty for a blank text', () => {
    assert.equal(quoteForAside(' \n '), '');
  });

  it('names the lines of a change, and has both texts', () => {
    assert.deepEqual(quotesOf('a\nb\nc\nd\ne\n', 'A\nc\nd1\nd2\ne\n'), [
      '> Change in src/a.ts: lines 1–2 became line 1.\n> ```diff\n> -a\n> -b\n> +A\n> ```\n\n',
      '> Change in src/a.ts: line 4 became lines 3–4.\n> ```diff\n> -d\n> +d1\n> +d2\n> ```\n\n',
    ]);
  });

  it('says which lines are new or gone', () => {
    assert.deepEqual(quotesOf('a\n', 'a\nb\nc\n'), [
      '> Change in src/a.ts: lines 2–3 are new.\n> ```diff\n> +b\n> +c\n> ```\n\n',
    ]);
    assert.deepEqual(quotesOf('a\r\nb\r\n', 'a\r\n'), [
      '> Change in src/a.ts: line 2 is gone.\n> ```diff\n> -b\n> ```\n\n',
    ]);
  });

  it('is one block, which ends where the quote ends, whatever the texts are', () => {
    const line = fc.oneof(fc.constantFrom('```', '~~~', '> x', '', '- [ ] y', '<!--'), fc.string());
    const lines = fc.array(line, { maxLength: 8 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(lines, lines, (baseline, text) => {
        for (const quote of quotesOf(baseline, text)) {
          const [, fence, ...body] = quote.trimEnd().split('\n');
          assert.equal(fence, '> ```diff');
          assert.equal(body.at(-1), '> ```');
          for (const one of body.slice(0, -1)) assert.match(one, /^> [-+]/);
        }
      }),
    );
  });

  it('keeps both texts of a long change', () => {
    const [quote = ''] = quotesOf('a'.repeat(9000), 'b'.repeat(9000));
    assert.ok(quote.length < 8000);
    assert.match(quote, /> -a{3500}…\n> \+b{3500}…\n> ```\n\n$/);
  });
});
