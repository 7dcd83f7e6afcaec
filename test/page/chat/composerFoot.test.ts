import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { OptionView } from '../../../src/chat/common/chatView';
import { pauseClock } from '../support/drawn';
import { themeNames } from '../support/themes';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, overflowing } from './support/chatPages';

const select = (id: string, value: string, names: Readonly<Record<string, string>>): OptionView => ({
  type: 'select',
  id,
  name: id === 'mode' ? 'Mode' : 'Model',
  category: id,
  value,
  choices: Object.entries(names).map(([choice, name]) => ({ value: choice, name })),
});

const model = select('model', 'sonnet', { sonnet: 'Sonnet 4.5', opus: 'Opus 4.1' });
const mode = {
  type: 'select' as const,
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  value: 'acceptEdits',
  choices: [
    { value: 'default', name: 'Always ask' },
    { value: 'acceptEdits', name: 'Accept edits', unattended: 'edits' as const },
    { value: 'bypass', name: 'Bypass', unattended: 'runs' as const },
  ],
};
const inMode = (value: string): OptionView => ({ ...mode, value });

const busy = sessionOf({
  status: 'busy',
  backendId: 'claude',
  options: [model, mode, { type: 'boolean', id: 'fast', name: 'Fast', value: true }],
  context: { used: 170_000, size: 200_000 },
  usage: { cost: { amount: 0.4, currency: 'USD' } },
});
const long = sessionOf({
  ...busy,
  options: ['mode', 'model'].map((id) => select(id, 'long', { long: `A very long name of the ${id} that is chosen` })),
});

interface Foot {
  /** What can be pressed or read, with its place. */
  readonly parts: { readonly name: string; readonly box: DOMRect }[];
  /** Names that are cut, with how much of them is seen. */
  readonly cut: { readonly text: string; readonly seen: number }[];
}

function footOf(page: Page): Promise<Foot> {
  return page.evaluate(() => {
    const foot = document.querySelector('.composer-foot');
    const parts = [...(foot?.querySelectorAll('button, .unattended, .usage') ?? [])];
    const names = [...(foot?.querySelectorAll('.picker-name, .toggle, .unattended') ?? [])];
    return {
      parts: parts.map((part) => ({
        name: part.getAttribute('aria-label') ?? part.textContent,
        box: part.getBoundingClientRect(),
      })),
      cut: names
        .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1)
        .map(({ clientWidth, textContent }) => ({ text: textContent, seen: clientWidth })),
    };
  });
}

/** The pixels of the editor's own zoom: 250 px at 150 % are 167 of the page. */
const widths = [167, 200, 250, 300, 350, 400, 560, 700, 960, 1440];

