import assert from 'node:assert/strict';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import type { FakeHost } from '../../support/fakeHost';
import { takePicture } from '../../../support/pictures';
import { overflowing } from '../../support/layout';
import { themeNames } from '../../support/themes';
import { sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';

const presets = [
  { name: 'Review', detail: 'claude · opus · plan · Only review.', isOfWorkspace: false },
  { name: 'A quick answer', detail: `codex · low · ${'Be brief. '.repeat(900)}`, isOfWorkspace: false },
  { name: 'Team', detail: 'large', isOfWorkspace: true },
];
const standing = { presets, preset: 'Review', instructions: 'Be brief.\n\nOnly \u202Ereview.' };

describe('presets and instructions in the chat', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const open = async (first = snapshot(null, { standing }), options = {}): Promise<ChatHere> => {
    const chat = await pages.openChat(first, options);
    chat.host.answer(chatRequests.choosePreset, () => ({}));
    chat.host.answer(chatRequests.editStanding, () => ({}));
    return chat;
  };
  const preset = ({ page }: ChatHere, name: string) =>
    page.getByRole('group', { name: 'Presets:' }).getByRole('button', { name });

  it('begin the next conversation with a preset by one click, and without it by another', async () => {
    const chat = await open();
    assert.equal(await preset(chat, 'Review').getAttribute('aria-pressed'), 'true');
    assert.equal(await preset(chat, 'Team').getAttribute('title'), 'large (preset of this workspace)');
    await preset(chat, 'Team').click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.choosePreset), { name: 'Team' });
    await preset(chat, 'Review').click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.choosePreset, 2), {});
    await preset(chat, 'Edit').click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.editStanding), { what: 'presets' });
  });

  const menu = async (chat: ChatHere) => {
    await chat.page.getByRole('button', { name: /^Agent: / }).click();
    return chat.page.getByRole('listbox', { name: 'Agent' }).getByRole('group', { name: 'Presets' });
  };

  it('are in the menu of agents, where one click begins with them', async () => {
    const chat = await open();
    const group = await menu(chat);
    assert.deepEqual(await group.getByRole('option').locator('.choice-title').allTextContents(), [
      'Review',
      'A quick answer',
      'Team',
    ]);
    assert.equal(await group.getByRole('option').filter({ hasText: 'chosen' }).count(), 1);
    const long = group.getByRole('option', { name: 'A quick answer' }).locator('.choice-description');
    assert.equal((await long.textContent())?.length, 101);
    await group.getByRole('option', { name: 'Team' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.choosePreset), { name: 'Team' });
    assert.deepEqual(chat.host.requestsOf(chatRequests.newSession), []);
  });

  it('begin a new conversation from the menu of one that runs', async () => {
    const chat = await open();
    chat.host.answer(chatRequests.newSession, () => ({}));
    await chat.tell({ session: sessionOf(), standing });
    await (await menu(chat)).getByRole('option', { name: 'A quick answer' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.choosePreset), { name: 'A quick answer' });
    assert.deepEqual(chat.host.requestsOf(chatRequests.newSession), [{}]);
  });

  it('show what the agent is told before it is told, and open it', async () => {
    const chat = await open();
    const chip = chat.page.getByRole('button', { name: 'Instructions' });
    assert.equal(
      await chip.getAttribute('title'),
      'The agent is told in each turn:\n\nBe brief.\n\nOnly [U+202E]review.',
    );
    await chip.click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.editStanding), { what: 'instructions' });
  });

  it('are not there if there are none, and presets only before a conversation begins', async () => {
    const chat = await open(snapshot(null));
    assert.equal(await chat.page.getByText('Presets:').count(), 0);
    assert.equal(await chat.page.getByRole('button', { name: 'Instructions' }).count(), 0);
    await chat.tell({ session: sessionOf(), standing });
    await chat.page.getByRole('button', { name: 'Instructions' }).waitFor();
    assert.equal(await chat.page.getByText('Presets:').count(), 0);
  });

  it('name the files that the agent reads by itself, and open them', async () => {
    const names = ['CLAUDE.md', '.claude/rules/a-rule-with-a-long-name.md', 'b.md', 'c.md', 'd.md', 'e.md'];
    const files = names.map((name) => ({ name, path: `/work/${name}` }));
    const chat = await open(undefined, {
      width: 250,
      height: 800,
      prepare: (host: FakeHost) => host.answer(chatRequests.instructionFiles, () => ({ files })),
    });
    chat.host.answer(chatRequests.open, () => ({}));
    assert.deepEqual(await chat.host.waitFor(chatRequests.instructionFiles), { backendId: 'demo' });
    await chat.page.getByText('and 2 more').waitFor();
    assert.deepEqual(await overflowing(chat.page), []);
    await chat.page.getByRole('button', { name: 'CLAUDE.md', exact: true }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.open), { target: '/work/CLAUDE.md' });
  });

  for (const width of [250, 1440]) {
    it(`can be read and used by everyone in every theme at ${width} pixels`, async () => {
      const chat = await open(undefined, { width, height: 700, reducedMotion: true });
      await preset(chat, 'Team').waitFor();
      assert.deepEqual(await overflowing(chat.page), []);
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
      }
      await menu(chat);
      assert.deepEqual(await overflowing(chat.page), []);
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
        await takePicture(chat.page, `preset-menu-${theme}-${width}`);
      }
    });
  }
});
