// The plan of the agent: one line above the composer while it runs, one line in the transcript when it is done.
import assert from 'node:assert/strict';
import type { TodoItem } from '../../../src/transcript/common/entries';
import { layoutFaults, panelWidths } from '../support/layout';
import { themeNames } from '../support/themes';
import { entries, now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';
import { lineSays, recordTexts } from './support/statusLines';
import { takePicture } from '../../support/pictures';

const plan: TodoItem[] = [
  { text: 'Read the parser', status: 'completed' },
  { text: 'Run the tests and fix what fails, then look at every place that calls it', status: 'in_progress' },
  { text: 'Write the change log', status: 'pending', priority: 'high' },
  { text: 'x'.repeat(200), status: 'cancelled' },
];
const running = sessionOf({ status: 'busy', isBusy: true, activity: { kind: 'thinking', since: now }, plan });
const last: TodoItem[] = plan.map((item, index) => ({ ...item, status: index < 2 ? 'completed' : item.status }));

describe('the plan', function () {
  this.timeout(120_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is one line that fits at every width and zoom, in every theme, with its steps on request', async () => {
    const chat = await pages.openChat(snapshot(running), { height: 600, reducedMotion: true });
    const { page } = chat;
    const summary = page.locator('.plan summary');
    assert.equal(await summary.locator('.plan-number').textContent(), '2/4');
    for (const isOpen of [false, true]) {
      if (isOpen) await summary.click();
      for (const width of panelWidths) {
        await page.setViewportSize({ width, height: 500 });
        assert.deepEqual(await layoutFaults(page, '.plan'), [], `${width} px`);
        const box = await page.locator('.plan').boundingBox();
        const line = await summary.boundingBox();
        assert.ok(box && line && line.height >= 24 && line.height <= 26, JSON.stringify(line));
        assert.ok(isOpen ? box.height > line.height : box.height <= line.height + 1, JSON.stringify(box));
      }
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        for (const width of [250, 1440]) {
          await page.setViewportSize({ width, height: 600 });
          await takePicture(page, `plan-${isOpen ? 'open' : 'line'}-${width}-${theme}`);
        }
        assert.deepEqual(await chat.axe(), [], theme);
      }
    }
    assert.deepEqual(chat.problems, []);
  });

  it('opens by key, stays open from step to step, and goes when it is done', async () => {
    const chat = await pages.openChat(snapshot(running), { reducedMotion: true });
    await chat.page.locator('.plan summary').focus();
    await chat.page.keyboard.press('Enter');
    assert.equal(await chat.page.locator('.plan .todo').count(), 4);
    await chat.tellSession({ plan: last });
    await chat.page.locator('.plan-number', { hasText: '3/4' }).waitFor();
    assert.ok(await chat.page.locator('.plan .todo').first().isVisible());
    const items: TodoItem[] = last.map((item) => (item.status === 'pending' ? { ...item, status: 'completed' } : item));
    const withoutPlan = sessionOf({ status: 'busy', isBusy: true });
    await chat.tell({
      session: withoutPlan,
      transcript: { put: [{ kind: 'todos', id: 'plan', turn: 1, items }], before: entries.length },
    });
    await chat.page.locator('.plan').waitFor({ state: 'detached' });
    const entry = chat.page.locator('.entry-todos');
    assert.equal(await entry.locator('summary').innerText(), 'Plan\n3 of 4 done');
    assert.ok(((await entry.boundingBox())?.height ?? 99) <= 24);
    await entry.locator('summary').click();
    assert.equal(await entry.locator('.todo').count(), 4);
  });

  it('is announced once for each step', async () => {
    const chat = await pages.openChat(snapshot(sessionOf()));
    const said = await recordTexts(chat.page, '[data-of=plan]');
    const tell = async (items: TodoItem[], title: string): Promise<void> => {
      await chat.tellSession({ status: 'busy', isBusy: true, plan: items, activity: { kind: 'running', title } });
      await lineSays(chat, title);
    };
    await tell(plan, 'One');
    await tell(plan, 'Two');
    await tell(last, 'Three');
    assert.deepEqual(await said(), [`Step 2 of 4: ${plan[1]?.text}`, 'Step 3 of 4: Write the change log']);
  });
});
