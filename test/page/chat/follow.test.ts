import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import { eventually } from '../../support/eventually';
import { themeNames } from '../support/themes';
import { sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, overflowing } from './support/chatPages';

describe('the toggle of Follow', function () {
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('says whether it is on, and asks the host to change it', async () => {
    let toggles = 0;
    const chat = await pages.openChat(snapshot(sessionOf()), {
      prepare: (host) =>
        host.answer(chatRequests.toggleFollow, () => {
          toggles++;
          return {};
        }),
    });
    const button = chat.page.getByRole('button', { name: /^Follow agent/ });
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    await button.focus();
    await chat.page.keyboard.press('Space');
    await eventually('the request', () => assert.equal(toggles, 1));
    await chat.tell({ following: true });
    await eventually('the state', async () => assert.equal(await button.getAttribute('aria-pressed'), 'true'));
    assert.match((await button.getAttribute('title')) ?? '', /opens? the files/);
    await chat.tell({ following: false });
    await eventually('the state', async () => assert.equal(await button.getAttribute('aria-pressed'), 'false'));
  });

  for (const width of [250, 1440]) {
    it(`can be seen and used in every theme at ${width} pixels`, async () => {
      const session = sessionOf({ status: 'busy', title: 'A title that has to be cut somewhere in the middle of it' });
      const chat = await pages.openChat(snapshot(session, { following: true }), {
        width,
        height: 500,
        reducedMotion: true,
      });
      await mkdir(inRoot('out', 'screenshots'), { recursive: true });
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
        await chat.page.screenshot({ path: inRoot('out', 'screenshots', `follow-${theme}-${width}.png`) });
      }
      assert.deepEqual(await overflowing(chat.page), []);
    });
  }
});
