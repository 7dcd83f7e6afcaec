import assert from 'node:assert/strict';
import { conversationsRequests } from '../../../src/chat/common/page/conversationsApi';
import { pauseClock } from '../support/drawn';
import { ConversationPages, type ListHere } from './support/conversationPages';
import { answerable, now, rowOf } from './support/conversationFixtures';

const { need } = answerable;
const answer = need?.answer;
assert.ok(answer);
const longest = `Wants to run: ${'echo "a  b" && '.repeat(7)}`.slice(0, 117) + '\u202e!';

describe('an approval in the list of all conversations', () => {
  const pages = new ConversationPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** The page's time stands still. */
  const openStill = async (rows = [answerable]): Promise<ListHere> => {
    const list = await pages.openList({ rows: [], backends: [] });
    await pauseClock(list.page, now);
    await list.tell({ rows, isComplete: true });
    await list.page.clock.runFor(50);
    return list;
  };
  const allow = (list: ListHere) => list.page.getByRole('button', { name: 'Allow Once' });
  const answersOf = (list: ListHere) => list.host.requestsOf(conversationsRequests.answer);

  it('is answered with what was shown, once', async () => {
    const list = await openStill();
    await list.page.clock.runFor(600);
    list.host.answer(conversationsRequests.answer, () => new Promise<never>(() => undefined));
    await allow(list).click();
    await allow(list).click({ force: true });
    await list.page.getByRole('button', { name: 'Deny' }).click({ force: true });
    await list.host.waitFor(conversationsRequests.answer);
    assert.deepEqual(answersOf(list), [
      { sessionId: 'answer', approvalId: 'a1', shown: 'hash-1', option: 'Yes, run it' },
    ]);
    assert.equal(list.host.requestsOf(conversationsRequests.open).length, 0);
  });

  it('is denied by keyboard, from the row on', async () => {
    const list = await openStill();
    await list.page.clock.runFor(600);
    await list.item(/Update the parser/).focus();
    await list.page.keyboard.press('ArrowRight');
    await list.page.keyboard.press('ArrowRight');
    await list.page.keyboard.press('Enter');
    assert.equal((await list.host.waitFor(conversationsRequests.answer)).option, 'No');
    await list.tell({ rows: [rowOf('answer', { title: 'Update the parser', state: 'busy' })] });
    await list.page.clock.runFor(50);
    await list.item(/^Working: Update the parser/).waitFor();
    assert.equal(await list.focused(), 'Update the parser');
  });

  it('says in its row why the answer was refused, and can be answered again', async () => {
    const list = await openStill();
    await list.page.clock.runFor(600);
    list.host.answer(conversationsRequests.answer, () => Promise.reject(new Error('It asks for something else now.')));
    await allow(list).click();
    await list
      .item(/Update the parser/)
      .getByRole('alert')
      .getByText('It asks for something else now.')
      .waitFor();
    await list.page.clock.runFor(600);
    await allow(list).click();
    await list.host.waitFor(conversationsRequests.answer, 2);
  });

  it('is not answered by a click that was meant for something else', async () => {
    const list = await openStill();
    await allow(list).click();
    await list.page.clock.runFor(600);
    // Another request comes under the pointer.
    const other = { ...answerable, need: { ...need, text: 'Wants to run: rm -rf /' } };
    await list.tell({ rows: [{ ...other, need: { ...other.need, answer: { ...answer, shown: 'hash-2' } } }] });
    await list.page.clock.runFor(100);
    await allow(list).click();
    await list.page.clock.runFor(600);
    // A row comes above it.
    await list.tell({ rows: [rowOf('above', { isPinned: true })] });
    await list.page.clock.runFor(100);
    await allow(list).click();
    assert.deepEqual(answersOf(list), []);
    await list.page.clock.runFor(600);
    // What changes below it does not matter.
    await list.tell({ rows: [rowOf('below')] });
    await list.page.clock.runFor(100);
    await allow(list).click();
    assert.equal((await list.host.waitFor(conversationsRequests.answer)).shown, 'hash-2');
  });

  it('is drawn whole, with what is hidden in it', async () => {
    const list = await openStill([{ ...answerable, need: { ...need, text: longest } }]);
    const text = list.page.locator('.need-text');
    assert.equal(await text.locator('[data-character]').getAttribute('data-character'), 'U+202E');
    assert.equal(await text.textContent(), longest.replace('\u202e', ''));
    for (const width of [250, 1440]) {
      await list.page.setViewportSize({ width, height: 700 });
      const cut = await text.evaluate(
        (box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1,
      );
      assert.ok(!cut, `cut at ${width}`);
      const agent = await list.page.getByText('Codex').boundingBox();
      assert.ok(agent && agent.width > 20, `who asks is in view at ${width}`);
    }
  });

  it('is not hidden behind the one before it', async () => {
    const list = await openStill([{ ...answerable, need: { ...need, others: 2 } }]);
    assert.equal(await list.page.locator('.need-text').textContent(), `${need.text} and 2 more requests`);
  });

  it('is no longer answered in its row when it is about to time out', async () => {
    const list = await openStill([{ ...answerable, need: { ...need, answer: { ...answer, until: now + 5_000 } } }]);
    await list.page.clock.runFor(4_000);
    await allow(list).waitFor();
    await list.page.clock.runFor(2_000);
    await allow(list).waitFor({ state: 'detached' });
    await list.page.getByRole('button', { name: 'Show' }).waitFor();
  });

  it('is looked at if the row does not have the whole request', async () => {
    const list = await openStill([{ ...answerable, need: { kind: 'approval', text: 'Wants to edit a.ts' } }]);
    assert.equal(await allow(list).count(), 0);
    await list.page.getByRole('button', { name: 'Show' }).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: 'answer' });
  });
});
