import assert from 'node:assert/strict';
import { conversationsRequests } from '../../../src/chat/common/page/conversationsApi';
import { until } from '../../support/eventually';
import { ConversationPages, type ListHere } from './support/conversationPages';
import { now, rowOf, rowsTitled } from './support/conversationFixtures';

const few = rowsTitled('Alpha', 'Beta', 'Beta two', 'Gamma');

describe('the keyboard in the list of all conversations', () => {
  const pages = new ConversationPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const openFew = async (): Promise<ListHere> => {
    const list = await pages.openList({ rows: few, backends: [] });
    await list.item(/Alpha/).focus();
    return list;
  };
  const press = async (list: ListHere, ...keys: string[]): Promise<string> => {
    for (const key of keys) await list.page.keyboard.press(key);
    return await list.focused();
  };

  it('has one stop for the Tab key, and the buttons of the row in it', async () => {
    const list = await openFew();
    assert.equal(await list.page.locator('.tree-item[tabindex="0"]').count(), 1);
    await list.search.focus();
    const stops: string[] = [];
    for (let n = 0; n < 6; n++) {
      await list.page.keyboard.press('Tab');
      stops.push(
        await list.page.evaluate(
          () =>
            document.activeElement?.getAttribute('aria-label') ??
            document.activeElement?.getAttribute('role') ??
            'none',
        ),
      );
    }
    assert.deepEqual(stops, ['Group and Filter', 'treeitem', 'Archive', 'Pin', 'More Actions', 'none']);
  });

  it('leaves the second key of a shortcut of VS Code alone', async () => {
    const list = await openFew();
    await list.tell({ keyChords: ['ctrl+k'] });
    const before = await list.focused();
    await list.page.keyboard.press('Control+K');
    await list.page.keyboard.press('b');
    await list.search.focus();
    await list.page.keyboard.press('Control+K');
    await list.page.keyboard.press('b');
    assert.equal(await list.search.inputValue(), '');
    await list.item(before).focus();
    assert.equal(await list.focused(), before);
  });

  it('goes up and down, to the ends, and by letters', async () => {
    const list = await openFew();
    assert.match(await press(list, 'ArrowDown'), /^Beta$/);
    assert.match(await press(list, 'End'), /Gamma/);
    assert.match(await press(list, 'ArrowDown'), /Gamma/);
    assert.match(await press(list, 'Home'), /^Today/);
    assert.match(await press(list, 'ArrowUp'), /^Today/);
    assert.match(await press(list, 'PageDown'), /Gamma/);
    assert.match(await press(list, 'PageUp'), /^Today/);
    assert.match(await press(list, 'b'), /^Beta$/);
    assert.match(await press(list, 'e', 't', 'a', ' ', 't'), /Beta two/);
  });

  it('scrolls to what is not in view, and not behind the heading of its group', async () => {
    const many = Array.from({ length: 40 }, (_, at) => rowOf(`r${at}`, { updatedAt: now - at * 1_000 }));
    const list = await pages.openList({ rows: many, backends: [] }, { height: 400 });
    await list.item(/Conversation r0/).focus();
    await press(list, 'End');
    assert.equal(await list.focused(), 'Conversation r39');
    const isOnTop = (): Promise<boolean> =>
      list.page.evaluate(() => {
        const { bottom, left, top } = document.activeElement?.getBoundingClientRect() ?? new DOMRect();
        return [top + 2, bottom - 2].every(
          (y) => document.elementFromPoint(left + 40, y)?.closest('.row') === document.activeElement,
        );
      });
    await press(list, ...Array.from({ length: 12 }, () => 'ArrowUp'));
    assert.ok(await isOnTop());
    await press(list, 'Home', 'ArrowDown', ...Array.from({ length: 14 }, () => 'Shift+ArrowDown'));
    await list.page.getByText('15 selected').waitFor();
    assert.ok(await isOnTop(), 'above the bar of what is selected');
    await press(list, 'End');
    assert.ok(await isOnTop(), 'the last one');
  });

  it('collapses and expands groups, and goes into the buttons of a row', async () => {
    const list = await openFew();
    assert.equal(await press(list, 'ArrowRight'), await list.focused());
    assert.equal(await list.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Archive');
    await press(list, 'ArrowLeft');
    assert.match(await press(list, 'ArrowLeft'), /^Today/);
    await press(list, 'ArrowLeft');
    assert.equal(await list.page.locator('.row').count(), 0);
    assert.equal(await list.item(/^Today/).getAttribute('aria-expanded'), 'false');
    await press(list, 'ArrowRight');
    assert.match(await press(list, 'ArrowRight'), /Alpha/);
  });

  it('opens, opens in a tab, renames and deletes', async () => {
    const list = await openFew();
    await press(list, 'Enter', 'Control+Enter');
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: 'Alpha' });
    assert.deepEqual(await list.host.waitFor(conversationsRequests.openInTab), { sessionId: 'Alpha' });
    await press(list, 'F2');
    const field = list.page.getByRole('textbox', { name: 'Conversation title' });
    await field.fill('A new name');
    await field.press('Enter');
    const renamed = { sessionId: 'Alpha', title: 'A new name' };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.rename), renamed);
    assert.match(await list.focused(), /Alpha/);
    await press(list, 'F2', 'x', 'Escape');
    assert.match(await list.focused(), /Alpha/);
    await press(list, 'Delete');
    assert.deepEqual(await list.host.waitFor(conversationsRequests.delete), { sessionIds: ['Alpha'] });
    assert.equal(list.host.requestsOf(conversationsRequests.rename).length, 1);
    assert.equal(list.host.requestsOf(conversationsRequests.open).length, 1);
  });

  it('keeps a title that is being typed while VS Code has no focus and when the row moves', async () => {
    const list = await openFew();
    await press(list, 'End', 'F2');
    const field = list.page.getByRole('textbox', { name: 'Conversation title' });
    await field.fill('Half a na');
    await list.page.evaluate(() => {
      const field = document.activeElement;
      document.hasFocus = () => false;
      field?.dispatchEvent(new FocusEvent('blur'));
      document.hasFocus = () => true;
    });
    const gamma = few.filter(({ id }) => id === 'Gamma').map((row) => ({ ...row, isPinned: true }));
    await list.tell({ rows: gamma });
    await list.item(/^Pinned/).waitFor();
    assert.equal(list.host.requestsOf(conversationsRequests.rename).length, 0);
    await list.page.keyboard.type('me');
    await list.page.locator('.conversations-head').click({ position: { x: 2, y: 2 } });
    const renamed = { sessionId: 'Gamma', title: 'Half a name' };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.rename), renamed);
  });

  it('opens the menu of a row, which gives the focus back', async () => {
    const list = await openFew();
    await press(list, 'Shift+F10');
    await list.page.getByRole('menu', { name: 'Actions for “Alpha”' }).waitFor();
    await press(list, 'Escape');
    assert.match(await list.focused(), /Alpha/);
    await press(list, 'ContextMenu', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    const pinned = { sessionIds: ['Alpha'], isPinned: true };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.setPinned), pinned);
  });

  it('stays with a conversation that moves', async () => {
    const list = await openFew();
    await press(list, 'End');
    const gamma = few.filter(({ id }) => id === 'Gamma');
    await list.tell({ rows: gamma.map((row) => ({ ...row, state: 'waiting' })) });
    await list.item(/^Needs your input: Gamma/).waitFor();
    assert.match(await list.focused(), /Gamma/);
    await list.tell({ rows: gamma.map((row) => ({ ...row, isPinned: true })) });
    await list.item(/^Idle: Gamma.*pinned/).waitFor();
    assert.match(await list.focused(), /Gamma/);
  });

  it('goes to the next conversation when one goes, and from the last to the one before', async () => {
    const list = await openFew();
    await press(list, 'ArrowDown');
    await list.tell({ removed: ['Beta'] });
    await until('the next', async () => (await list.focused()).includes('Beta two'));
    await list.tell({ removed: ['Beta two', 'Gamma'] });
    await until('the one before', async () => (await list.focused()).includes('Alpha'));
    await list.tell({ removed: ['Alpha'] });
    await until('the search after the last', async () => (await list.focused()) === 'INPUT');
  });

  it('does not take the focus from where the user has put it', async () => {
    const list = await openFew();
    await list.search.focus();
    await list.tell({ removed: ['Alpha'] });
    await list.item(/Alpha/).waitFor({ state: 'detached' });
    assert.equal(await list.focused(), 'INPUT');
  });
});
