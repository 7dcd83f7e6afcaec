import assert from 'node:assert/strict';
import { toDisposable } from '../../../../../src/base/common/disposable';
import { Emitter } from '../../../../../src/base/common/event';
import { nullLogger } from '../../../../../src/base/common/log';
import { LazyThreadConversations } from '../../../../../src/threads/common/exports/lazyThreadConversations';
import { ThreadConversations } from '../../../../../src/threads/common/exports/threadConversations';
import { ThreadError, type ThreadHit } from '../../../../../src/threads/common/threadPorts';
import { head } from '../../support/threadHead';

const heads = [
  head('T-1', { title: 'Tax', folders: ['/home/kim/shop'], branch: 'tax', state: 'running' }),
  head('T-2', { problem: 'It is empty.' }),
  head('T-3', { title: 'Roof', folders: ['/home/kim/house/'], state: 'error', isArchived: true }),
  head('T-4', { title: 'Door', folders: [], state: 'waiting' }),
  head('T-5', {
    title: 'Cart',
    folders: ['/home/kim/shop'],
    repository: 'git@example.com:kim/shop.git',
    usage: { cost: { amount: 2, currency: 'USD' } },
  }),
];

function conversations(hits: readonly ThreadHit[] | ThreadError = []) {
  const opened: string[] = [];
  const viewers = { count: 0 };
  const changes = new Emitter<void>(() => undefined);
  const subject = new ThreadConversations({
    library: {
      heads,
      waitForFirstList: () => Promise.resolve(),
      onDidChange: changes.event,
      keepUpToDate: () => (viewers.count++, toDisposable(() => viewers.count--)),
    },
    searchText: () =>
      hits instanceof ThreadError
        ? Promise.reject(hits)
        : Promise.resolve({ hits, coverage: { indexed: heads.length, total: heads.length } }),
    searchFiles: () => Promise.resolve([]),
    workspaceFolders: () => Promise.resolve(['/home/kim/shop']),
    open: (id, entryId = '') => Promise.resolve(void opened.push(`${id} ${entryId}`)),
    export: (id) => Promise.resolve(void opened.push(`export ${id}`)),
    now: () => 0,
  });
  return { subject, opened, changes, viewers };
}

const hit = (threadId: string, entryId: string, score: number): ThreadHit => ({
  threadId,
  entryId,
  kind: 'prompt',
  snippet: `text of ${entryId}`,
  score,
});

describe('Amp threads in the list of conversations', () => {
  it('are the threads that can be read, with their state, place and cost', async () => {
    const rows = await conversations().subject.rows();
    assert.deepEqual(
      rows.map(({ branch, cost, elsewhere, id, isArchived, repository, state, title }) => [
        id,
        title,
        state,
        branch,
        repository?.name,
        elsewhere?.folder,
        isArchived,
        cost?.amount,
      ]),
      [
        ['amp:T-1', 'Tax', 'busy', 'tax', 'shop', undefined, undefined, undefined],
        ['amp:T-3', 'Roof', 'failed', undefined, 'house', '/home/kim/house/', true, undefined],
        ['amp:T-4', 'Door', 'waiting', undefined, undefined, undefined, undefined, undefined],
        ['amp:T-5', 'Cart', 'idle', undefined, 'shop', undefined, undefined, 2],
      ],
    );
    assert.deepEqual(
      rows.flatMap(({ need }) => need?.text ?? []),
      ['Waits for you in Amp'],
    );
    assert.equal(rows.at(-1)?.repository?.id, 'example.com/kim/shop', 'as Backline names the repository');
    assert.ok(rows.every(({ id, source }) => id.startsWith(`${source}:`)));
  });

  it('are found once each, at the best place of their text', async () => {
    const { subject } = conversations([hit('T-1', 'm1', 1), hit('T-5', 'm2', 3), hit('T-1', 'm3', 2)]);
    const found = await subject.search('text');
    assert.deepEqual(
      found.map(({ entryId, row }) => [row.id, entryId, row.snippet]),
      [
        ['amp:T-5', 'm2', 'text of m2'],
        ['amp:T-1', 'm3', 'text of m3'],
      ],
    );
  });

  it('are opened and exported by the id of their row', async () => {
    const { opened, subject } = conversations();
    await subject.open('amp:T-1', 'm1');
    await subject.open('amp:T-1');
    await subject.export('amp:T-3');
    assert.deepEqual(opened, ['T-1 m1', 'T-1 ', 'export T-3']);
  });
});

describe('Amp threads before they are loaded', () => {
  it('are not loaded where Amp is not used', async () => {
    const threads = new LazyThreadConversations({
      load: () => Promise.reject(new Error('was loaded')),
      isUsed: () => Promise.resolve(false),
      log: nullLogger,
    });
    assert.deepEqual([await threads.rows(), await threads.search('tax')], [[], []]);
  });

  it('are loaded for the list, and tell of changes until they are disposed', async () => {
    const { changes, subject } = conversations();
    const threads = new LazyThreadConversations({
      load: () => Promise.resolve(subject),
      isUsed: () => Promise.resolve(true),
      log: nullLogger,
    });
    let fired = 0;
    threads.onDidChange(() => fired++);
    await threads.rows();
    await threads.rows();
    assert.equal(fired, 1, 'once they are loaded');
    changes.fire();
    assert.equal(fired, 2);
    threads.dispose();
    changes.fire();
    assert.equal(fired, 2);
  });

  it('are in the list as soon as something else has loaded them', () => {
    const { subject } = conversations();
    const threads = new LazyThreadConversations({
      load: () => Promise.reject(new Error('was loaded')),
      isUsed: () => Promise.resolve(false),
      log: nullLogger,
    });
    let fired = 0;
    threads.onDidChange(() => fired++);
    threads.noteLoaded(subject);
    threads.noteLoaded(subject);
    assert.equal(fired, 1);
  });

  it('are kept up to date while the list is shown', async () => {
    const { subject, viewers } = conversations();
    const threads = new LazyThreadConversations({
      load: () => Promise.resolve(subject),
      isUsed: () => Promise.resolve(true),
      log: nullLogger,
    });
    const [one, other] = [threads.show(), threads.show()];
    await threads.rows();
    assert.equal(viewers.count, 2);
    one.dispose();
    other.dispose();
    const hiddenMeanwhile = threads.show();
    hiddenMeanwhile.dispose();
    await threads.rows();
    assert.equal(viewers.count, 0);
  });

  it('that cannot be searched leave the other conversations as they are, and the log says so', async () => {
    const { subject } = conversations(new ThreadError('unreadable', 'The index is damaged.'));
    const warnings: string[] = [];
    const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };
    const threads = new LazyThreadConversations({
      load: () => Promise.resolve(subject),
      isUsed: () => Promise.resolve(true),
      log,
    });
    assert.deepEqual(await threads.search('tax'), []);
    assert.match(warnings.join('\n'), /The index is damaged/);
  });
});
