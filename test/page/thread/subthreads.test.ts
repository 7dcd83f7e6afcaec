import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { DisposableStore, toDisposable } from '../../../src/base/common/disposable';
import { systemClock } from '../../../src/base/node/systemClock';
import { FollowedThread } from '../../../src/threads/common/page/followedThread';
import { mapThreadJson } from '../../../src/threads/common/mapping/mapThreadJson';
import { didUpdate, threadRequests } from '../../../src/threads/common/page/threadApi';
import { ThreadFeed } from '../../../src/threads/common/page/threadFeed';
import { ThreadError, type ThreadWithEntries } from '../../../src/threads/common/threadPorts';
import { drawn } from '../support/drawn';
import type { FakeHost } from '../support/fakeHost';
import { ThreadPages, type ThreadHere } from './support/threadPages';

const rethrow = (error: unknown): void => {
  throw error;
};

function fixture(name: string): ThreadWithEntries {
  const file = inRoot('test', 'fixtures', 'threads', `${name}.thread.json`);
  return mapThreadJson(JSON.parse(readFileSync(file, 'utf8')), { source: 'local', mtimeMs: 1, nowMs: 3_600_000 });
}

const parent = fixture('18-subthread-parent');
const subthread = fixture('18-subthread');

describe('a thread with subagents that have threads of their own', () => {
  const pages = new ThreadPages();
  const store = new DisposableStore();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(async () => {
    store.dispose();
    await pages.stop();
  });

  /** The page, with what the extension does behind it. */
  async function open({ head: { id } }: ThreadWithEntries): Promise<ThreadHere> {
    const threads = new Map([parent, subthread].map((thread) => [thread.head.id, thread]));
    const ports = {
      read: (threadId: string): Promise<ThreadWithEntries> => {
        const found = threads.get(threadId);
        return found ? Promise.resolve(found) : Promise.reject(new ThreadError('notFound', 'It is not here.'));
      },
      subscribe: () => toDisposable(() => undefined),
    };
    const followed = store.add(new FollowedThread(id, ports, systemClock, rethrow));
    const prepare = (host: FakeHost): void => {
      const post = (update: Parameters<typeof host.notify<typeof didUpdate.params>>[1]): void =>
        void host.notify(didUpdate, update);
      const feed = store.add(
        new ThreadFeed({ followed, actionsFor: () => [], hasFile: () => false, post, clock: systemClock }),
      );
      feed.start();
      host.answer(threadRequests.ready, () => {
        feed.connectPage();
        return {};
      });
      host.answer(threadRequests.showSubthread, ({ entryId, isShown }) => {
        if (!isShown) followed.hideSubthread(entryId);
        const problem = isShown ? followed.showSubthread(entryId) : undefined;
        return problem === undefined ? {} : { problem };
      });
    };
    await followed.start();
    return await pages.openThread({}, { prepare });
  }

  it('shows the transcript of one when it is opened, and lets it go when it is closed', async () => {
    const { page, host, problems } = await open(parent);
    const card = page.locator('[data-entry="m1.0"]');
    await card.getByText('Look for the sum').click();
    assert.deepEqual(host.requestsOf(threadRequests.showSubthread), []);
    await card.getByText('Subagent transcript').click();
    await card.getByText('I search for it.').waitFor();
    await card.locator('[data-entry="m1.0>m1.2"]').waitFor();
    await card.getByText('Subagent transcript').click();
    await card.getByText('I search for it.').waitFor({ state: 'detached' });
    assert.deepEqual(await host.waitFor(threadRequests.showSubthread, 2), { entryId: 'm1.0', isShown: false });
    await page.getByText('The sum is right.').waitFor();
    assert.deepEqual(problems, []);
  });

  it('shows what cannot be shown, and opens the thread of each', async () => {
    const { page, host } = await open(parent);
    await page.getByRole('button', { name: 'Expand All' }).click();
    const missing = 'This subagent’s thread can’t be read. It is not here.';
    await page.getByRole('article').getByText(missing).waitFor();
    await page.getByText('thread contains itself').waitFor();
    await page.getByText('I search for it.').waitFor();
    await drawn(page);
    assert.deepEqual(await page.getByRole('log').locator('p').allInnerTexts(), [missing]);
    await page.getByRole('button', { name: `Subagent thread ${subthread.head.id}` }).click();
    const { target } = await host.waitFor(threadRequests.open);
    assert.equal(target, `https://ampcode.com/threads/${subthread.head.id}`);
  });

  it('leads from the thread of a subagent to the one that started it', async () => {
    const { page, host } = await open(subthread);
    await page.locator('.thread-notice').getByRole('button', { name: parent.head.id }).click();
    assert.deepEqual(await host.waitFor(threadRequests.open), { target: parent.head.id });
  });
});
