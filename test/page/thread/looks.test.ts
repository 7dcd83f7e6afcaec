import assert from 'node:assert/strict';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { marksEntries, reversed, snapshot, view, type Update } from './support/threadFixtures';
import { ThreadPages, type ThreadHere } from './support/threadPages';
import { takePicture } from '../../support/pictures';

interface State {
  readonly name: string;
  readonly update: Update;
  readonly act?: (thread: ThreadHere) => Promise<void>;
}

const states: readonly State[] = [
  { name: 'reading', update: snapshot({ unreadFrom: 'm3' }) },
  {
    name: 'all open',
    update: snapshot({ thread: { ...view, state: 'running', isArchived: true, notes: ['Only a stub is here.'] } }),
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'Expand All' }).click();
      await page.getByText('About').click();
      await page.getByRole('button', { name: 'Outline' }).click();
    },
  },
  {
    name: 'menu',
    update: snapshot({ thread: { ...view, title: 'a_title_without_spaces'.repeat(10), state: 'cancelled' } }),
    act: ({ page }) => page.getByRole('button', { name: 'More Actions' }).click(),
  },
  {
    name: 'find',
    update: snapshot(),
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('textbox').fill('tax');
    },
  },
  { name: 'empty', update: snapshot({ thread: { ...view, messageCount: 0, promptCount: 0 } }, []) },
  { name: 'problem', update: { problem: 'The file is gone. Refresh the list of threads.', hasFile: true } },
  {
    name: 'marks',
    update: snapshot({ thread: { ...view, title: `Title ${reversed}` } }, marksEntries),
    act: async ({ page }) => {
      await page.locator('.tool', { hasText: 'Search the web' }).click();
      await page.getByRole('button', { name: 'Outline' }).click();
    },
  },
];

describe('the looks of a thread', function () {
  // axe takes its time on a busy machine, and looks at each page several times.
  this.timeout(180_000);
  const pages = new ThreadPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const { name, update, act } of states) {
    it(`can be used by everyone in every theme: ${name}`, async () => {
      const thread = await pages.openThread(update, { reducedMotion: true });
      await act?.(thread);
      for (const theme of themeNames) {
        await thread.setTheme(theme);
        await takePicture(thread.page, `thread-${name.replace(' ', '-')}-${theme}`);
        assert.deepEqual(await thread.axe(), [], theme);
      }
      assert.deepEqual(thread.problems, []);
    });

    it(`fits into 300 pixels: ${name}`, async () => {
      const thread = await pages.openThread(update, { width: 300, height: 500, reducedMotion: true });
      await act?.(thread);
      await takePicture(thread.page, `thread-${name.replace(' ', '-')}-narrow`);
      assert.deepEqual(await overflowing(thread.page), []);
    });
  }
});
