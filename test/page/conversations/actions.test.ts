import assert from 'node:assert/strict';
import { conversationsRequests } from '../../../src/chat/common/page/conversationsApi';
import { pauseClock } from '../support/drawn';
import { ConversationPages, type ListHere } from './support/conversationPages';
import { now, rowOf, rowsTitled } from './support/conversationFixtures';

const few = rowsTitled('Alpha', 'Beta', 'Gamma', 'Delta');

describe('the actions of the list of all conversations', () => {
  const pages = new ConversationPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const openFew = (): Promise<ListHere> => pages.openList({ rows: few, backends: [] });
  const selected = (list: ListHere): Promise<string[]> =>
    list.page.locator('.row[aria-selected=true] .row-title').allTextContents();
  const choose = async (list: ListHere, row: RegExp, label: string): Promise<void> => {
    await list.item(row).click({ button: 'right' });
    await list.page.getByRole('menuitem', { name: label }).click();
  };

  /** Lets so much time pass that no row has just moved below the pointer. */
  const letRowsRest = async (list: ListHere): Promise<void> => {
    await pauseClock(list.page, now);
    await list.page.clock.runFor(600);
  };

  it('come with the pointer: pin and archive, or stop what works', async () => {
    const list = await pages.openList();
    await letRowsRest(list);
    await list.item(/Why does/).hover();
    await list
      .item(/Why does/)
      .getByRole('button', { name: 'Archive' })
      .click();
    const archived = { sessionIds: ['idle1'], isArchived: true };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.setArchived), archived);
    await list.page.getByText('Archived 1 conversation. Nothing was deleted.').waitFor();
    await list.page.getByRole('button', { name: 'Undo' }).click();
    const restored = { sessionIds: ['idle1'], isArchived: false };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.setArchived, 2), restored);
    await list.page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await list.page.clock.runFor(600);
    await list.item(/Fix the login/).hover();
    await list
      .item(/Fix the login/)
      .getByRole('button', { name: 'Stop' })
      .click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.stop), { sessionIds: ['busy'] });
    assert.equal(list.host.requestsOf(conversationsRequests.open).length, 0);
  });

  it('have places of their own in a row, so that none takes a click that was meant for another', async () => {
    const list = await openFew();
    await list.item(/Alpha/).hover();
    const placeOf = async (name: string) => await list.item(/Alpha/).getByRole('button', { name }).boundingBox();
    const [archive, pin] = [await placeOf('Archive'), await placeOf('Pin')];
    const busy = { ...few[0], state: 'busy' as const } as (typeof few)[number];
    await list.tell({ rows: [busy] });
    await list.item(/Alpha/).getByRole('button', { name: 'Stop' }).waitFor();
    const stop = await placeOf('Stop');
    assert.ok(archive && pin && stop);
    assert.notEqual(stop.x, archive.x);
    assert.ok(stop.x + stop.width <= archive.x);
    assert.equal((await placeOf('Pin'))?.x, pin.x);
    const title = await list.item(/Alpha/).locator('.row-title').boundingBox();
    assert.ok(title && title.x + title.width <= stop.x, 'the title is not below the buttons');
  });

  it('are not done with a row that has just come below the pointer', async () => {
    const list = await openFew();
    await letRowsRest(list);
    await list.item(/Beta/).hover();
    await list.tell({ rows: [rowOf('New', { title: 'New', updatedAt: now + 1 })] });
    await list.page.clock.runFor(50);
    const pin = list.page.getByRole('button', { name: 'Pin' }).first();
    await pin.click();
    await list.page.clock.runFor(600);
    assert.deepEqual(list.host.requestsOf(conversationsRequests.setPinned), []);
    await pin.click();
    await list.host.waitFor(conversationsRequests.setPinned);
  });

  it('are for no other rows after those that were selected are gone', async () => {
    const list = await openFew();
    await list.item(/Gamma/).focus();
    await list.page.keyboard.press('Shift+ArrowDown');
    assert.deepEqual(await selected(list), ['Gamma', 'Delta']);
    await list.tell({ removed: ['Gamma'] });
    await list.item(/Delta/).focus();
    await list.page.keyboard.press('Shift+ArrowUp');
    assert.deepEqual(await selected(list), ['Beta', 'Delta']);
    await list.page.keyboard.press('Escape');
    await list.item(/Alpha/).click({ modifiers: ['Control'] });
    await list.tell({ removed: ['Alpha'] });
    await list.item(/Alpha/).waitFor({ state: 'detached' });
    await list.tell({ rows: few.slice(0, 1) });
    await list.item(/Alpha/).waitFor();
    assert.deepEqual(await selected(list), []);
  });

  it('delete once, however long or often the key is pressed', async () => {
    const list = await openFew();
    await pauseClock(list.page, now);
    const deleted = () => list.host.requestsOf(conversationsRequests.delete).map(({ sessionIds }) => sessionIds.join());
    await list.item(/Alpha/).focus();
    await list.page.keyboard.down('Delete');
    await list.page.keyboard.down('Delete');
    await list.page.keyboard.up('Delete');
    await list.page.keyboard.press('Shift+Delete');
    await list.page.keyboard.press('Control+Delete');
    await list.host.waitFor(conversationsRequests.delete);
    await list.tell({ removed: ['Alpha'] });
    await list.page.clock.runFor(50);
    assert.match(await list.focused(), /Beta/);
    await list.page.keyboard.press('Delete');
    await list.page.clock.runFor(600);
    assert.deepEqual(deleted(), ['Alpha']);
    await list.page.keyboard.press('Delete');
    await list.host.waitFor(conversationsRequests.delete, 2);
    assert.deepEqual(deleted(), ['Alpha', 'Beta']);
  });

  it('are all in the menu of a row', async () => {
    const list = await pages.openList();
    await choose(list, /A grammar for dates/, 'Open Folder in New Window');
    await list.host.waitFor(conversationsRequests.openInNewWindow);
    await choose(list, /Move the settings/, 'Switch to Its Window');
    await list.host.waitFor(conversationsRequests.goToWindow);
    await choose(list, /A grammar for dates/, 'Locate Folder…');
    await list.host.waitFor(conversationsRequests.locateFolder);
    await choose(list, /Rename greet/, 'Review Changes');
    assert.deepEqual(await list.host.waitFor(conversationsRequests.review), { sessionId: 'done' });
    await choose(list, /Rename greet/, 'Fork');
    await list.host.waitFor(conversationsRequests.fork);
    await choose(list, /Rename greet/, 'Continue with Another Agent…');
    await list.host.waitFor(conversationsRequests.continueWith);
    await choose(list, /Release notes/, 'Unpin');
    assert.deepEqual(await list.host.waitFor(conversationsRequests.setPinned), {
      sessionIds: ['pinned'],
      isPinned: false,
    });
    await list.item(/Explain the cache/).hover();
    await list
      .item(/Explain the cache/)
      .getByRole('button', { name: 'More Actions' })
      .click();
    const items = ['Open', 'Export…'];
    const names = await list.page.getByRole('menuitem').locator('.menu-words').allTextContents();
    assert.deepEqual(names, items);
    const button = await list
      .item(/Explain the cache/)
      .getByRole('button', { name: 'More Actions' })
      .boundingBox();
    const menu = await list.page.getByRole('menu').boundingBox();
    assert.ok(button && menu && menu.y + menu.height <= button.y && button.y - menu.y - menu.height < 20, 'above it');
    await list.page.getByRole('menuitem', { name: 'Export…' }).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.export), { sessionId: 'amp', format: 'markdown' });
    await choose(list, /Rename greet/, 'Export as HTML');
    const exported = { sessionId: 'done', format: 'html' } as const;
    assert.deepEqual(await list.host.waitFor(conversationsRequests.export, 2), exported);
    await choose(list, /Explain the cache/, 'Open');
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: 'amp' });
  });

  it('that fail say so in their row', async () => {
    const list = await openFew();
    list.host.answer(conversationsRequests.fork, () => Promise.reject(new Error('It still runs.')));
    await choose(list, /Beta/, 'Fork');
    await list.item(/Beta/).getByRole('alert').getByText('It still runs.').waitFor();
    await list.item(/Beta/).getByRole('button', { name: 'Dismiss' }).click();
    await list.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('are for several, selected by pointer', async () => {
    const list = await openFew();
    await list.item(/Alpha/).click({ modifiers: ['ControlOrMeta'] });
    await list.item(/Gamma/).click({ modifiers: ['ControlOrMeta'] });
    assert.deepEqual(await selected(list), ['Alpha', 'Gamma']);
    await list.item(/Delta/).click({ modifiers: ['Shift'] });
    assert.deepEqual(await selected(list), ['Gamma', 'Delta']);
    await list.item(/Delta/).click({ modifiers: ['ControlOrMeta'] });
    await list.item(/Alpha/).click({ modifiers: ['ControlOrMeta'] });
    assert.equal(list.host.requestsOf(conversationsRequests.open).length, 0);
    const bar = list.page.getByRole('toolbar', { name: 'Selected conversations' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Archive' }).click();
    const archived = { sessionIds: ['Gamma', 'Alpha'], isArchived: true };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.setArchived), archived);
    await bar.waitFor({ state: 'detached' });
    await list.item(/Beta/).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: 'Beta' });
  });

  it('are for several, selected by keyboard, and those that are gone are not among them', async () => {
    const list = await openFew();
    await list.item(/Alpha/).focus();
    await list.page.keyboard.press('Shift+ArrowDown');
    await list.page.keyboard.press('Shift+ArrowDown');
    assert.deepEqual(await selected(list), ['Alpha', 'Beta', 'Gamma']);
    await list.page.keyboard.press('Shift+ArrowUp');
    assert.deepEqual(await selected(list), ['Alpha', 'Beta']);
    await list.page.keyboard.press('Control+a');
    assert.deepEqual(await selected(list), ['Alpha', 'Beta', 'Gamma', 'Delta']);
    await list.tell({ removed: ['Gamma'] });
    await list.page.getByText('3 selected').waitFor();
    await list.page.keyboard.press('Delete');
    const deleted = { sessionIds: ['Alpha', 'Beta', 'Delta'] };
    assert.deepEqual(await list.host.waitFor(conversationsRequests.delete), deleted);
    await list.page.keyboard.press('Escape');
    assert.deepEqual(await selected(list), []);
    await list.page.keyboard.press(' ');
    assert.equal((await selected(list)).length, 1);
  });

  it('of several that fail say so above the list', async () => {
    const list = await openFew();
    list.host.answer(conversationsRequests.setPinned, () => Promise.reject(new Error('1 of 2 could not be pinned.')));
    await list.item(/Alpha/).focus();
    await list.page.keyboard.press('Shift+ArrowDown');
    await list.page.keyboard.press('Shift+F10');
    await list.page.getByRole('menu', { name: 'Actions for 2 conversations' }).waitFor();
    await list.page.getByRole('menuitem', { name: 'Pin' }).click();
    await list.page.locator('.page-failure').getByText('1 of 2 could not be pinned.').waitFor();
  });

  it('leave the focus in the list when their button goes', async () => {
    const list = await openFew();
    await letRowsRest(list);
    const press = async (button: string, key = 'Enter'): Promise<void> => {
      await list.page.getByRole('button', { name: button, exact: true }).focus();
      await list.page.keyboard.press(key);
      await list.page.getByRole('button', { name: button, exact: true }).waitFor({ state: 'detached' });
    };
    const select = async (): Promise<void> => {
      await list.item(/Beta/).focus();
      await list.page.keyboard.press('Shift+ArrowDown');
    };
    await select();
    await press('Clear Selection', 'Escape');
    assert.match(await list.focused(), /Gamma/);
    await select();
    await press('Clear Selection');
    assert.match(await list.focused(), /Gamma/);
    await list.page.keyboard.press('Tab');
    await list.page.getByRole('button', { name: 'Archive' }).press('Enter');
    await press('Undo');
    assert.match(await list.focused(), /Gamma/);
    await list.page.clock.runFor(600);
    await list.page.getByRole('button', { name: 'Archive' }).press('Enter');
    await press('Dismiss');
    assert.match(await list.focused(), /Gamma/);
  });

  it('say so if the last cannot be undone, and offer it again', async () => {
    const list = await openFew();
    await letRowsRest(list);
    await list.item(/Beta/).hover();
    await list.item(/Beta/).getByRole('button', { name: 'Archive' }).click();
    await list.page.getByRole('button', { name: 'Undo' }).waitFor();
    list.host.answer(conversationsRequests.setArchived, () => Promise.reject(new Error('The disk is full.')));
    await list.page.getByRole('button', { name: 'Undo' }).click();
    await list.page.getByRole('alert').getByText('The disk is full.').waitFor();
    assert.equal(await list.page.getByRole('button', { name: 'Undo' }).count(), 1);
    const dismiss = list.page.getByRole('alert').getByRole('button', { name: 'Dismiss' });
    await dismiss.press('Enter');
    await dismiss.waitFor({ state: 'detached' });
    assert.match(await list.focused(), /Alpha|Beta/);
  });
});
