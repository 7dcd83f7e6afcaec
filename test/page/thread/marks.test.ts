import assert from 'node:assert/strict';
import { threadRequests } from '../../../src/threads/common/page/threadApi';
import { truncateEntry } from '../../../src/transcript/common/truncateEntry';
import { drawn } from '../support/drawn';
import { marksEntries, reversed, snapshot, view } from './support/threadFixtures';
import { ThreadPages } from './support/threadPages';

describe('what a thread marks', () => {
  const pages = new ThreadPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is a folded command that did not end well', async () => {
    const { page } = await pages.openThread(snapshot({}, marksEntries));
    const failed = page.locator('.tool', { hasText: 'Run make test' });
    await failed.locator('.state', { hasText: 'Exit code 3' }).waitFor();
    assert.equal(await failed.evaluate((element) => element.hasAttribute('open')), false);
    const fine = page.locator('.tool', { hasText: 'Run make build' });
    assert.equal(await fine.locator('.state').count(), 0);
    const colours = await page.evaluate(() =>
      [...document.querySelectorAll('.tool > summary > .tool-icon')].map((icon) => getComputedStyle(icon).color),
    );
    assert.notEqual(colours[0], colours[1]);
  });

  it('are characters that reverse or hide text, wherever a thread has a say', async () => {
    const title = `Title ${reversed}`;
    const facts = [{ label: 'Branch', value: reversed }];
    const outline = [{ entryId: 'p', index: 0, turn: 1, text: reversed }];
    const thread = { ...view, title, mode: reversed, facts, notes: [reversed] };
    const { page } = await pages.openThread({ ...snapshot({ thread, outline }, marksEntries), problem: reversed });
    await page.getByRole('button', { name: 'Outline' }).click();
    await page.getByText('About').click();
    for (const place of ['h1', '.thread-summary', '.outline-text', '.thread-facts dd', '.thread-notice.is-error']) {
      assert.ok((await page.locator(place).first().locator('[data-character="U+202E"]').count()) > 0, place);
    }
    const raw = await page.evaluate(() =>
      [...document.querySelectorAll('body, body *')].flatMap((element) => [
        ...[...element.childNodes].flatMap((node) => (node instanceof Text ? [node.data] : [])),
        ...[...element.attributes].map(({ value }) => value),
      ]),
    );
    assert.deepEqual(
      raw.filter((text) => /[\u202e]|\u2003{2}/.test(text)),
      [],
    );
    await page.locator('[data-character="U+2003 ×12"]').first().waitFor();
  });

  it('is where a link leads, whatever its words are', async () => {
    const { page, host } = await pages.openThread(snapshot({}, marksEntries));
    await page.locator('.tool', { hasText: 'Search the web' }).click();
    const link = page.locator('.link-part', { hasText: 'https://good.example/docs' });
    assert.equal(await link.locator('.quiet').innerText(), 'evil.example');
    await link.getByRole('button').click();
    assert.deepEqual(await host.waitFor(threadRequests.open), { target: 'https://evil.example/docs' });
  });

  it('is what a long prompt leaves out, which is fetched to be shown or copied', async () => {
    const prompt = { kind: 'prompt', id: 'p', turn: 1, text: `${'a long line\n'.repeat(50_000)}the end` } as const;
    const { page, host } = await pages.openThread(snapshot({}, [truncateEntry(prompt)]), {
      prepare: (prepared) => {
        prepared.answer(threadRequests.showAll, () => ({ entry: prompt }));
        prepared.answer(threadRequests.copy, () => ({}));
      },
    });
    const units = (): Promise<number> => page.locator('.prompt-text').evaluate((text) => text.textContent.length);
    assert.ok((await units()) < 20_000);
    await page.locator('.bubble').hover();
    await page.getByRole('button', { name: 'Copy Prompt' }).click();
    assert.equal((await host.waitFor(threadRequests.copy)).text, prompt.text);
    assert.ok((await units()) < 20_000);
    await page.getByRole('button', { name: 'Show all (600 KB)' }).click();
    await page.getByRole('button', { name: 'Show Less' }).waitFor();
    assert.equal(await units(), prompt.text.length);
  });

  it('opens all that is folded, what comes later too, until the user folds one', async () => {
    const { page, tell } = await pages.openThread(snapshot({}, marksEntries));
    const closed = (): Promise<number> => page.locator('.transcript details:not([open])').count();
    await page.getByRole('button', { name: 'Expand All' }).click();
    await drawn(page);
    assert.ok((await page.locator('details.input[open]').count()) > 0);
    assert.equal(await closed(), 0);
    const late = marksEntries.flatMap((entry) => (entry.kind === 'tool' ? [{ ...entry, id: `${entry.id}-late` }] : []));
    await tell({ transcript: { put: late, before: 0 } });
    await page.locator('[data-entry="c1-late"] details.input[open]').waitFor();
    assert.equal(await closed(), 0);
    await page.locator('[data-entry="c1-late"] > details > summary').click();
    assert.equal(await closed(), 1);
    await page.getByRole('button', { name: 'Collapse All' }).click();
    await drawn(page);
    assert.equal(await page.locator('.transcript details[open]').count(), 0);
  });

  it('is the way to a file that is too large to be shown', async () => {
    const { page, host } = await pages.openThread({ problem: 'This thread has 61.2 MiB.', hasFile: true });
    await page.getByRole('button', { name: 'Open as JSON' }).click();
    await host.waitFor(threadRequests.openFile);
    const other = await pages.openThread({ problem: 'There is no such thread.', hasFile: false });
    await other.page.getByText('no such thread').waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Open as JSON' }).count(), 0);
  });
});
