import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { findEntries, maxFoundEntries, type FoundEntry } from '../../../src/transcript/common/findEntries';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';

function documentOf(entries: readonly Entry[]): TranscriptDocument {
  const document = new TranscriptDocument(assert.ifError);
  document.replaceAll(entries);
  return document;
}

const find = (entries: readonly Entry[], query: string): Promise<FoundEntry[]> =>
  findEntries(documentOf(entries), query, { pause: () => Promise.resolve() });

const answers = (count: number): Entry[] =>
  Array.from({ length: count }, (_, n) => ({ kind: 'answer', id: `a${n}`, turn: 1, text: `answer ${n}` }));

describe('a text in a transcript', () => {
  it('is found where it is shown before anything is opened', async () => {
    const entries: Entry[] = [
      { kind: 'prompt', id: 'p', turn: 1, text: 'The Tax, and the tax (again).' },
      { kind: 'thinking', id: 't', turn: 1, text: 'tax' },
      { kind: 'tool', id: 'c', turn: 1, name: 'grep', title: 'Find tax', toolKind: 'search', state: 'done', parts: [] },
      { kind: 'answer', id: 'a', turn: 1, text: 'Nothing.' },
    ];
    assert.deepEqual(await find(entries, 'tax'), [
      { entryId: 'p', index: 0, count: 2 },
      { entryId: 'c', index: 2, count: 1 },
    ]);
    assert.deepEqual(await find(entries, '(again).'), [{ entryId: 'p', index: 0, count: 1 }]);
    assert.deepEqual(await find(entries, ''), []);
  });

  it('is found in the error of a failed call, which is shown before anything is opened', async () => {
    const call = (id: string, state: 'rejected' | 'failed'): Entry => ({
      ...{ kind: 'tool', id, turn: 1, name: 'run', title: 'Run', toolKind: 'execute', state },
      ...{ parts: [], error: 'ENOENT' },
    });
    assert.deepEqual(await find([call('denied', 'rejected'), call('failed', 'failed')], 'enoent'), [
      { entryId: 'failed', index: 1, count: 1 },
    ]);
  });

  it('is found in a bounded number of entries', async () => {
    assert.equal((await find(answers(maxFoundEntries + 100), 'answer')).length, maxFoundEntries);
  });

  it('is searched without reading thoughts, and with pauses, in which a new search ends it', async () => {
    const thoughts = Array.from({ length: 50 }, (_, n): Entry => ({
      kind: 'thinking',
      id: `t${n}`,
      turn: 1,
      text: 'x',
    }));
    const document = documentOf([...thoughts, ...answers(100)]);
    const reads: string[] = [];
    const transcript = {
      topLevelIds: () => document.topLevelIds(),
      kindOf: (id: string) => document.kindOf(id),
      topLevelIndexOf: (id: string) => document.topLevelIndexOf(id),
      get: (id: string) => {
        reads.push(id);
        return document.get(id);
      },
    };
    const readAtPause: number[] = [];
    const next = new AbortController();
    const pause = (): Promise<void> => {
      readAtPause.push(reads.length);
      if (readAtPause.length === 3) next.abort();
      return Promise.resolve();
    };
    await findEntries(transcript, 'answer', { pause, signal: next.signal });
    assert.deepEqual(readAtPause, [8, 16, 24]);
    assert.deepEqual(
      reads,
      answers(24).map(({ id }) => id),
    );
  });

  it('is found where entries are when the search ends, though they move and go during its pauses', async () => {
    const document = documentOf(answers(20));
    let pauses = 0;
    const found = await findEntries(document, 'answer', {
      pause: () => {
        if (++pauses === 1) {
          document.replaceAll([{ kind: 'prompt', id: 'p', turn: 1, text: 'older answer' }, ...answers(20)]);
          for (const id of ['a3', 'a12']) document.remove(id);
        }
        return Promise.resolve();
      },
    });
    const ids = answers(20).flatMap(({ id }) => (id === 'a3' || id === 'a12' ? [] : id));
    assert.deepEqual(
      found,
      ids.map((entryId, index) => ({ entryId, index: index + 1, count: 1 })),
    );
  });
});