describe('the foot of the composer', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const width of widths) {
    it(`shows all of its names at ${width} px while a turn runs, and nothing stands over another`, async () => {
      const chat = await pages.openChat(snapshot(busy), { width });
      const { cut, parts } = await footOf(chat.page);
      const names = parts.map(({ name }) => name);
      for (const name of ['Agent: Claude Code', 'Mode: Accept edits', 'Model: Sonnet 4.5', 'Stop', 'Queue']) {
        assert.ok(names.includes(name), `${name} among ${names.join(', ')}`);
      }
      assert.deepEqual(cut, []);
      for (const [index, { box, name }] of parts.entries()) {
        assert.ok(box.left >= 0 && box.right <= width, `${name} is inside`);
        for (const other of parts.slice(index + 1)) {
          const isApart =
            box.right <= other.box.left + 0.5 ||
            other.box.right <= box.left + 0.5 ||
            box.bottom <= other.box.top + 0.5 ||
            other.box.bottom <= box.top + 0.5;
          assert.ok(isApart, `${name} and ${other.name}`);
        }
      }
      if (width >= 250) assert.deepEqual(await overflowing(chat.page), []);
    });

    it(`leaves useful words of long names at ${width} px`, async () => {
      const chat = await pages.openChat(snapshot(long), { width });
      const { cut } = await footOf(chat.page);
      for (const { seen, text } of cut) assert.ok(seen >= Math.min(96, width - 64), `${seen} px of ${text}`);
      if (width >= 250) assert.deepEqual(await overflowing(chat.page), []);
    });
  }

  it('has the options above the buttons where there is little room, and before them where there is more', async () => {
    const rows = async (width: number): Promise<[options: DOMRect, send: DOMRect]> => {
      const { page } = await pages.openChat(snapshot(busy), { width });
      const rectOf = (selector: string): Promise<DOMRect> =>
        page.locator(selector).evaluate((element) => element.getBoundingClientRect());
      return [await rectOf('.composer-pickers'), await rectOf('.send-button')];
    };
    const [above, below] = await rows(300);
    assert.ok(above.bottom <= below.top, `${above.bottom} ${below.top}`);
    const [before, behind] = await rows(900);
    assert.ok(before.right <= behind.left && before.bottom === behind.bottom, 'one row');
  });

  it('says beside the mode what the agent does without asking, in all themes, also to a screen reader', async () => {
    const folder = process.env['BACKLINE_PICTURES'];
    const chat = await pages.openChat(snapshot(busy), { width: 300, height: 500 });
    const note = chat.page.locator('.unattended');
    assert.equal(await note.textContent(), 'Edits without asking');
    assert.match((await note.getAttribute('title')) ?? '', /edits files without asking you first/);
    const picker = chat.page.getByRole('button', { name: 'Mode: Accept edits' });
    assert.equal(await picker.getAttribute('aria-describedby'), await note.getAttribute('id'));
    if (folder) await mkdir(folder, { recursive: true });
    for (const theme of themeNames) {
      await chat.setTheme(theme);
      assert.deepEqual(await chat.axe(), [], theme);
      if (folder) await chat.page.screenshot({ path: `${folder}/${theme}-300.png` });
    }
    await chat.tellSession({ options: [inMode('bypass')] });
    await chat.page.getByText('Runs without asking').waitFor();
    await chat.tellSession({ options: [inMode('default')] });
    await note.waitFor({ state: 'detached' });
    await chat.page.getByRole('button', { name: 'Mode: Always ask' }).click();
    const choice = chat.page.getByRole('option', { name: /Bypass/ });
    assert.equal(await choice.textContent(), 'BypassRuns without asking');
  });

  it('says of an agent without modes what it was seen to do without asking, before the next prompt', async () => {
    const chat = await pages.openChat(snapshot(null, { newOptions: [model], seenUnattended: 'runs' }), { width: 300 });
    const note = chat.page.locator('.unattended');
    assert.equal(await note.textContent(), 'Runs without asking');
    assert.match((await note.getAttribute('title')) ?? '', /has run commands without asking you first/);
    for (const theme of themeNames) {
      await chat.setTheme(theme);
      assert.deepEqual(await chat.axe(), [], theme);
    }
    await chat.tell({ newOptions: [inMode('default'), model], seenUnattended: 'runs' });
    await note.waitFor({ state: 'detached' });
    await chat.tell({ newOptions: [model], seenUnattended: 'edits' });
    await chat.page.getByText('Edits without asking').waitFor();
    await chat.tell({ seenUnattended: null });
    await note.waitFor({ state: 'detached' });
  });

  it('shows the options of a conversation that has not begun, and takes choices for it', async () => {
    const chat = await pages.openChat(snapshot(null, { newOptions: [mode, model] }), { width: 300 });
    await chat.page.getByText('Edits without asking').waitFor();
    await chat.page.getByRole('button', { name: 'Mode: Accept edits' }).click();
    await chat.host.waitFor(chatRequests.prepare);
    await chat.page.getByRole('option', { name: 'Always ask' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.setOption), { optionId: 'mode', value: 'default' });
    await chat.tell({ newOptions: [inMode('default'), model] });
    await chat.page.getByRole('button', { name: 'Mode: Always ask' }).waitFor();
    await chat.page.getByText('Edits without asking').waitFor({ state: 'detached' });
  });

  it('asks for the options with the first key of a conversation, once for each agent, and not for one that runs', async () => {
    const chat = await pages.openChat(snapshot(null));
    // A draft is saved only when time goes on: what was asked before it is known then.
    await pauseClock(chat.page, now + 1);
    const asked = (): number => chat.host.requestsOf(chatRequests.prepare).length;
    assert.equal(asked(), 0);
    await chat.composer.pressSequentially('abc');
    await chat.host.waitFor(chatRequests.prepare);
    assert.equal(asked(), 1);
    await chat.tell({ chosenBackend: 'claude' });
    await chat.composer.pressSequentially('d');
    await chat.page.clock.runFor(300);
    await chat.host.waitFor(chatRequests.saveDraft);
    assert.equal(asked(), 2);
    await chat.tell(snapshot(busy));
    await chat.composer.pressSequentially('e');
    await chat.page.clock.runFor(300);
    await chat.host.waitFor(chatRequests.saveDraft, 2);
    assert.equal(asked(), 2);
  });
});
