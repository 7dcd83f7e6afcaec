import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { findEntries, maxFoundEntries } from '../../../src/transcript/common/findEntries';

describe('a text in a transcript', () => {
  it('is found where it is shown before anything is opened', () => {
    const entries: Entry[] = [
      { kind: 'prompt', id: 'p', turn: 1, text: 'The Tax, and the tax (again).' },
      { kind: 'thinking', id: 't', turn: 1, text: 'tax' },
      { kind: 'tool', id: 'c', turn: 1, name: 'grep', title: 'Find tax', toolKind: 'search', state: 'done', parts: [] },
      { kind: 'answer', id: 'a', turn: 1, text: 'Nothing.' },
    ];
    assert.deepEqual(findEntries(entries, 'tax'), [
      { entryId: 'p', index: 0, count: 2 },
      { entryId: 'c', index: 2, count: 1 },
    ]);
    assert.deepEqual(findEntries(entries, '(again).'), [{ entryId: 'p', index: 0, count: 1 }]);
    assert.deepEqual(findEntries(entries, ''), []);
  });

  it('is found in the error of a failed call, which is shown before anything is opened', () => {
    const call = (id: string, state: 'rejected' | 'failed'): Entry => ({
      ...{ kind: 'tool', id, turn: 1, name: 'run', title: 'Run', toolKind: 'execute', state },
      ...{ parts: [], error: 'ENOENT' },
    });
    assert.deepEqual(findEntries([call('denied', 'rejected'), call('failed', 'failed')], 'enoent'), [
      { entryId: 'failed', index: 1, count: 1 },
    ]);
  });

  it('is found in a bounded number of entries', () => {
    const entries = Array.from({ length: maxFoundEntries + 100 }, (_, n): Entry => ({
      kind: 'answer',
      id: `a${n}`,
      turn: 1,
      text: `answer ${n}`,
    }));
    assert.equal(findEntries(entries, 'answer').length, maxFoundEntries);
  });
});
