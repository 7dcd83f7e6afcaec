import assert from 'node:assert/strict';
import { toDisposable } from '../../../../../src/base/common/disposable';
import { FollowedThread } from '../../../../../src/threads/common/page/followedThread';
import type { ThreadUpdate } from '../../../../../src/threads/common/page/threadApi';
import { ThreadFeed } from '../../../../../src/threads/common/page/threadFeed';
import { findEntries, maxFoundEntries } from '../../../../../src/threads/common/page/threadFind';
import type { ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import type { Entry } from '../../../../../src/transcript/common/entries';
import { FakeClock } from '../../../../fake/fakeClock';
import { head } from '../../support/threadHead';

const answer = (n: number): Entry => ({ kind: 'answer', id: `a${n}`, turn: n, text: `Answer ${n}` });
const frameMs = 16;

describe('the feed of a thread', () => {
  let followed: FollowedThread;
  let feed: ThreadFeed;
  let clock: FakeClock;
  let posted: ThreadUpdate[];
  let opened: ThreadUpdate | undefined;

  async function open(count: number): Promise<void> {
    clock = new FakeClock();
    posted = [];
    const entries = Array.from({ length: count }, (_, n) => answer(n));
    const thread: ThreadWithEntries = { head: head('T-1'), entries, facts: [], notes: [] };
    const threads = { read: () => Promise.resolve(thread), subscribe: () => toDisposable(() => undefined) };
    followed = new FollowedThread('T-1', threads, clock, (error) => {
      throw error;
    });
    feed = new ThreadFeed({
      followed,
      actionsFor: () => [],
      hasFile: () => true,
      post: (update) => posted.push(update),
      clock,
    });
    feed.start();
    feed.connectPage();
    await followed.start();
    opened = nextUpdate();
  }

  /** The last of those that were posted since the last call. */
  function nextUpdate(): ThreadUpdate | undefined {
    clock.advance(frameMs);
    return posted.splice(0).at(-1);
  }

  afterEach(() => {
    feed.dispose();
    followed.dispose();
  });

  for (const count of [200, 5_000, 20_000]) {
    it(`gives one update of a bounded size for a jump in ${count} entries`, async () => {
      await open(count);
      assert.equal(feed.loadAround(`a${Math.floor(count / 2)}`), true);
      const { put = [], before = 0, after = 0 } = nextUpdate()?.transcript ?? {};
      assert.ok(put.some(({ id }) => id === `a${Math.floor(count / 2)}`));
      assert.ok(put.length <= 100);
      assert.equal(before + put.length + after, count);
    });
  }

  it('gives a page that was there before the thread was read the last entries only', async () => {
    await open(1_000);
    assert.equal(opened?.transcript?.put?.length, 40);
    assert.equal(opened.transcript.before, 960);
  });

  it('gives what comes after that, and the last entries on demand', async () => {
    await open(1_000);
    feed.loadAround('a500');
    nextUpdate();
    feed.loadLater(10);
    assert.equal(nextUpdate()?.transcript?.later?.length, 10);
    feed.loadLatest();
    const { transcript } = nextUpdate() ?? {};
    assert.deepEqual([transcript?.reset, transcript?.put?.at(-1)?.id, transcript?.after], [true, 'a999', undefined]);
  });

  it('gives the last entries to another page', async () => {
    await open(1_000);
    feed.loadAround('a500');
    feed.disconnectPage();
    feed.connectPage();
    assert.equal(posted.at(-1)?.transcript?.put?.at(-1)?.id, 'a999');
  });
});

describe('a text in a thread', () => {
  it('is found where it is shown before anything is opened', () => {
    const entries: Entry[] = [
      { kind: 'prompt', id: 'p', turn: 1, text: 'The Tax, and the tax (again).' },
      { kind: 'thinking', id: 't', turn: 1, text: 'tax' },
      { kind: 'tool', id: 'c', turn: 1, name: 'grep', title: 'Find tax', toolKind: 'search', state: 'done', parts: [] },
      { kind: 'answer', id: 's', turn: 1, parent: 'c', text: 'tax' },
      { kind: 'answer', id: 'a', turn: 1, text: 'Nothing.' },
    ];
    assert.deepEqual(findEntries(entries, 'tax'), [
      { entryId: 'p', index: 0, count: 2 },
      { entryId: 'c', index: 2, count: 1 },
    ]);
    assert.deepEqual(findEntries(entries, '(again).'), [{ entryId: 'p', index: 0, count: 1 }]);
    assert.deepEqual(findEntries(entries, ''), []);
  });

  it('is found in a bounded number of entries', () => {
    const entries = Array.from({ length: maxFoundEntries + 100 }, (_, n) => answer(n));
    assert.equal(findEntries(entries, 'answer').length, maxFoundEntries);
  });
});
