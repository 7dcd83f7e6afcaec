import assert from 'node:assert/strict';
import { toDisposable } from '../../../../../src/base/common/disposable';
import { FollowedThread } from '../../../../../src/threads/common/page/followedThread';
import type { ThreadUpdate } from '../../../../../src/threads/common/page/threadApi';
import { ThreadFeed } from '../../../../../src/threads/common/page/threadFeed';
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
      assert.deepEqual(feed.load({ kind: 'around', entryId: `a${Math.floor(count / 2)}` }), { isFound: true });
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
    feed.load({ kind: 'around', entryId: 'a500' });
    nextUpdate();
    feed.load({ kind: 'later', count: 10, keepsAll: false });
    assert.equal(nextUpdate()?.transcript?.later?.length, 10);
    feed.load({ kind: 'latest' });
    const { transcript } = nextUpdate() ?? {};
    assert.deepEqual([transcript?.reset, transcript?.put?.at(-1)?.id, transcript?.after], [true, 'a999', undefined]);
  });

  it('gives the last entries to another page', async () => {
    await open(1_000);
    feed.load({ kind: 'around', entryId: 'a500' });
    feed.disconnectPage();
    feed.connectPage();
    assert.equal(posted.at(-1)?.transcript?.put?.at(-1)?.id, 'a999');
  });
});
