import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { ConversationView, OptionView } from '../../../src/chat/common/chatView';
import { overflowing } from '../support/layout';
import { drawn, pauseClock } from '../support/drawn';
import { themeNames } from '../support/themes';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';
import { takePicture } from '../../support/pictures';

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
const effort: OptionView = {
  ...select('thought_level', 'high', { low: 'Low', high: 'High' }),
  name: 'Thinking',
};
const fast: OptionView = { type: 'boolean', id: 'fast', name: 'Fast', value: true };
const inMode = (value: string): OptionView => ({ ...mode, value });

const busy = sessionOf({
  status: 'busy',
  backendId: 'claude',
  options: [model, mode, fast],
  context: { used: 170_000, size: 200_000 },
  usage: { cost: { amount: 0.4, currency: 'USD' } },
});
const long = sessionOf({
  ...busy,
  options: ['mode', 'model'].map((id) => select(id, 'long', { long: `A very long name of the ${id} that is chosen` })),
});

interface Foot {
  readonly height: number;
  /** What can be pressed or read, with its place. */
  readonly parts: { readonly name: string; readonly box: DOMRect }[];
}

function composerOf(page: Page): Promise<Foot> {
  return page.evaluate(() => {
    const composer = document.querySelector('.composer');
    const parts = [...(composer?.querySelectorAll('button, .unattended, .usage, textarea') ?? [])];
    return {
      height: composer?.getBoundingClientRect().height ?? 0,
      parts: parts
        .map((part) => ({
          name: part.getAttribute('aria-label') ?? part.textContent,
          box: part.getBoundingClientRect(),
        }))
        .filter(({ box }) => box.width > 0),
    };
  });
}

function assertApart({ parts }: Foot, width: number): void {
  for (const [index, { box, name }] of parts.entries()) {
    assert.ok(box.left >= 0 && box.right <= width, `${name} is inside`);
    assert.ok(box.width >= 24 && box.height >= 23.5, `${name} is ${box.width} × ${box.height}`);
    for (const other of parts.slice(index + 1)) {
      const isApart =
        box.right <= other.box.left + 0.5 ||
        other.box.right <= box.left + 0.5 ||
        box.bottom <= other.box.top + 0.5 ||
        other.box.bottom <= box.top + 0.5;
      assert.ok(isApart, `${name} and ${other.name}`);
    }
  }
}

/** The names in the row below the prompt, of the agent and of what is chosen. */
function namesOf(page: Page): Promise<{ text: string; isCut: boolean }[]> {
  return page.$$eval('.composer-pickers :is(.picker-name, .toggle > span)', (found) =>
    found.map((name) => ({ text: name.textContent, isCut: name.scrollWidth > name.clientWidth })),
  );
}

/** In CSS pixels: 250 px at 150 % are 167 of the page, at 200 % 125. */
const widths = [125, 167, 200, 250, 300, 360, 400, 560, 850, 1440];
const maxHeightPx = 92;
const offered = { kind: 'file' as const, id: 'file:/ws/setlist.ts', title: 'setlist.ts', path: '/ws/setlist.ts' };

