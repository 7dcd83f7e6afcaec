import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import { snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

describe('the chat before its first prompt', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const startersOf = ({ page }: ChatHere): Promise<string[]> => page.locator('.starter').allInnerTexts();

  it('suggests to the demo agent what it can do, and to others what is useful in any workspace', async () => {
    const demo = await pages.openChat(snapshot(null, { chosenBackend: 'demo' }));
    assert.ok((await startersOf(demo)).includes('Summarize README.md'));
    await demo.tell(snapshot(null, { chosenBackend: 'claude' }));
    await demo.page.getByRole('button', { name: 'Explain this project' }).waitFor();
    assert.ok(!(await startersOf(demo)).includes('Summarize README.md'));
  });

  it('takes a suggestion into the composer, and sends nothing', async () => {
    const chat = await pages.openChat(snapshot(null, { chosenBackend: 'claude' }));
    await chat.page.getByRole('button', { name: 'Write tests for …' }).click();
    assert.equal(await chat.composer.inputValue(), 'Write tests for ');
    assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
  });

  it('asks for a folder where none is open', async () => {
    const chat = await pages.openChat(snapshot(null, { folders: [] }));
    await chat.page.getByRole('button', { name: 'Open Folder' }).click();
    await chat.host.waitFor(chatRequests.openFolder);
    await chat.tell(snapshot(null, { folders: ['/work'] }));
    await chat.page.getByRole('button', { name: 'Open Folder' }).waitFor({ state: 'detached' });
  });
});
