import assert from 'node:assert/strict';
import { sharedMarkdown } from './support/openMarkdown';

const text = [
  'The greeting is this:',
  '',
  'שלום לכולם, world',
  '',
  '# مرحبا',
  '',
  '- one in English',
  '- שתיים בעברית',
  '',
  '  a paragraph below it',
  '',
  '| English | עברית |',
  '|---|---|',
  '| value | ערך |',
].join('\n');

describe('the direction of a text', () => {
  const opened = sharedMarkdown();

  it('is that of each paragraph, heading, list item and cell, whatever stands before it', async () => {
    await opened.page.evaluate((markdown) => window.markdownPage.render(markdown), text);
    const directions = await opened.page.evaluate(() =>
      [...document.querySelectorAll('.markdown :is(p, h3, li, th, td)')].map((block) =>
        [block.tagName.toLowerCase(), getComputedStyle(block).direction].join(' '),
      ),
    );
    assert.deepEqual(directions, [
      ...['p ltr', 'p rtl', 'h3 rtl'],
      ...['li ltr', 'p ltr', 'li rtl', 'p rtl', 'p ltr'],
      ...['th ltr', 'th rtl', 'td ltr', 'td rtl'],
    ]);
  });

  it('leaves room for the mark of a list item on its own side', async () => {
    await opened.page.evaluate((markdown) => window.markdownPage.render(markdown), '- one\n- שתיים');
    const sides = await opened.page.evaluate(() =>
      [...document.querySelectorAll('.markdown li')].map((item) => {
        const { marginLeft, marginRight } = getComputedStyle(item);
        return [marginLeft, marginRight];
      }),
    );
    assert.deepEqual(sides, [
      ['22px', '0px'],
      ['0px', '22px'],
    ]);
  });
});
