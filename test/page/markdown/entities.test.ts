import assert from 'node:assert/strict';
import { PageHarness, type OpenedPage } from '../support/pageHarness';
import { openMarkdown } from './support/openMarkdown';

describe('character references in markdown', () => {
  const pages = new PageHarness();
  let opened: OpenedPage;
  before(async () => {
    await pages.start();
    opened = await openMarkdown(pages);
  });
  after(() => pages.stop());

  for (const [written, shown] of [
    ['&amp; &copy; &ngE;', '& © ≧̸'],
    ['&lt;b&gt;', '<b>'],
    ['&#65; &#x41; &#X1F600;', 'A A 😀'],
    ['&notit;', '&notit;'],
    ['&not;it;', '¬it;'],
    ['&nosuchname;', '&nosuchname;'],
    ['&amp', '&amp'],
    ['`&amp;`', '&amp;'],
    ['&semi;', ';'],
  ] as const) {
    it(`shows ${written} as ${shown}`, async () => {
      await opened.page.evaluate((text) => window.markdownPage.render(text), written);
      assert.equal(await opened.page.locator('.markdown p').textContent(), shown);
    });
  }
});
