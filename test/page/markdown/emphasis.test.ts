import assert from 'node:assert/strict';
import { sharedMarkdown } from './support/openMarkdown';

describe('emphasis in markdown', () => {
  const opened = sharedMarkdown();

  for (const [text, ...expected] of [
    ['a**b**c', 'b'],
    ['a**“b”**'],
    ['a **“b”** c', '“b”'],
    ['a**€b**'],
    ['a **€b** c', '€b'],
    ['“**b**”', 'b'],
    ['a**文**c', '文'],
  ] as const)
    it(`knows punctuation and symbols of all scripts from letters in ${text}`, async () => {
      await opened.page.evaluate((source) => window.markdownPage.render(source), text);
      assert.deepEqual(await opened.page.locator('.markdown strong').allTextContents(), expected);
    });
});
