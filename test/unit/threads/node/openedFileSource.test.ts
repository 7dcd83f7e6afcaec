import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { nullLogger } from '../../../../src/base/common/log';
import { searchThreads } from '../../../../src/threads/common/search/threadSearch';
import { OpenedFileSource } from '../../../../src/threads/node/openedFileSource';
import { FakeClock } from '../../../fake/fakeClock';
import { ReaderHere } from '../support/readerHere';
import { normalId, slowId, thread, ThreadFolder } from '../support/threadFolder';

describe('the text of opened files', () => {
  let folder: ThreadFolder;
  let files: OpenedFileSource;

  beforeEach(async () => {
    folder = await ThreadFolder.make();
    files = new OpenedFileSource({ reader: new ReaderHere(), clock: new FakeClock(), log: nullLogger });
    await folder.put(normalId, thread(normalId, 4));
    await folder.put(slowId, thread(slowId, 2));
    await files.add(folder.file(normalId));
    await files.add(folder.file(slowId));
  });
  afterEach(async () => {
    files.dispose();
    await folder.remove();
  });

  it('is found with the place to jump to', async () => {
    const hits = await files.search('answer 3');
    assert.deepEqual(
      hits.map(({ threadId, snippet }) => [threadId, snippet]),
      [[normalId, 'Answer 3']],
    );
    const { entries } = await files.read(normalId);
    assert.ok(entries.some(({ id, kind }) => id === hits[0]?.entryId && kind === 'answer'));
    assert.deepEqual(await files.search('nothing'), []);
  });

  it('is found in the others when one is gone', async () => {
    await rm(folder.file(normalId));
    assert.deepEqual(
      (await files.search('prompt 0')).map(({ threadId }) => threadId),
      [slowId],
    );
  });

  it('is that of the file now, though it was searched before', async () => {
    assert.equal((await files.search('"prompt 4"')).length, 0);
    await folder.put(slowId, thread(slowId, 6));
    assert.equal((await files.search('"prompt 4"')).length, 1);
  });

  it('is found once, though the thread is in the store too, and what only the store has as well', async () => {
    const heads = await files.list();
    const coverage = { indexed: 1, total: 2 };
    const inStore = {
      threadId: normalId,
      entryId: 'm3.0',
      kind: 'answer' as const,
      snippet: '',
      score: 9,
    };
    const answer = await searchThreads('answer 3', {
      heads: () => heads,
      searchText: () =>
        Promise.resolve({ hits: [inStore, { ...inStore, entryId: 'later', snippet: 'Later' }], coverage }),
      searchFiles: (query) => files.search(query),
      now: () => 0,
    });
    assert.deepEqual(
      answer.found.map(({ head, hit }) => [head.id, hit.snippet]),
      [
        [normalId, 'Later'],
        [normalId, 'Answer 3'],
      ],
    );
    assert.deepEqual(answer.coverage, coverage);
  });
});
