import assert from 'node:assert/strict';
import { drawn } from '../support/drawn';
import { ConversationPages } from './support/conversationPages';
import { now, rowOf } from './support/conversationFixtures';

const hourMs = 3_600_000;
const folders = Array.from({ length: 50 }, (_, at) => ({ id: `/repo/${at}/.git`, name: `repository ${at}` }));

describe('a list of 5,000 conversations', () => {
  const pages = new ConversationPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const rows = Array.from({ length: 5_000 }, (_, at) =>
    rowOf(`c${at}`, {
      updatedAt: now - at * 2 * hourMs,
      branch: 'main',
      changes: { files: 1, added: 2, removed: 3 },
      ...(folders[at % 50] && { repository: folders[at % 50] }),
    }),
  );
  const nodesOf = (page: { evaluate: (run: () => number) => Promise<number> }): Promise<number> =>
    page.evaluate(() => document.querySelectorAll('*').length);

  it('draws the first of each group, and more when the user wants them', async () => {
    const list = await pages.openList({ rows, backends: [] });
    assert.ok((await nodesOf(list.page)) < 8_000, `${await nodesOf(list.page)} nodes`);
    const before = await list.page.locator('.row').count();
    const last = await list.page.locator('.row-title').last().textContent();
    await list.item('Show 200 More').last().click();
    assert.equal(await list.page.locator('.row').count(), before + 200);
    assert.equal(await list.focused(), `Conversation c${Number(last?.replace('Conversation c', '')) + 1}`);
    await list.item('Show 200 More').last().focus();
    await list.page.keyboard.press('Enter');
    assert.equal(await list.focused(), `Conversation c${Number(last?.replace('Conversation c', '')) + 201}`);
    await list.page.getByRole('button', { name: 'Group and Filter' }).click();
    await list.page.locator('.menu-item', { hasText: 'Group by Repository' }).click();
    await list.item(/^repository 49/).waitFor();
    assert.ok((await nodesOf(list.page)) < 8_000, `${await nodesOf(list.page)} nodes, by repository`);
  });

  it('draws again only what has changed', async () => {
    const list = await pages.openList({ rows, backends: [] });
    await drawn(list.page);
    await list.page.evaluate(() => {
      const changed = new Set<string>();
      Object.assign(window, { changed });
      const keyOf = (node: Node): string =>
        (node instanceof Element ? node : node.parentElement)?.closest('[data-key]')?.getAttribute('data-key') ?? '';
      new MutationObserver((records) => records.forEach(({ target }) => changed.add(keyOf(target)))).observe(
        document.querySelector('.tree') ?? document,
        { subtree: true, childList: true, attributes: true, characterData: true },
      );
    });
    await list.tell({ rows: rows.slice(3, 4).map((row) => ({ ...row, title: 'Another title' })) });
    await list.item(/Another title/).waitFor();
    assert.deepEqual(await list.page.evaluate('[...changed]'), ['c3']);
  });
});
