import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, readdir, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { toDisposable } from '../../../../src/base/common/disposable';
import { nullLogger } from '../../../../src/base/common/log';
import { ThreadError, type ThreadHead } from '../../../../src/threads/common/threadPorts';
import { ampPaths } from '../../../../src/threads/node/ampFolder/ampData';
import { findCurrentThreadId } from '../../../../src/threads/node/ampFolder/currentThread';
import { LocalThreadSource } from '../../../../src/threads/node/localThreadSource';
import { FakeClock } from '../../../fake/fakeClock';
import { makeIndexBench, type IndexBench } from '../support/indexBench';
import { head as headOf } from '../support/threadHead';
import { ReaderHere } from '../support/readerHere';
import { shippedStore } from '../support/shippedStore';
import { until } from '../../../support/eventually';
import { thread, ThreadFolder } from '../support/threadFolder';

describe('the local store', () => {
  let folder: ThreadFolder;
  let bench: IndexBench;
  let store: LocalThreadSource;
  const byId = async (): Promise<Map<string, ThreadHead>> =>
    new Map((await store.list()).map((head) => [head.id, head]));

  before(async () => {
    bench = await makeIndexBench();
  });
  after(() => bench.remove());
  beforeEach(async () => {
    folder = await ThreadFolder.make();
    store = shippedStore(folder, bench.workerFile);
  });
  afterEach(async () => {
    store.dispose();
    await folder.remove();
  });

  it('is where Amp has it, on all systems', () => {
    assert.equal(ampPaths({}, '/home/kim').threadFolder, path.join('/home/kim', '.local', 'share', 'amp', 'threads'));
    assert.equal(ampPaths({ XDG_DATA_HOME: '/data' }, '/home/kim').threadFolder, path.join('/data', 'amp', 'threads'));
    assert.equal(ampPaths({ XDG_DATA_HOME: 'data' }, '/home/kim').threadFolder, ampPaths({}, '/home/kim').threadFolder);
  });

  it('says of each broken file why it cannot be read, and ignores what is no thread', async () => {
    const broken = path.join(process.cwd(), 'test/fixtures/threads/12-broken');
    for (const name of await readdir(broken)) await copyFile(path.join(broken, name), path.join(folder.threads, name));
    const heads = await byId();
    assert.deepEqual([...heads.keys()].sort(), ['T-latin1', 'T-list', 'T-no-messages', 'T-truncated', 'T-zero']);
    assert.match(heads.get('T-truncated')?.problem ?? '', /not valid JSON/);
    assert.match(heads.get('T-zero')?.problem ?? '', /empty/);
    assert.match(heads.get('T-list')?.problem ?? '', /not an Amp thread/);
    assert.match(heads.get('T-no-messages')?.problem ?? '', /not an Amp thread/);
    assert.equal(heads.get('T-latin1')?.problem, undefined);
    assert.equal(heads.get('T-latin1')?.firstPrompt, 'caf\ufffd \ufffd');
    await assert.rejects(store.read('T-zero'), (error) => error instanceof ThreadError && error.code === 'unreadable');
  });

  it('refuses more than 50 MiB politely, with the size, and lists it', async () => {
    await folder.put('T-huge', '{}');
    await truncate(folder.file('T-huge'), 60 * 1024 * 1024);
    const head = (await byId()).get('T-huge');
    assert.match(head?.problem ?? '', /60\.0 MiB/);
    assert.equal(head?.sizeBytes, 60 * 1024 * 1024);
    await assert.rejects(store.read('T-huge'), (error) => error instanceof ThreadError && error.code === 'tooLarge');
  });

  it('hides what Amp hides, and shows a draft and sub-threads', async () => {
    await folder.put('T-empty', { v: 0, id: 'T-empty', messages: [] });
    await folder.put('T-draft', { v: 0, id: 'T-draft', messages: [], draft: [{ type: 'text', text: 'x' }] });
    await folder.put('T-sub', thread('T-sub', 2, { mainThreadID: 'T-main' }));
    const heads = await byId();
    assert.deepEqual([...heads.keys()].sort(), ['T-draft', 'T-sub']);
    assert.deepEqual(heads.get('T-sub')?.relations, [{ type: 'subthread', role: 'parent', threadId: 'T-main' }]);
  });

  it('reads more folders, and of a thread in two of them the later one', async () => {
    const more = path.join(folder.home, 'more');
    await mkdir(more);
    await writeFile(path.join(more, 'T-a.json'), JSON.stringify(thread('T-a', 4)));
    await writeFile(path.join(more, 'T-b.json'), JSON.stringify(thread('T-b', 2)));
    await folder.put('T-a', thread('T-a', 2));
    await utimes(folder.file('T-a'), 1_000, 1_000);
    await store.watchFolders([more]);
    const heads = await byId();
    assert.deepEqual([...heads.keys()].sort(), ['T-a', 'T-b']);
    assert.equal(heads.get('T-a')?.messageCount, 4);
    const opened = await store.read('T-a');
    assert.equal(opened.head.messageCount, 4);
    assert.equal(opened.head.path, path.join(more, 'T-a.json'));
    assert.match((await store.rawJson('T-a', 'm2')) ?? '', /Prompt 2/);
  });

  it('opens and lists of a thread in two folders the file that can be read, and explains why when none can', async () => {
    const more = path.join(folder.home, 'more');
    const second = (id: string): string => path.join(more, `${id}.json`);
    await mkdir(more);
    for (const id of ['T-old', 'T-new', 'T-both']) {
      await folder.put(id, '{"messages":[');
      await writeFile(second(id), id === 'T-both' ? '' : JSON.stringify(thread(id, 2)));
    }
    for (const file of [folder.file('T-old'), second('T-new'), folder.file('T-both')]) await utimes(file, 1_000, 1_000);
    await store.watchFolders([more]);
    const heads = await byId();
    for (const id of ['T-old', 'T-new']) {
      assert.equal(heads.get(id)?.path, second(id));
      assert.equal((await store.read(id)).head.path, second(id));
    }
    assert.match(heads.get('T-both')?.problem ?? '', /empty/);
    await assert.rejects(store.read('T-both'), /empty/);
  });

  it('lists what is left when files vanish while it reads', async () => {
    await Promise.all(Array.from({ length: 300 }, (_item, index) => folder.put(`T-${index}`, thread(`T-${index}`, 2))));
    const listing = store.list();
    await Promise.all(
      Array.from({ length: 299 }, (_item, index) => rm(folder.file(`T-${index + 1}`), { force: true })),
    );
    const heads = await listing;
    assert.ok(heads.some(({ id }) => id === 'T-0'));
    assert.ok(heads.every(({ problem }) => problem === undefined));
  });

  it('is absent, not failed, where Amp never was, and comes to life with it', async () => {
    await rm(folder.data, { recursive: true });
    await store.watchFolders([]);
    assert.deepEqual(await store.list(), []);
    assert.equal(store.state.kind, 'absent');
    await mkdir(folder.threads, { recursive: true });
    await folder.put('T-a', thread('T-a', 2));
    assert.equal((await store.list()).length, 1);
    assert.equal(store.state.kind, 'ready');
  });

  it('reports that a folder cannot be read', async () => {
    await rm(folder.threads, { recursive: true });
    await symlink(folder.threads, folder.threads);
    assert.deepEqual(await store.list(), []);
    assert.ok(store.state.kind === 'failed' && store.state.message.includes(folder.threads));
  });

  it('writes nothing, and never opens the secrets', async () => {
    await folder.put('T-a', thread('T-a', 2));
    const secrets = path.join(folder.data, 'secrets.json');
    await writeFile(secrets, '{"token":"x"}');
    await utimes(secrets, 1_000, 1_000);
    await chmod(folder.threads, 0o555);
    const names = await readdir(folder.data, { recursive: true });
    await store.watchFolders([]);
    await store.list();
    await store.read('T-a');
    await store.currentThreadId();
    assert.deepEqual(await readdir(folder.data, { recursive: true }), names);
    assert.equal((await stat(secrets)).atimeMs, 1_000_000);
    await assert.rejects(store.read('../secrets'), ThreadError);
  });

  it('stops when it is cancelled', async () => {
    await folder.put('T-a', thread('T-a', 2));
    await assert.rejects(
      store.list(AbortSignal.abort()),
      (error) => error instanceof ThreadError && error.code === 'cancelled',
    );
  });

  it('has no other files for threads in the list than can be read', async () => {
    await folder.put('T-a', thread('T-a', 2));
    await folder.put('T-a (copy)', thread('T-b', 2));
    assert.deepEqual([...(await byId()).keys()], ['T-a']);
  });
});

