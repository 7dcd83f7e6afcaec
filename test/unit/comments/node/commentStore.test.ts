import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import { addThread, deleteThread, reserveNumbers } from '../../../../src/comments/common/commentChanges';
import type { CommentError } from '../../../../src/comments/common/commentError';
import { commentHome } from '../../../../src/comments/common/placeComment';
import { CommentStore } from '../../../../src/comments/node/commentStore';
import { eventually } from '../../../support/eventually';

describe('the store of comments', () => {
  let folder: string;
  const stores: CommentStore[] = [];
  const damages: CommentError[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'comments-'));
    damages.length = 0;
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) store.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  async function openWindow(files = new NodeFiles()): Promise<CommentStore> {
    const store = new CommentStore({
      folder: path.join(folder, 'comments'),
      files,
      clock: systemClock,
      log: nullLogger,
      onDamaged: (error) => damages.push(error),
    });
    stores.push(store);
    await store.start();
    return store;
  }

  const add = (store: CommentStore, id: string, text = 'one\ntwo'): Promise<void> =>
    store.change(
      addThread({
        id,
        path: '/w/a.ts',
        home: store.homeOf(commentHome(text, { start: 0, end: 1 })),
        comments: [{ id: `${id}1`, text: 'Why?', at: 1 }],
      }),
    );
  const idsOf = (store: CommentStore): string[] => store.threads.map(({ id }) => id).sort();

  it('writes nothing before the first comment', async () => {
    await openWindow();
    assert.deepEqual(await readdir(folder), []);
  });

  it('keeps comments and the texts of their lines over a reload', async () => {
    await add(await openWindow(), 'a');
    const next = await openWindow();
    assert.deepEqual(idsOf(next), ['a']);
    assert.equal(await next.homeText(next.threads[0]?.home.hash ?? ''), 'one\ntwo');
  });

  it('loses nothing when two windows write at once, and gives no number twice', async () => {
    const windows = [await openWindow(), await openWindow()] as const;
    const ids = Array.from({ length: 10 }, (_, at) => `id${at}`);
    await Promise.all(ids.map((id, at) => add(windows[at % 2 === 0 ? 0 : 1], id)));
    const take = (store: CommentStore): Promise<number> =>
      store.changeAndReturn((stored) => ({ changed: reserveNumbers(1)(stored), result: stored.nextNumber }));
    const numbers = await Promise.all([...windows, ...windows].map(take));
    assert.deepEqual(idsOf(await openWindow()), ids);
    assert.deepEqual(numbers.toSorted(), [1, 2, 3, 4]);
  });

  it('shows what another window has written', async () => {
    const [first, second] = [await openWindow(), await openWindow()];
    await add(second, 'a');
    await add(first, 'b');
    await eventually('the comment of the other window', () => assert.deepEqual(idsOf(second), ['a', 'b']));
    await second.change(deleteThread('a'));
    await eventually('the deletion in the other window', () => assert.deepEqual(idsOf(first), ['b']));
  });

  it('removes a text with the last thread that needs it', async () => {
    const store = await openWindow();
    await add(store, 'a');
    await add(store, 'b');
    const texts = path.join(folder, 'comments', 'texts');
    await store.change(deleteThread('a'));
    assert.equal((await readdir(texts)).length, 1);
    await store.change(deleteThread('b'));
    assert.deepEqual(await readdir(texts), []);
  });

  it('does not keep in memory a text that another window has removed', async () => {
    const [first, second] = [await openWindow(), await openWindow()];
    await add(first, 'a');
    const { hash } = first.threads[0]?.home ?? { hash: '' };
    assert.equal(await second.homeText(hash), 'one\ntwo');
    await second.change(reserveNumbers(1));
    await first.change(deleteThread('a'));
    await second.change(reserveNumbers(1));
    assert.equal(await second.homeText(hash), undefined);
  });

  it('keeps a text that a new thread needs while the last other thread with it is deleted', async () => {
    const store = await openWindow();
    await add(store, 'a');
    const deleting = store.change(deleteThread('a'));
    await Promise.all([deleting, add(store, 'b')]);
    const next = await openWindow();
    assert.equal(await next.homeText(next.threads[0]?.home.hash ?? ''), 'one\ntwo');
  });

  it('keeps a damaged file aside and says so', async () => {
    await add(await openWindow(), 'a');
    const file = path.join(folder, 'comments', 'comments.json');
    await writeFile(file, '{"version":1,"threads":');
    const store = await openWindow();
    assert.deepEqual(idsOf(store), []);
    assert.deepEqual(
      damages.map(({ code }) => code),
      ['damaged'],
    );
    const aside = (await readdir(path.dirname(file))).find((name) => name.startsWith('comments-damaged-'));
    assert.equal(await readFile(path.join(path.dirname(file), aside ?? ''), 'utf8'), '{"version":1,"threads":');
    await add(store, 'b');
    assert.deepEqual(idsOf(await openWindow()), ['b']);
  });

  it('reports a full disk and changes nothing', async () => {
    class FullDisk extends NodeFiles {
      override replace(): Promise<void> {
        return Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' }));
      }
    }
    const store = await openWindow(new FullDisk());
    await assert.rejects(add(store, 'a'), { name: 'CommentError', code: 'storage', message: /The disk is full/ });
    assert.deepEqual(idsOf(store), []);
  });
});
