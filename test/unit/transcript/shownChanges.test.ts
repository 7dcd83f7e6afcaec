import assert from 'node:assert/strict';
import { countChanges } from '../../../src/transcript/common/lineDiff';
import type { FileChange } from '../../../src/transcript/common/entries';
import { inUndoOrder, selectShownChanges } from '../../../src/transcript/common/shownChanges';
import { truncateEntry } from '../../../src/transcript/common/truncateEntry';

const change = (path: string, more: Partial<FileChange> = {}): FileChange => ({
  path,
  change: 'modified',
  added: 2,
  removed: 1,
  state: 'applied',
  ...more,
});

describe('selectShownChanges', () => {
  it('counts lines', () => {
    const text = 'a\nb\nc\nd\n';
    assert.deepEqual(countChanges(text, text), { added: 0, removed: 0 });
    assert.deepEqual(countChanges(text, 'A\nb\nc\nd\ne\n'), { added: 2, removed: 1 });
    assert.deepEqual(countChanges(null, text), { added: 4, removed: 0 });
    assert.deepEqual(countChanges(text, null), { added: 0, removed: 4 });
    assert.deepEqual(countChanges(null, ''), { added: 0, removed: 0 });
  });

  it('returns the first of many changes, with the totals of all', () => {
    const few = [change('/a'), change('/b')];
    assert.deepEqual(selectShownChanges(few), { changes: few });
    const many = Array.from({ length: 5_000 }, (_, number) => change(`/${number}`));
    const { changes, changeTotals } = selectShownChanges(many);
    assert.deepEqual(changes, many.slice(0, 100));
    assert.deepEqual(changeTotals, { files: 5_000, added: 10_000, removed: 5_000 });
  });

  it('lists a renamed file once', () => {
    const renamed = change('/new', { change: 'created', renamedFrom: '/old' });
    const deleted = change('/gone', { change: 'deleted' });
    assert.deepEqual(selectShownChanges([change('/old', { change: 'deleted' }), renamed, deleted]).changes, [
      renamed,
      deleted,
    ]);
  });

  it('limits the changes at the end of a turn, too', () => {
    const changes = Array.from({ length: 101 }, (_, number) => change(`/${number}`));
    const end = { kind: 'end', id: 'e', turn: 1, outcome: 'completed', changes } as const;
    const shown = truncateEntry(end);
    assert.ok(shown.kind === 'end');
    assert.equal(shown.changes?.length, 100);
    assert.equal(shown.changeTotals?.files, 101);
    const few = { ...end, changes: changes.slice(0, 3) };
    assert.equal(truncateEntry(few), few);
  });
});

describe('inUndoOrder', () => {
  it('starts with created files, so that what was in their place can come back', () => {
    const link = change('/ws/link', { change: 'deleted', kind: 'symlink' });
    const made = change('/ws/link/a.txt', { change: 'created' });
    const other = change('/ws/b.txt');
    assert.deepEqual(inUndoOrder([link, other, made]), [made, link, other]);
  });
});
