import assert from 'node:assert/strict';
import fc from 'fast-check';
import { movedPath, type FolderMove } from '../../../../src/chat/common/conversations/conversationPlace';
import { RecordRelocator, relocateRecords } from '../../../../src/chat/common/conversations/relocateRecords';
import type { LogRecord } from '../../../../src/chat/common/conversation/logRecord';

const folder = fc.constantFrom('/a', '/b', '/a/b', '/b/a', '/c');
const moves = fc.array(fc.record({ from: folder, to: folder }), { maxLength: 2 });
const record = fc.oneof(
  folder.map((one): LogRecord => ({ type: 'snapshot', at: 1, path: `${one}/x` })),
  folder.map((one): LogRecord => ({ type: 'checkpoint', at: 1, turn: 1, folders: [{ folder: one, id: 'c' }] })),
  folder.map((one): LogRecord => ({ type: 'prompt', at: 1, id: 'p', text: one, attachments: [] })),
  moves.map((some): LogRecord => ({ type: 'relocated', at: 1, moves: some })),
);

/** What each record must become: its own paths, after each later move. */
function expectedOf(records: readonly LogRecord[], last: readonly FolderMove[]): LogRecord[] {
  return records.flatMap((one, index) => {
    const later = [
      ...records.slice(index + 1).flatMap((next) => (next.type === 'relocated' ? [next.moves] : [])),
      last,
    ];
    const now = (path: string): string => later.reduce((at, some) => movedPath(at, some) ?? at, path);
    if (one.type === 'relocated') return [];
    if (one.type === 'snapshot') return { ...one, path: now(one.path) };
    if (one.type !== 'checkpoint') return one;
    return { ...one, folders: one.folders.map(({ folder: path, id }) => ({ folder: now(path), id })) };
  });
}

describe('records of folders that were moved', () => {
  it('get the paths of all later moves, in whatever parts they are read', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), moves, fc.array(fc.nat(6)), (records, last, sizes) => {
        const expected = expectedOf(records, last);
        assert.deepEqual(relocateRecords(records, last), expected);
        const relocated = records.flatMap((one) => (one.type === 'relocated' ? [one.moves] : []));
        const relocator = new RecordRelocator(relocated, last);
        const read: LogRecord[] = [];
        let at = 0;
        for (const size of sizes) read.push(...relocator.relocate(records.slice(at, (at += size))));
        read.push(...relocator.relocate(records.slice(at)));
        assert.deepEqual(read, expected);
      }),
    );
  });
});
