import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import { until } from '../../support/eventually';
import { commandApproval, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

describe('a shortcut of several keys', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const open = (part: Parameters<typeof sessionOf>[0] = {}): Promise<ChatHere> =>
    pages.openChat(snapshot(sessionOf(part), { keyChords: ['ctrl+k', 'ctrl+k ctrl+m', 'ctrl+;'] }));
  const focusedTag = ({ page }: ChatHere): Promise<string | undefined> =>
    page.evaluate(() => document.activeElement?.tagName);
  /** As the frame that VS Code puts around a page. */
  const heardBy = ({ page }: ChatHere) =>
    page.evaluateHandle(() => {
      const keys: string[] = [];
      window.addEventListener('keydown', ({ key }) => keys.push(key));
      return keys;
    });

  for (const keys of [
    ['Control+k', 'y'],
    ['Control+k', 'n'],
    ['Control+k', 'q'],
    ['Control+k', 'Enter'],
    ['Control+k', 'Control+m', '1'],
    ['Control+;', 'Backspace'],
    ['Control+k', 'Control+v'],
    ['Control+k', 'Shift+Tab'],
  ]) {
    it(`leaves nothing in the composer: ${keys.join(' ')}`, async () => {
      const chat = await open();
      await chat.composer.fill('run');
      const heard = await heardBy(chat);
      for (const key of keys) await chat.page.keyboard.press(key);
      await until('the focus is back', async () => (await focusedTag(chat)) === 'TEXTAREA');
      await chat.page.keyboard.type(' on');
      assert.equal(await chat.composer.inputValue(), 'run on');
      assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
      const told = (await heard.jsonValue()).filter((key) => !['Control', 'Shift'].includes(key));
      assert.equal(told.length, keys.length + ' on'.length, 'VS Code hears every key');
    });
  }

  it('leaves nothing in the composer when it answers a question, which is the host’s to say', async () => {
    const chat = await open({ status: 'busy', approvals: [commandApproval] });
    await chat.composer.fill('run');
    for (const key of ['Control+k', 'n']) await chat.page.keyboard.press(key);
    await until('the focus is back', async () => (await focusedTag(chat)) === 'TEXTAREA');
    assert.equal(await chat.composer.inputValue(), 'run');
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
  });

  it('answers no question', async () => {
    const chat = await open({ status: 'busy', approvals: [commandApproval] });
    await chat.page.waitForFunction(() => performance.now() > 1_500);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('Control+k');
    await chat.page.keyboard.press('1');
    await until('the focus is back', async () => (await focusedTag(chat)) === 'SECTION');
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
  });

  it('takes no focus back from the editor or the palette, but when the page has it again', async () => {
    const chat = await open();
    await chat.composer.fill('run');
    await chat.page.keyboard.press('Control+k');
    await chat.page.evaluate(() => {
      document.hasFocus = () => false;
      window.dispatchEvent(new FocusEvent('blur'));
    });
    assert.equal(await focusedTag(chat), 'DIV');
    await chat.page.evaluate(() => window.dispatchEvent(new FocusEvent('focus')));
    assert.equal(await focusedTag(chat), 'TEXTAREA');
    await chat.page.keyboard.type('!');
    assert.equal(await chat.composer.inputValue(), 'run!');
  });

  it('that is not finished is forgotten as VS Code forgets it', async () => {
    const chat = await open();
    await chat.page.clock.install();
    await chat.composer.click();
    await chat.page.keyboard.press('Control+k');
    await chat.page.clock.runFor(6_000);
    assert.equal(await focusedTag(chat), 'TEXTAREA');
    await chat.page.keyboard.type('y');
    assert.equal(await chat.composer.inputValue(), 'y');
  });

  it('that does not exist types what is typed', async () => {
    const chat = await open();
    await chat.composer.click();
    await chat.page.keyboard.press('Control+b');
    await chat.page.keyboard.type('y');
    assert.equal(await chat.composer.inputValue(), 'y');
  });
});
