import assert from 'node:assert/strict';
import { PageHarness } from '../support/pageHarness';
import { themeNames } from '../support/themes';
import { sampleEntries } from './sample';
import { didPatch } from './transcriptPageApi';
import { takePicture } from '../../support/pictures';

const page = { entry: 'test/page/transcript/transcriptPage.tsx', style: 'test/page/transcript/transcriptPage.css' };

describe('how the transcript looks', function () {
  // axe takes its time on a busy machine, and looks at each page several times.
  this.timeout(180_000);
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const theme of themeNames) {
    it(`is accessible in ${theme}, with everything closed and everything open`, async () => {
      const opened = await pages.openPage({ ...page, theme, height: 2_600 });
      await opened.host.notify(didPatch, { reset: true, put: sampleEntries(), before: 12 });
      assert.deepEqual(await opened.axe(), []);
      await opened.page.evaluate(async () => {
        const isClosed = 'details:not([open]) > summary';
        for (let summary; (summary = document.querySelector<HTMLElement>(isClosed));) {
          summary.click();
          await new Promise(requestAnimationFrame);
        }
      });
      await opened.page.getByRole('button', { name: 'Instructions' }).click();
      assert.deepEqual(await opened.axe(), []);
      assert.deepEqual(opened.problems, []);
    });

    for (const width of [250, 400, 1_000]) {
      it(`fits ${width} pixels in ${theme}`, async () => {
        const opened = await pages.openPage({ ...page, theme, width, height: 2_600 });
        await opened.host.notify(didPatch, { reset: true, put: sampleEntries(), before: 0 });
        await opened.page.getByText('audio block').waitFor();
        const overflow = await opened.page.evaluate(() =>
          [...document.querySelectorAll('.transcript *')]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .filter(
              (element) =>
                !element.closest('pre, .diff-scroll, .md-table, .visually-hidden, .path, .title, .attachment'),
            )
            .map((element) => element.outerHTML.slice(0, 120)),
        );
        assert.deepEqual(overflow, []);
        await opened.page.getByRole('button', { name: 'Instructions' }).click();
        await takePicture(opened.page, `transcript-${theme}-${width}`);
      });
    }
  }
});
