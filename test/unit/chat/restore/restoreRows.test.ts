import assert from 'node:assert/strict';
import {
  restoreCountLabel,
  isPickedByDefault,
  restoreRows,
  revertibleRows,
  restoreRowLabel,
} from '../../../../src/chat/common/restore/restoreRows';

const none = new Set<string>();

describe('Rows of a restore', () => {
  const rows = restoreRows(
    [
      { path: '/ws/mine.txt', change: 'modified', kind: 'file', after: undefined },
      { path: '/ws/z.txt', change: 'created', kind: 'file', after: undefined },
      { path: '/ws/b.txt', change: 'deleted', kind: 'symlink', after: undefined },
      { path: '/ws/command.txt', change: 'deleted', kind: 'file', after: undefined },
    ],
    {
      byAgent: new Set(['/ws/z.txt', '/ws/unsaved.txt', '/ws/same.txt', '/ws/command.txt']),
      byCommand: new Set(['/ws/command.txt', '/ws/mine.txt']),
      byOtherConversations: new Map([['/ws/b.txt', 'Other']]),
      edited: new Set(['/ws/z.txt']),
      unsaved: new Set(['/ws/unsaved.txt', '/ws/mine.txt']),
    },
  );

  it('list the files that only the agent has changed first, and select them', () => {
    assert.deepEqual(
      rows.map((row) => [row.path, isPickedByDefault(row)]),
      [
        ['/ws/unsaved.txt', true],
        ['/ws/b.txt', false],
        ['/ws/command.txt', false],
        ['/ws/mine.txt', false],
        ['/ws/z.txt', false],
      ],
    );
  });

  it('describe what happens to each file, and who has changed it', () => {
    assert.deepEqual(rows.map(restoreRowLabel), [
      'modified, not saved',
      'deleted, changed in “Other”',
      'deleted, changed while a command ran',
      'modified, changed only by you, not saved',
      'created again, edited later',
    ]);
  });

  it('count the files, and those with changes of others', () => {
    assert.equal(restoreCountLabel(rows), '5 files, including 4 with changes that may not be from this agent');
    const certain = rows.filter(({ author }) => author !== 'command');
    assert.equal(restoreCountLabel(certain), '4 files, including 3 with changes that are not from this agent');
    const byCommand = rows.filter(({ author }) => author === 'command');
    assert.equal(restoreCountLabel(byCommand), '1 file with changes that may not be from this agent');
    assert.equal(restoreCountLabel(rows.slice(4)), '1 file with changes that are not from this agent');
    assert.equal(restoreCountLabel(rows.slice(0, 1)), '1 file');
  });

  it('list the files of all turns without checkpoints', () => {
    const byTurn = new Map([
      [3, ['/ws/b.txt', '/ws/a.txt']],
      [2, ['/ws/a.txt']],
    ]);
    const byAgent = new Set(['/ws/a.txt', '/ws/b.txt']);
    const all = revertibleRows(byTurn, {
      byAgent,
      byCommand: none,
      byOtherConversations: new Map(),
      edited: none,
      unsaved: none,
    });
    assert.deepEqual(
      all.map((row) => [row.path, restoreRowLabel(row)]),
      [
        ['/ws/a.txt', ''],
        ['/ws/b.txt', ''],
      ],
    );
  });
});
