import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { compactDiff } from '../../../../src/chat/common/approvals/compactDiff';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { createDiff } from '../../../../src/transcript/common/lineDiff';
import { drawn } from '../../support/drawn';
import { layoutFaults, panelWidths } from '../../support/layout';
import { themeNames } from '../../support/themes';
import { diffApproval, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';
import { takePicture } from '../../../support/pictures';

const path = 'src/deeply/nested/folder/setlist.ts';

function editOf(before: string, after: string, prompt = `Demo agent wants to edit ${path}`): ApprovalView {
  return { ...diffApproval, prompt, parts: [compactDiff(createDiff(path, before, after))] };
}
const block = (word: string): string =>
  Array.from({ length: 20 }, (_, line) => `  ${word}(line${line}, ${'x'.repeat(60)});\n`).join('');
const replaced = editOf(block('remove'), block('insert'));
const words = editOf('sort(a.energy - b.loudness);\n', 'sort(a.energy - b.energy);\n');
const spaces = editOf('if (a) {\nb();\n}\n', '  if (a) {\n    b();\n  }\n');

describe('the change that a question is about', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const openWith = async (approval: ApprovalView, width = 400, height = 600): Promise<ChatHere> => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' })), { width, height, reducedMotion: true });
    await chat.tellSession({ status: 'busy', approvals: [approval] });
    await chat.page.locator('.approval').waitFor();
    await drawn(chat.page);
    return chat;
  };

  for (const width of [300, 960]) {
    it(`shows what comes in as well as what goes, and how much of it is folded: ${width} px wide`, async () => {
      const { page } = await openWith(replaced, width);
      const seen = (tag: string) =>
        page.locator(`.approval ${tag}`).evaluateAll((all) => {
          const box = document.querySelector('.approval-scroll')?.getBoundingClientRect();
          return all.filter((one) => box && one.getBoundingClientRect().bottom <= box.bottom).length;
        });
      assert.deepEqual([await seen('del'), (await seen('ins')) >= 2], [4, true]);
      await page.getByRole('button', { name: '16 more removed lines' }).click();
      assert.equal(await page.locator('.approval del').count(), 20);
      assert.equal(await page.locator('.approval ins').count(), 20);
    });
  }

  it('marks the words that differ, and says that only white space has', async () => {
    const { page } = await openWith(words);
    assert.deepEqual(await page.locator('.approval .changed').allInnerTexts(), ['loudness', 'energy']);
    assert.equal(await page.getByText('only white space').count(), 0);
    await pages.closePages();
    const other = await openWith(spaces);
    assert.ok(await other.page.getByText('only white space').isVisible());
  });

  it('scrolls to the side below 60 columns, so that a line stays a line, and wraps above', async () => {
    for (const [width, isScrolled] of [
      [300, true],
      [960, false],
    ] as const) {
      const { page } = await openWith(replaced, width);
      const scroll = page.locator('.approval-scroll');
      assert.equal(await scroll.evaluate((box) => box.scrollWidth > box.clientWidth), isScrolled);
      const heights = await page
        .locator('.approval :is(.diff-add, .diff-remove)')
        .evaluateAll((rows) => rows.map((row) => row.clientHeight));
      assert.ok(Math.max(...heights) - Math.min(...heights) <= 1, heights.join(' '));
      await pages.closePages();
    }
  });

  it('has its file in the title only, and below it where the title says anything else', async () => {
    const chat = await openWith(words);
    const { page, host } = chat;
    assert.equal(await page.locator('.approval .part-head').count(), 0);
    assert.match(await page.locator('.approval h2').innerText(), /^Edit setlist\.ts\s+src\/deeply\/nested\/folder$/);
    await page.getByRole('button', { name: 'Open Diff Editor' }).click();
    assert.deepEqual(await host.waitFor(chatRequests.openApprovalDiff), {
      sessionId: 's1',
      approvalId: 'ap2',
      part: 0,
    });
    for (const prompt of [`Demo agent wants to edit other/${path}`, `Demo agent wants to edit ${path} and more`]) {
      await chat.tellSession({ status: 'busy', approvals: [{ ...words, id: prompt, prompt }] });
      await page.locator('.approval .part-head').waitFor();
      assert.equal(await page.locator('.approval .path-name').innerText(), 'setlist.ts');
    }
  });

  it('can be used by everyone in every theme', async function () {
    this.timeout(180_000);
    for (const [name, approval] of Object.entries({ replaced, words, spaces })) {
      for (const width of [250, 850]) {
        const chat = await openWith(approval, width);
        for (const theme of themeNames) {
          await chat.setTheme(theme);
          await takePicture(chat.page, `approval-diff-${name}-${width}-${theme}`);
          assert.deepEqual(await chat.axe(), [], `${name}, ${width}, ${theme}`);
        }
        await pages.closePages();
      }
    }
  });

  it('is laid out without a fault at every width and zoom, whatever changes', async function () {
    this.timeout(180_000);
    const chat = await openWith(words);
    const line = fc.stringMatching(/^[ \t]{0,6}(?:[a-z]{1,40} ){0,6}$/);
    const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom(...panelWidths), async (before, after, width) => {
        await chat.page.setViewportSize({ width, height: 700 });
        await chat.tellSession({ status: 'busy', approvals: [{ ...editOf(before, after), id: before + after }] });
        await drawn(chat.page);
        assert.deepEqual(await layoutFaults(chat.page, '.approval'), []);
      }),
      { numRuns: 40 },
    );
  });
});