describe('the local store beside what the index lists', () => {
  let folder: ThreadFolder;
  let clock: FakeClock;
  let listed: readonly ThreadHead[];
  let store: LocalThreadSource;

  beforeEach(async () => {
    folder = await ThreadFolder.make();
    clock = new FakeClock();
    const index = {
      list: () => Promise.resolve({ heads: listed, folders: [folder.threads], problems: [], isUnsettled: false }),
      search: () => assert.fail('Nobody searches.'),
      onDidChangeCoverage: () => toDisposable(() => undefined),
      dispose: () => undefined,
    };
    const paths = ampPaths({}, folder.home);
    store = new LocalThreadSource({ paths, index, reader: new ReaderHere(), clock, log: nullLogger });
  });
  afterEach(async () => {
    store.dispose();
    await folder.remove();
  });

  it('tells of the moment when a thread that runs becomes stale', async () => {
    let told = 0;
    store.onDidChange(() => told++);
    listed = [2_000, 1_000].map((mtimeMs) => headOf(`T-${mtimeMs}`, { state: 'running', mtimeMs }));
    await store.list();
    await store.list();
    clock.advance(5 * 60_000 + 999);
    assert.equal(clock.pending, 1);
    clock.advance(1);
    listed = listed.slice(0, 1);
    clock.advance(50);
    await until('being told', () => told === 1);
    store.dispose();
    await store.list();
    assert.equal(clock.pending, 0);
  });

  it('knows no folder of threads without a prompt', async () => {
    await writeFile(path.join(folder.data, 'history.jsonl'), '{"text":" ","cwd":"/wrong"}\n{"text":"a","cwd":"/p"}\n');
    const folders = { folders: [] };
    listed = [headOf('T-1', { ...folders, firstPrompt: 'a' }), headOf('T-2', folders)];
    assert.deepEqual(
      new Map((await store.list()).map(({ id, folders: known }) => [id, known])),
      new Map([
        ['T-1', ['/p']],
        ['T-2', []],
      ]),
    );
  });
});

