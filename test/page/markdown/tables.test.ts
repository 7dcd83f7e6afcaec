import assert from 'node:assert/strict';
import { PageHarness } from '../support/pageHarness';
import { openMarkdown } from './support/openMarkdown';
import { takePicture } from '../../support/pictures';

const longWord = 'x'.repeat(300);
const text = [
  '| Configuration | Description of it | `defaultValue` |',
  '|---|---|---|',
  '| maximumConnections | Concurrent connections per workspace | `someIdentifierOfCode` |',
  '| [documentation](https://example.com/a) | Internationalisation everywhere | **unconditionally** |',
].join('\n');

describe('a table in a narrow panel', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(source: string) {
    const opened = await openMarkdown(pages, { width: 250 });
    await opened.page.evaluate((markdown) => window.markdownPage.render(markdown), source);
    return opened.page;
  }

  it('breaks no word, neither of its head nor below, and scrolls sideways in a box of its own', async () => {
    const page = await open(text);
    const broken = await page.evaluate(() =>
      [...document.querySelectorAll('th, td')].flatMap((cell) => {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const words: string[] = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          for (const { 0: word, index } of (node.textContent ?? '').matchAll(/\S+/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
          }
        }
        return words;
      }),
    );
    assert.deepEqual(broken, []);
    const { box, isWider, pageWidth } = await page.$eval('.md-table', (element) => ({
      box: element.getBoundingClientRect().right,
      isWider: element.scrollWidth > element.clientWidth,
      pageWidth: document.documentElement.scrollWidth,
    }));
    assert.ok(isWider);
    assert.ok(box <= 250 && pageWidth <= 250, `${box} ${pageWidth}`);
    await takePicture(page, 'markdown-table-250');
  });

  it('breaks a word that nobody wants to scroll along', async () => {
    const page = await open(`| a | b |\n|---|---|\n| ${longWord} | \`${longWord}\` |`);
    const widths = await page.$$eval('td', (cells) => cells.map((cell) => cell.clientWidth));
    assert.ok(
      widths.every((width) => width < 600),
      widths.join(' '),
    );
  });
});
