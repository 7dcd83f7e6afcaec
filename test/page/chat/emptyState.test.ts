import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { BackendView } from '../../../src/chat/common/chatView';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { backends, now, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';
import { takePicture } from '../../support/pictures';

describe('the chat before its first prompt', function () {
  // axe takes its time on a busy machine.
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const startersOf = ({ page }: ChatHere): Promise<string[]> => page.locator('.starters .starter').allInnerTexts();
  const ready: BackendView = {
    id: 'opencode',
    title: 'OpenCode',
    description: 'Installed by Backline',
    source: 'installed',
    state: 'stopped',
  };
  const claude = { chosenBackend: 'claude' };

  it('suggests to the demo agent what it can do, and to others what the host finds useful in this workspace', async () => {
    const demo = await pages.openChat(snapshot(null, { chosenBackend: 'demo' }));
    assert.ok((await startersOf(demo)).includes('Summarize README.md'));
    assert.deepEqual(demo.host.requestsOf(chatRequests.starters), []);
    await demo.tell(snapshot(null, claude));
    await demo.page.getByRole('button', { name: 'Explain this project' }).waitFor();
    assert.deepEqual(await startersOf(demo), ['Explain this project']);
  });

  it('sends a suggestion with what it is about', async () => {
    const problems = { kind: 'problems', id: 'problems', title: 'Problems (3)' } as const;
    const chat = await pages.openChat(snapshot(null, claude), {
      prepare: (host) =>
        host.answer(chatRequests.starters, () => ({
          starters: [{ text: 'Fix the problems', attachments: [problems] }],
        })),
    });
    await chat.page.getByRole('button', { name: 'Fix the problems' }).dblclick();
    const { attachments, text } = await chat.host.waitFor(chatRequests.send);
    assert.deepEqual([text, attachments], ['Fix the problems', [problems]]);
    assert.equal(chat.host.requestsOf(chatRequests.send).length, 1);
  });

  it('sends no suggestion that is to be completed, or that comes to what the user has written', async () => {
    const chat = await pages.openChat(snapshot(null, { chosenBackend: 'demo' }));
    await chat.page.getByRole('button', { name: 'Sort the imports of …' }).click();
    assert.equal(await chat.composer.inputValue(), 'Sort the imports of ');
    await chat.page.getByRole('button', { name: 'What can you do?' }).click();
    assert.match(await chat.composer.inputValue(), /^Sort the imports of\s+What can you do\?$/);
    assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
  });

  it('asks for a folder where none is open', async () => {
    const chat = await pages.openChat(snapshot(null, { folders: [], ...claude }));
    await chat.page.getByRole('button', { name: 'Open Folder' }).click();
    await chat.host.waitFor(chatRequests.openFolder);
    assert.deepEqual(await startersOf(chat), []);
    await chat.tell(snapshot(null, { folders: ['/work'] }));
    await chat.page.getByRole('button', { name: 'Open Folder' }).waitFor({ state: 'detached' });
  });

  it('leads to the page of agents, first of all where there is only the demo agent', async () => {
    const demo = backends.filter(({ source }) => source === 'demo');
    const chat = await pages.openChat(snapshot(null, { backends: demo, chosenBackend: 'demo' }));
    await chat.page.getByRole('button', { name: 'Install an Agent' }).click();
    await chat.host.waitFor(chatRequests.showAgents);
    await chat.tell(snapshot(null, { backends: [...demo, ready], chosenBackend: 'demo' }));
    await chat.page.getByRole('button', { name: 'Agents', exact: true }).waitFor();
  });

  it('offers the other agents that are ready', async () => {
    const chat = await pages.openChat(snapshot(null, { backends: [...backends, ready], chosenBackend: 'demo' }));
    assert.deepEqual(await chat.page.locator('.empty-agents .starter').allInnerTexts(), ['OpenCode']);
    await chat.page.getByRole('button', { name: 'OpenCode', exact: true }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.chooseBackend), { backendId: 'opencode' });
  });

  it('shows where a remote agent runs, and what it sees', async () => {
    const far: BackendView = { ...ready, id: 'far', title: 'Big machine', remoteHost: 'agents.example.com' };
    const chat = await pages.openChat(snapshot(null, { backends: [...backends, far], chosenBackend: 'far' }));
    const words =
      'Runs on agents.example.com. It sees only the files that you attach, and those in this workspace that it asks for.';
    await chat.page.locator('.backend-card').getByText(words).waitFor();
    await chat.tell(snapshot(null, { backends: [...backends, far], ...claude }));
    await chat.page.getByText('Runs on').waitFor({ state: 'detached' });
  });

  it('says of an agent from the settings when it starts, and shows its command line only as a tooltip', async () => {
    const description = 'node /home/me/agents/mine.js --acp';
    const mine: BackendView = { ...ready, id: 'mine', title: 'My agent', source: 'configured', description };
    const chat = await pages.openChat(snapshot(null, { backends: [...backends, mine], chosenBackend: 'mine' }));
    const card = chat.page.locator('.backend-card');
    assert.equal((await card.innerText()).replaceAll(/\s+/g, ' ').trim(), 'My agent starts with your first prompt');
    await card.getByTitle(description).waitFor();
    await chat.page.getByRole('button', { name: 'Agent: My agent' }).click();
    const option = chat.page.getByRole('option', { name: /My agent/ });
    assert.ok(!(await option.innerText()).includes(description));
    assert.equal(await option.getAttribute('title'), description);
  });

  it('ends the list of agents with the way to more', async () => {
    const chat = await pages.openChat(snapshot(null, { chosenBackend: 'demo' }));
    await chat.page.getByRole('button', { name: /^Agent: / }).click();
    await chat.page.getByRole('option').last().getByText('Agents…').click();
    await chat.host.waitFor(chatRequests.showAgents);
  });

  const conversations = (...titles: string[]) =>
    titles.map((title, index) => ({
      id: title,
      title,
      backendId: 'acp:claude',
      backendTitle: 'Claude',
      updatedAt: now - index * 60_000,
      state: 'idle' as const,
    }));

  it('shows the latest conversations, which open with a click', async () => {
    const sessions = conversations('One', 'Two', 'Three', 'Four');
    const chat = await pages.openChat(snapshot(null, { sessions }));
    const recent = chat.page.getByRole('region', { name: 'Recent conversations' });
    assert.equal(await recent.getByRole('button').count(), 3);
    await recent.getByRole('button', { name: /^Two/ }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.openSession), { sessionId: 'Two' });
  });

  const demo = backends.filter(({ source }) => source === 'demo');
  const titles = ['Why does the upload fail for files with spaces in their names?', 'Rename parse', 'Add tests'];
  const firstLooks = {
    new: snapshot(null, { backends: demo, chosenBackend: 'demo' }),
    used: snapshot(null, {
      backends: [...backends, ready, { ...ready, id: 'gemini', title: 'Gemini CLI' }],
      sessions: conversations(...titles),
      ...claude,
    }),
  };
  for (const [name, look] of Object.entries(firstLooks)) {
    for (const width of [250, 300, 1440]) {
      it(`can be used by everyone in every theme: ${name}, ${width} px wide`, async () => {
        const chat = await pages.openChat(look, {
          width,
          height: 800,
          reducedMotion: true,
          prepare: (host) =>
            host.answer(chatRequests.starters, () => ({
              starters: [
                'Fix the 3 problems in src/upload.ts',
                'Review my uncommitted changes',
                'Explain this project',
              ].map((text) => ({ text, attachments: [] })),
            })),
        });
        await chat.page.locator('.starters .starter').first().waitFor();
        for (const theme of themeNames) {
          await chat.setTheme(theme);
          await takePicture(chat.page, `empty-${name}-${width}-${theme}`);
          assert.deepEqual(await chat.axe(), [], theme);
        }
        assert.deepEqual(await overflowing(chat.page), []);
        assert.deepEqual(chat.problems, []);
      });
    }
  }
});
