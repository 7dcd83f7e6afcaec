import assert from 'node:assert/strict';
import { Emitter } from '../../../../../src/base/common/event';
import { FollowedThread } from '../../../../../src/threads/common/page/followedThread';
import { sortLikeKnownEntries } from '../../../../../src/threads/common/subthreads/openSubthreads';
import { ThreadError, type ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import type { Entry } from '../../../../../src/transcript/common/entries';
import { FakeClock } from '../../../../fake/fakeClock';
import { head } from '../../support/threadHead';

const task = (id: string, subthread: string): Entry => ({
  kind: 'tool',
  id,
  turn: 1,
  name: 'Task',
  title: 'Task',
  toolKind: 'agent',
  state: 'done',
  parts: [],
  subthread,
});
const answer = (id: string, parent?: string): Entry => ({
  kind: 'answer',
  id,
  turn: 1,
  text: id,
  ...(parent === undefined ? {} : { parent }),
});
const rethrow = (error: unknown): void => {
  throw error;
};

/** Threads in memory, of which each change is told. */
class MemoryThreads {
  readonly byId = new Map<string, readonly Entry[]>();
  reads = 0;
  subscribed = 0;
  private readonly changes = new Emitter<string>(rethrow);

  read(id: string): Promise<ThreadWithEntries> {
    this.reads++;
    const entries = this.byId.get(id);
    return entries
      ? Promise.resolve({ head: head(id), entries, facts: [], notes: [] })
      : Promise.reject(new ThreadError('notFound', `There is no thread ${id}.`));
  }

  subscribe(id: string, listener: () => void) {
    this.subscribed++;
    const subscription = this.changes.event((changed) => {
      if (changed === id) listener();
    });
    return {
      dispose: () => {
        this.subscribed--;
        subscription.dispose();
      },
    };
  }

  write(id: string, entries: readonly Entry[]): void {
    this.byId.set(id, entries);
    this.changes.fire(id);
  }
}

const settled = async (): Promise<void> => {
  for (let count = 0; count < 10; count++) await new Promise((resolve) => setImmediate(resolve));
};

describe('subagents in a thread that is followed', () => {
  let threads: MemoryThreads;
  let followed: FollowedThread;

  async function follow(entries: readonly Entry[]): Promise<void> {
    threads = new MemoryThreads();
    threads.byId.set('T-0', entries);
    followed = new FollowedThread('T-0', threads, new FakeClock(), rethrow);
    await followed.start();
  }
  afterEach(() => {
    followed.dispose();
    assert.equal(threads.subscribed, 0);
  });
  const shown = (): readonly string[] => [...followed.transcript.entries()].map(({ id }) => id);
  const show = async (callId: string): Promise<string | undefined> => {
    const problem = followed.showSubthread(callId);
    await settled();
    return problem;
  };

  it('are read only when they are opened, grow with their thread, and go when they are closed', async () => {
    await follow([answer('a'), task('t', 'T-1'), answer('b')]);
    threads.byId.set('T-1', [answer('x')]);
    const feed = followed.transcript.createFeed(10);
    feed.takePatch();
    assert.equal(threads.reads, 2);
    assert.equal(await show('t'), undefined);
    threads.write('T-1', [answer('x'), answer('y')]);
    await settled();
    threads.write('T-0', [answer('a'), task('t', 'T-1'), answer('b'), answer('c')]);
    await settled();
    threads.write('T-1', [answer('x'), answer('y'), answer('z')]);
    await settled();
    assert.deepEqual(shown(), ['a', 't', 'b', 't>x', 't>y', 'c', 't>z']);
    assert.deepEqual(
      followed.thread?.entries.map(({ id }) => id),
      shown(),
    );
    assert.equal(followed.entry('t>x')?.parent, 't');
    assert.deepEqual(followed.originOf('t>x'), { threadId: 'T-1', entryId: 'x' });
    assert.deepEqual(followed.originOf('b'), { threadId: 'T-0', entryId: 'b' });
    // The page keeps what it has.
    assert.equal(feed.takePatch().reset, undefined);
    followed.hideSubthread('t');
    assert.deepEqual(shown(), ['a', 't', 'b', 'c']);
    assert.equal(feed.takePatch().reset, undefined);
    assert.equal(threads.subscribed, 1);
  });

  it('may have subagents of their own', async () => {
    await follow([task('t', 'T-1')]);
    threads.byId.set('T-1', [task('u', 'T-2')]);
    threads.byId.set('T-2', [answer('x')]);
    await show('t');
    assert.equal(await show('t>u'), undefined);
    assert.deepEqual(shown(), ['t', 't>u', 't>u>x']);
    assert.equal(followed.entry('t>u>x')?.parent, 't>u');
    assert.deepEqual(followed.originOf('t>u>x'), { threadId: 'T-2', entryId: 'x' });
    followed.hideSubthread('t>u');
    assert.deepEqual(shown(), ['t', 't>u']);
    await show('t>u');
    followed.hideSubthreads();
    assert.deepEqual(shown(), ['t']);
  });

  it('that are not here say so, and come when they are', async () => {
    await follow([task('t', 'T-1')]);
    await show('t');
    const [note] = followed.thread?.entries.slice(1) ?? [];
    assert.ok(note?.kind === 'notice');
    assert.equal(note.text, 'This subagent’s thread can’t be read. There is no thread T-1.');
    threads.write('T-1', [answer('x')]);
    await settled();
    assert.deepEqual(shown(), ['t', 't>x']);
  });

  it('are not opened in a loop, deeper than three, or more than thirty', async () => {
    const calls = Array.from({ length: 2_000 }, (_, n) => task(`t${n}`, `T-${n + 10}`));
    await follow([task('own', 'T-0'), task('d', 'T-1'), ...calls]);
    for (let n = 1; n < 6; n++) threads.byId.set(`T-${n}`, [task('d', `T-${n + 1}`)]);
    assert.match((await show('own')) ?? '', /contains itself/);
    for (const id of ['d', 'd>d', 'd>d>d']) assert.equal(await show(id), undefined);
    assert.match((await show('d>d>d>d')) ?? '', /too deeply/);
    const problems = calls.map(({ id }) => followed.showSubthread(id));
    await settled();
    assert.equal(problems.filter((problem) => problem === undefined).length, 27);
    assert.match(problems.at(-1) ?? '', /already shows 30 subagents/);
    followed.hideSubthread('t0');
    assert.equal(await show('t1999'), undefined);
    assert.match((await show('gone')) ?? '', /no longer/);
  });

  it('of a call that names another thread now, or is gone, are closed', async () => {
    await follow([task('t', 'T-1')]);
    threads.byId.set('T-1', [answer('x')]);
    await show('t');
    threads.write('T-0', [task('t', 'T-2')]);
    await settled();
    assert.deepEqual(shown(), ['t']);
    assert.equal(threads.subscribed, 1);
  });

  it('are not read for an export that has their steps', async () => {
    await follow([task('t', 'T-1'), answer('t>x', 't')]);
    assert.equal(await show('t'), undefined);
    assert.equal(threads.reads, 2);
    assert.deepEqual(shown(), ['t', 't>x']);
  });
});

describe('the order of entries that a page has been told', () => {
  const ids = (known: readonly Entry[], now: readonly Entry[]): string =>
    sortLikeKnownEntries(known, now)
      .map(({ id }) => id)
      .join(' ');

  it('stays while nothing changes its place among its like', () => {
    const known = [answer('t'), answer('x', 't')];
    assert.equal(ids(known, [answer('t'), answer('b'), answer('x', 't')]), 't x b');
    assert.equal(ids(known, [answer('b'), answer('t'), answer('x', 't')]), 'b t x');
    assert.equal(ids(known, [answer('t'), answer('y', 't'), answer('x', 't')]), 't y x');
  });
});