describe('the composer around the prompt', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is at most 92 px high, and nothing lies over another, in each state at each width', async () => {
    const chat = await pages.openChat(snapshot(busy, { offered }), { width: 1440 });
    const states: Partial<ConversationView>[] = [
      busy,
      { ...busy, status: 'idle', options: [model, effort, mode, fast] },
      { ...busy, status: 'idle', options: [model, effort, inMode('bypass'), fast], usage: undefined },
      { ...busy, status: 'stopping', context: undefined },
      long,
    ];
    for (const width of widths) {
      await chat.page.setViewportSize({ width, height: 700 });
      for (const [index, state] of states.entries()) {
        for (const text of ['', 'a prompt']) {
          await chat.composer.fill(text);
          await chat.tellSession(state);
          await drawn(chat.page);
          const foot = await composerOf(chat.page);
          const where = `state ${index} at ${width} px`;
          if (width >= 250) assert.ok(foot.height <= maxHeightPx, `${where}: ${foot.height} px`);
          assertApart(foot, width);
          const names = foot.parts.map(({ name }) => name);
          assert.ok(
            names.some((name) => name.startsWith('Agent: ')),
            where,
          );
          if (width >= 250) assert.deepEqual(await overflowing(chat.page), [], where);
        }
      }
    }
  });

  it('has the word of the mode, and no name that is cut, in a narrow panel', async () => {
    const chat = await pages.openChat(snapshot(busy), { width: 250 });
    const bypass = { ...inMode('bypass'), choices: [{ value: 'bypass', name: 'Bypass', unattended: 'runs' as const }] };
    const cases: [OptionView[], string][] = [
      [[model, inMode('default')], 'Sonnet 4.5'],
      [[select('model', 'x', { x: 'provider/model-with-a-long-name' }), inMode('default')], 'Always ask'],
      [[model, effort, bypass, fast], 'Bypass'],
    ];
    for (const width of [250, 300, 360, 400])
      for (const [options, word] of cases) {
        await chat.page.setViewportSize({ width, height: 700 });
        await chat.tellSession({ ...busy, options });
        await drawn(chat.page);
        const names = await namesOf(chat.page);
        assert.deepEqual(
          names.filter(({ isCut }) => isCut),
          [],
          `${width} px`,
        );
        assert.ok(
          names.some(({ text }) => text === word),
          `${word} in ${JSON.stringify(names)} at ${width} px`,
        );
      }
    const agent = chat.page.getByRole('button', { name: /^Agent: / });
    await chat.page.setViewportSize({ width: 250, height: 700 });
    await drawn(chat.page);
    assert.equal(await agent.textContent(), '');
    assert.match((await agent.getAttribute('title')) ?? '', /^Agent: Claude Code$/m);
  });

  it('has the whole name of the agent beside its only option', async () => {
    const chat = await pages.openChat(snapshot({ ...busy, backendTitle: 'Claude Code', options: [model] }), {
      width: 440,
    });
    await drawn(chat.page);
    assert.deepEqual(await namesOf(chat.page), [
      { text: 'Claude Code', isCut: false },
      { text: 'Sonnet 4.5', isCut: false },
    ]);
    const foot = await composerOf(chat.page);
    assert.ok(foot.height <= maxHeightPx, `${foot.height} px`);
    assertApart(foot, 440);
  });

  it('is so with any options', async () => {
    const chat = await pages.openChat(snapshot(busy, { offered }), { width: 250 });
    const name = fc.string({ minLength: 1, maxLength: 30, unit: fc.constantFrom('a', 'M', ' ', '漢', 'é') });
    const option = fc.oneof(
      fc.tuple(name, fc.constantFrom('model', 'mode', 'thought_level', 'other')).map(([value, id]) => ({
        ...select(id, 'x', { x: value }),
        id: `${id}${value}`,
      })),
      name.map((id): OptionView => ({ type: 'boolean', id, name: id, value: true, unattended: 'runs' })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(option, { maxLength: 7, selector: ({ id }) => id }),
        fc.constantFrom(...widths),
        name,
        async (options, width, backendTitle) => {
          await chat.page.setViewportSize({ width, height: 700 });
          await chat.tellSession({ ...busy, backendId: 'gone', backendTitle, options });
          await drawn(chat.page);
          const foot = await composerOf(chat.page);
          if (width >= 250) assert.ok(foot.height <= maxHeightPx, `${foot.height} px`);
          assertApart(foot, width);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps everything where it is when the options of an agent arrive, and when a turn begins', async () => {
    for (const width of [250, 300, 400, 850]) {
      const chat = await pages.openChat(snapshot(null, { chosenBackend: 'claude' }), { width });
      const placesOf = async (): Promise<Record<string, DOMRect | undefined>> => {
        await drawn(chat.page);
        const { parts } = await composerOf(chat.page);
        const find = (start: string): DOMRect | undefined => parts.find((part) => part.name.startsWith(start))?.box;
        return { agent: find('Agent: '), prompt: find('Prompt'), send: find('Send') ?? find('Stop') };
      };
      const before = await placesOf();
      await chat.tell({ newOptions: [model, effort, mode, fast] });
      assert.deepEqual(await placesOf(), before, `${width} px`);
      const namesShown = (): Promise<string[]> => chat.page.locator('.composer-pickers .picker-name').allTextContents();
      const names = await namesShown();
      await chat.tell(snapshot(sessionOf({ ...busy, options: [model, effort, mode, fast] })));
      assert.deepEqual(await placesOf(), before, `${width} px in a turn`);
      assert.deepEqual(await namesShown(), names);
    }
  });

  it('has the options without a picker of their own in a menu, by keyboard, too', async () => {
    const state = sessionOf({ ...busy, status: 'idle', options: [model, effort, mode, fast] });
    const chat = await pages.openChat(snapshot(state), { width: 300, height: 500 });
    const menu = chat.page.getByRole('button', { name: /Further Options/ });
    assert.match((await menu.getAttribute('title')) ?? '', /^Model: Sonnet 4.5\nThinking: High\nFast: On$/m);
    assert.equal(await menu.getAttribute('aria-label'), 'Further Options: 3');
    await menu.press('Enter');
    await chat.page.getByRole('menuitem', { name: 'Thinking' }).press('Enter');
    await chat.page.getByRole('option', { name: 'Low' }).waitFor();
    await chat.page.keyboard.press('ArrowUp');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.setOption), {
      sessionId: 's1',
      optionId: 'thought_level',
      value: 'low',
    });
    assert.ok(await menu.evaluate((button) => button === document.activeElement));
    await menu.click();
    for (const theme of themeNames) {
      await chat.setTheme(theme);
      assert.deepEqual(await chat.axe(), [], theme);
    }
    await chat.page.getByRole('menuitem', { name: 'Fast' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.setOption, 2), {
      sessionId: 's1',
      optionId: 'fast',
      value: false,
    });
    await chat.page.getByRole('menu').waitFor({ state: 'detached' });
    await chat.page.setViewportSize({ width: 150, height: 500 });
    await chat.tellSession({ ...state, options: [model, inMode('bypass')] });
    await chat.page.getByRole('button', { name: /^Further Options: \d: Runs without asking$/ }).waitFor();
  });

  it('offers the active file or the selection, which a click or Alt+Enter adds', async () => {
    const chat = await pages.openChat(snapshot(sessionOf(), { offered }), { width: 300 });
    const offer = chat.page.getByRole('button', { name: 'setlist.ts', exact: true });
    await offer.click();
    await offer.waitFor({ state: 'detached' });
    await chat.page.getByRole('button', { name: 'Remove setlist.ts' }).waitFor();
    await chat.tell({
      offered: { ...offered, kind: 'selection', id: 'selection:1', title: 'setlist.ts:12-13', line: 12 },
    });
    await chat.page.getByRole('button', { name: 'setlist.ts:12-13', exact: true }).waitFor();
    await chat.composer.press('Alt+Enter');
    await chat.page.getByRole('button', { name: 'Remove setlist.ts:12-13' }).waitFor();
    await chat.composer.fill('Look at it');
    await chat.composer.press('Enter');
    const sent = await chat.host.waitFor(chatRequests.send);
    assert.deepEqual(
      sent.attachments.map(({ id }) => id),
      ['file:/ws/setlist.ts', 'selection:1'],
    );
    await chat.tell({ offered: null });
    assert.equal(await chat.page.locator('.is-offered').count(), 0);
  });

  it('takes the @ of Add Context away again on Escape, and opens no list when a conversation is opened', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.mentions, () => ({ rows: [] }));
    await chat.composer.fill('Read');
    await chat.page.getByRole('button', { name: 'Add Context' }).click();
    await chat.page.getByRole('option', { name: /File/ }).first().waitFor();
    assert.equal(await chat.composer.inputValue(), 'Read @');
    await chat.composer.press('Escape');
    assert.equal(await chat.composer.inputValue(), 'Read');
    await chat.page.getByRole('listbox').waitFor({ state: 'detached' });
    // What was written after the @ stays.
    await chat.page.getByRole('button', { name: 'Add Context' }).click();
    await chat.composer.pressSequentially(' please');
    await chat.composer.evaluate((area) => {
      if (area instanceof HTMLTextAreaElement) area.setSelectionRange('Read @'.length, 'Read @'.length);
    });
    await chat.page.getByRole('listbox').waitFor();
    await chat.composer.press('Escape');
    await chat.page.getByRole('listbox').waitFor({ state: 'detached' });
    assert.equal(await chat.composer.inputValue(), 'Read @ please');
    await chat.composer.fill('');
    await chat.tell({ ...snapshot(sessionOf({ id: 's2' })), draft: { text: '@', attachments: [] } });
    await chat.composer.press('End');
    await drawn(chat.page);
    assert.equal(await chat.page.getByRole('listbox').count(), 0);
    await chat.composer.press('Backspace');
    await chat.composer.press('@');
    await chat.page.getByRole('listbox').waitFor();
  });

  it('marks the mode in which the agent does not ask, in all themes, also for a screen reader', async () => {
    const chat = await pages.openChat(snapshot(busy, { offered }), { width: 300, height: 500 });
    const picker = chat.page.getByRole('button', { name: 'Mode: Accept edits' });
    assert.match((await picker.getAttribute('title')) ?? '', /edits files without asking you first/);
    const descriptionId = await picker.getAttribute('aria-describedby');
    const description = await chat.page.locator(`[id="${descriptionId}"]`).textContent();
    assert.match(description ?? '', /edits files without asking you first/);
    assert.match((await picker.getAttribute('class')) ?? '', /is-warning/);
    for (const theme of themeNames) {
      for (const width of [250, 300, 400, 1440]) {
        await chat.page.setViewportSize({ width, height: 500 });
        await chat.setTheme(theme);
        if (width < 1440) assert.deepEqual(await chat.axe(), [], theme);
        await takePicture(chat.page, `composer-${theme}-${width}`);
      }
    }
    await chat.page.setViewportSize({ width: 300, height: 500 });
    await chat.tellSession({ options: [inMode('default')] });
    const asking = chat.page.getByRole('button', { name: 'Mode: Always ask' });
    await asking.waitFor();
    assert.doesNotMatch((await asking.getAttribute('class')) ?? '', /is-warning/);
    assert.equal(await asking.getAttribute('aria-describedby'), null);
    await asking.click();
    const choice = chat.page.getByRole('option', { name: /Bypass/ });
    assert.equal(await choice.textContent(), 'BypassRuns without asking');
  });

  it('says of an agent without modes what it was seen to do without asking, before the next prompt', async () => {
    const chat = await pages.openChat(snapshot(null, { newOptions: [], seenUnattended: 'runs' }), { width: 500 });
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
    // The options need the room.
    await chat.page.getByRole('img', { name: 'Edits without asking' }).waitFor();
    assert.equal(await note.textContent(), '');
    await chat.tell({ seenUnattended: null });
    await note.waitFor({ state: 'detached' });
  });

  it('shows the options of a conversation that has not begun, and takes choices for it', async () => {
    const chat = await pages.openChat(snapshot(null, { newOptions: [mode, model] }), { width: 500 });
    await chat.page.getByRole('button', { name: 'Mode: Accept edits' }).click();
    await chat.host.waitFor(chatRequests.prepare);
    await chat.page.getByRole('option', { name: 'Always ask' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.setOption), { optionId: 'mode', value: 'default' });
    await chat.tell({ newOptions: [inMode('default'), model] });
    await chat.page.getByRole('button', { name: 'Mode: Always ask' }).waitFor();
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