describe("Amp's own notes", () => {
  let folder: ThreadFolder;
  const put = (name: string, text: string): Promise<void> => writeFile(path.join(folder.data, name), text);
  const hint = (): Promise<string | undefined> => findCurrentThreadId(ampPaths({}, folder.home));

  beforeEach(async () => {
    folder = await ThreadFolder.make();
  });
  afterEach(() => folder.remove());

  it('tell the current thread in all the forms they have had', async () => {
    const state = path.join(folder.home, '.local', 'state', 'amp');
    await mkdir(state, { recursive: true });
    await writeFile(path.join(state, 'last-thread-id'), 'T-january\n');
    await utimes(path.join(state, 'last-thread-id'), 1_000, 1_000);
    assert.equal(await hint(), 'T-january');
    await put('session.json', JSON.stringify({ agentMode: 'smart', launchCount: 1, lastThreadId: 'T-spring' }));
    await utimes(path.join(folder.data, 'session.json'), 2_000, 2_000);
    assert.equal(await hint(), 'T-spring');
    const byTerminal = {
      a: { lastThreadId: 'T-july', updatedAt: 3_000_000 },
      b: { lastThreadId: 'T-old', updatedAt: 2_500_000 },
    };
    await put('session.json', JSON.stringify({ lastThreadId: 'T-spring', lastThreadByTerminal: byTerminal }));
    assert.equal(await hint(), 'T-july');
    await mkdir(path.join(folder.data, 'last-threads'));
    await put('last-threads/ws-main-session.json', '"T-september"');
    assert.equal(await hint(), 'T-september');
  });

  it('may be anything else', async () => {
    for (const text of [
      '',
      '{',
      '[]',
      '{"lastThreadId": 5}',
      '{"lastThreadId": "../x"}',
      '{"lastThreadByTerminal": [1]}',
    ]) {
      await put('session.json', text);
      assert.equal(await hint(), undefined, text);
    }
  });

  it('report where a thread worked that does not say so itself', async () => {
    await put('history.jsonl', '{"text":"Prompt 0","cwd":"/p"}\n');
    await folder.put('T-a', thread('T-a', 2));
    const bench = await makeIndexBench();
    const store = shippedStore(folder, bench.workerFile);
    const [head] = await store.list();
    assert.deepEqual(head?.folders, ['/p']);
    store.dispose();
    bench.remove();
  });
});
