// Going back to a prompt in four themes and two widths: pictures to look at, and what axe-core says of them.
import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { Entry } from '../../../src/transcript/common/entries';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';
import { takePicture } from '../../support/pictures';

const text = '2 files were restored to their state before prompt 2. 1 file could not be restored.';
const entries: Entry[] = [
  { kind: 'prompt', id: 'p1', turn: 1, at: now, text: 'Rename the function greet to welcome everywhere' },
  { kind: 'answer', id: 'a1', turn: 1, at: now, text: 'Done.' },
  {
    kind: 'notice',
    id: 'n1',
    turn: 1,
    at: now,
    level: 'info',
    text: 'This conversation continues “Rename greet” from before prompt 2. Codex starts a new session and gets a summary with your next prompt.',
  },
  {
    kind: 'notice',
    id: 'n2',
    turn: 1,
    at: now,
    level: 'warning',
    text,
    details: '/work/src/a.ts: It was changed in the meantime.',
    restoreId: 'r1',
  },
  {
    kind: 'notice',
    id: 'n3',
    turn: 1,
    at: now,
    level: 'info',
    text: '1 file was restored to its state before prompt 1. The restore was undone.',
  },
];
const draft = { text: 'Now update the tests, too', attachments: [] };
const transcript = { reset: true, before: 0, put: entries };

describe('going back to a prompt', function () {
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const [width, height] of [
    [250, 640],
    [1440, 800],
  ] as const) {
    it(`can be used by everyone in every theme, ${width} px wide`, async () => {
      const chat = await pages.openChat(snapshot(sessionOf(), { transcript, draft }), {
        width,
        height,
        reducedMotion: true,
      });
      await chat.page.locator('.entry-prompt').hover();
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        await takePicture(chat.page, `restore-page-${width}-${theme}`);
        assert.deepEqual(await chat.axe(), [], theme);
      }
      assert.deepEqual(await overflowing(chat.page), []);
    });
  }

  it('asks the host, by mouse or by key', async () => {
    const chat = await pages.openChat(snapshot(sessionOf(), { transcript }));
    chat.host.answer(chatRequests.restore, () => ({}));
    chat.host.answer(chatRequests.editAndResend, () => ({}));
    chat.host.answer(chatRequests.undoRestore, () => ({}));
    const restore = chat.page.getByRole('button', { name: 'Restore to Here…' });
    await restore.focus();
    await chat.page.keyboard.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.restore)).entryId, 'p1');
    await chat.page.getByRole('button', { name: 'Edit and Resend' }).click({ force: true });
    assert.equal((await chat.host.waitFor(chatRequests.editAndResend)).entryId, 'p1');
    await chat.page.getByRole('button', { name: 'Undo Restore' }).click();
    assert.equal((await chat.host.waitFor(chatRequests.undoRestore)).restoreId, 'r1');
  });

  it('is not offered where another window writes', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'readonly', isInUse: true }), { transcript }));
    await chat.page.getByText(text).waitFor();
    for (const name of ['Restore to Here…', 'Undo Restore']) {
      assert.equal(await chat.page.getByRole('button', { name }).count(), 0);
    }
  });
});
