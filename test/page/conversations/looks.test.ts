import assert from 'node:assert/strict';
import { conversationsRequests } from '../../../src/chat/common/page/conversationsApi';
import { drawn } from '../support/drawn';
import { layoutFaults, overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { takePicture } from '../../support/pictures';
import { ConversationPages, type ListHere } from './support/conversationPages';
import { answerable, rowOf, rows } from './support/conversationFixtures';

const hostile = [
  rowOf('bidi', { title: 'Delete \u202egnihton\u202c now', branch: 'a\u200bb', backendTitle: 'Agent\u2066' }),
  rowOf('html', { title: '<img src=x onerror=alert(1)>', snippet: '<b>no</b>' }),
  rowOf('word', {
    title: 'x'.repeat(4_000),
    branch: 'y'.repeat(300),
    state: 'busy',
    activity: { kind: 'running', title: 'z'.repeat(900) },
  }),
  rowOf('rtl', { title: 'مرحبا بالعالم', elsewhere: { folder: `/home/${'deep/'.repeat(40)}`, isGone: true } }),
  rowOf('need', { state: 'waiting', need: { kind: 'approval', text: `Wants to run: ${'w'.repeat(100)}` } }),
];

describe('the looks of the list of all conversations', function () {
  this.timeout(180_000);
  const pages = new ConversationPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const busiest = async (list: ListHere): Promise<void> => {
    list.host.answer(conversationsRequests.fork, () => Promise.reject(new Error('It still runs in another window.')));
    await list.item(/Rename greet/).click({ button: 'right' });
    await list.page.getByRole('menuitem', { name: 'Fork' }).click();
    await list.page.getByRole('alert').waitFor();
    await list.item(/Why does/).click({ modifiers: ['ControlOrMeta'] });
    await drawn(list.page);
  };

  for (const theme of themeNames)
    for (const width of [250, 400, 1440])
      it(`are accessible and fit: ${theme}, ${width} px`, async () => {
        const place = width > 1000 ? { data: { place: 'tab' } } : {};
        const list = await pages.openList({ shown: 'done' }, { theme, width, height: 1200, ...place });
        await busiest(list);
        assert.deepEqual(await list.axe(), []);
        assert.deepEqual(await overflowing(list.page), []);
        assert.deepEqual(await layoutFaults(list.page, '.conversations'), []);
        await takePicture(list.page, `conversations-${theme}-${width}`);
        await list.page.keyboard.press('Shift+F10');
        assert.deepEqual(await list.axe(), []);
        await list.page.keyboard.press('Escape');
        await list.page.keyboard.press('Escape');
        await list.page.getByRole('button', { name: 'Group and Filter' }).click();
        assert.deepEqual(await list.axe(), []);
        assert.deepEqual(list.problems, []);
      });

  for (const width of [170, 250, 1440])
    it(`hold what others have written: ${width} px`, async () => {
      const list = await pages.openList({ rows: hostile }, { width });
      const scrolls = await list.page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('.conversations-main')].map(
          (box) => box.scrollWidth > box.clientWidth,
        ),
      );
      assert.deepEqual(scrolls, [false, false]);
      assert.deepEqual(await list.axe(), []);
      const hidden = list.page.locator('.row-title [data-character]');
      assert.equal(await hidden.first().getAttribute('data-character'), 'U+202E');
      assert.ok((await list.names()).some((name) => /Delete U\+202E ?gnihton ?U\+202C now/.test(name)));
      assert.equal(await list.page.locator('.row img, .row b').count(), 0);
      assert.deepEqual(list.problems, []);
    });

  it('stand still where motion is reduced', async () => {
    const turning = async (reducedMotion: boolean): Promise<number> => {
      const list = await pages.openList({ rows }, { reducedMotion });
      return await list.page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
      );
    };
    assert.equal(await turning(true), 0);
    assert.equal(await turning(false), 1);
  });

  it('tell what is selected where the system forces its colors', async () => {
    const list = await pages.openList({ rows });
    await list.page.emulateMedia({ forcedColors: 'active' });
    await list.item(/Why does/).click({ modifiers: ['ControlOrMeta'] });
    await list.search.focus();
    const outlineOf = (name: RegExp): Promise<string> =>
      list.item(name).evaluate((row) => getComputedStyle(row).outlineStyle);
    assert.equal(await outlineOf(/Why does/), 'solid');
    assert.equal(await outlineOf(/Fix the login/), 'none');
    await takePicture(list.page, 'conversations-forced-colors');
    await list.page.emulateMedia({ forcedColors: 'none' });
  });

  for (const width of [180, 250])
    it(`tell a screen reader what there is no room for: ${width} px`, async () => {
      const list = await pages.openList({ rows }, { width });
      const names = (await list.names()).join('\n');
      for (const fact of ['Rename greet to welcome .* branch main .*\\$1.20', 'Move the settings .*parser'])
        assert.match(names, new RegExp(fact));
    });

  it('have a shape for each state', async () => {
    const states = ['idle', 'busy', 'waiting', 'unread', 'failed', 'interrupted'] as const;
    const list = await pages.openList({
      rows: states.map((state) => rowOf(state, { ...(state === 'waiting' && answerable), id: state, state })),
    });
    const shapes = await list.page.locator('.mark svg').evaluateAll((marks) => marks.map((mark) => mark.innerHTML));
    assert.equal(new Set(shapes).size, states.length);
  });
});
