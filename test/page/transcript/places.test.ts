import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { shortenPath, shortenPathsInText } from '../../../src/transcript/common/shortPath';
import { PageHarness, type OpenedPage, type PageOptions } from '../support/pageHarness';
import { sampleEntries } from './sample';
import { did, didPatch } from './transcriptPageApi';

const page: PageOptions = {
  entry: 'test/page/transcript/transcriptPage.tsx',
  style: 'test/page/transcript/transcriptPage.css',
  height: 2_600,
};
const file = '/work/csv/src/csv/parse.ts';

describe('the paths of a transcript', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(entries: Entry[], data: Readonly<Record<string, string>> = {}): Promise<OpenedPage> {
    const opened = await pages.openPage({ ...page, data });
    await opened.host.notify(didPatch, { reset: true, put: entries, before: 0 });
    await opened.page.locator('.entry').first().waitFor();
    return opened;
  }

  it('are relative to the folder of the workspace, and whole in the title', async () => {
    const newest = sampleEntries().filter(({ turn }) => turn < 2);
    const { page: shown, host } = await open(newest, { folders: '/work/csv' });
    await shown.locator('.tool-waiting > summary').click();
    const head = shown.locator('.diff .path');
    // The line of the call says which file it is and how many lines change.
    assert.match(await shown.locator('.tool-waiting > summary').innerText(), /Edit src\/csv\/parse\.ts\s+\+3\s+−1/);
    assert.equal(await head.innerText(), 'Line 40');
    assert.equal(await shown.locator('.part-head').innerText(), 'Line 40');
    assert.equal(await head.getAttribute('title'), file);
    await head.click();
    assert.deepEqual((await host.waitFor(did)).args, [file, 40]);
    await shown.locator('.turn-files > summary').click();
    assert.equal(
      await shown.getByRole('button', { name: 'Undo Changes from This Turn in src/csv/parse.ts' }).count(),
      1,
    );
  });

  it('are whole where no folder has them', async () => {
    const { page: shown } = await open(sampleEntries(), { folders: '/work/cs /other' });
    await shown.locator('.tool-waiting > summary').click();
    assert.equal(await shown.locator('.diff .path-folder').innerText(), '/work/csv/src/csv');
  });

  it('of the files that a turn has changed are opened by keyboard', async () => {
    const { page: shown, host } = await open(sampleEntries());
    await shown.locator('.turn-files > summary').first().click();
    await shown.locator('.change .path').first().focus();
    await shown.keyboard.press('Enter');
    assert.deepEqual(await host.waitFor(did), { action: 'openChange', args: [file, 1, null] });
  });
});

describe('a short path', () => {
  for (const [path, folders, expected] of [
    ['/work/a.ts', ['/work'], 'a.ts'],
    ['/work/a.ts', ['/work/'], 'a.ts'],
    ['/work', ['/work'], '/work'],
    ['/workshop/a.ts', ['/work'], '/workshop/a.ts'],
    ['/two/b.ts', ['/one', '/two'], 'two/b.ts'],
    ['c:\\work\\a.ts', ['C:\\work'], 'a.ts'],
    ['src/a.ts', ['/work'], 'src/a.ts'],
  ] as const) {
    it(`of ${path} in ${folders.join()} is ${expected}`, () => {
      assert.equal(shortenPath(path, folders), expected);
    });
  }

  it('takes the place of the path in a sentence', () => {
    const text = 'Read `/work/src/a.ts` and /etc/hosts, then "/work/b.ts"; see https://example.com/work/c';
    const expected = 'Read `src/a.ts` and /etc/hosts, then "b.ts"; see https://example.com/work/c';
    assert.equal(shortenPathsInText(text, ['/work']), expected);
  });
});
