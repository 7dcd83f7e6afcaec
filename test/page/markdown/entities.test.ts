import assert from 'node:assert/strict';
import { sharedMarkdown } from './support/openMarkdown';

describe('character references in markdown', () => {
  const opened = sharedMarkdown();

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
