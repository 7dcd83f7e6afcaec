import assert from 'node:assert/strict';
import { kindOfMode, readRawDiff } from '../../../../src/changes/common/rawDiff';

const none = '0'.repeat(40);
const one = '1'.repeat(40);
const two = '2'.repeat(40);

describe('readRawDiff', () => {
  it('reads additions, deletions, renames and binaries with their lines', () => {
    const changes = readRawDiff([
      `:000000 100644 ${none} ${one} A`,
      'new\tfile\n',
      `:120000 000000 ${two} ${none} D`,
      'link',
      `:100644 100755 ${one} ${two} R090`,
      'from',
      'to',
      '3\t0\tnew\tfile\n',
      '-\t-\tlink',
      '1\t2\t',
      'from',
      'to',
    ]);
    const counts = (isBinary: boolean, addedLines: number, deletedLines: number): object => ({
      isBinary,
      addedLines,
      deletedLines,
    });
    assert.deepEqual(changes, [
      { path: 'new\tfile\n', before: undefined, after: { kind: 'file', object: one }, ...counts(false, 3, 0) },
      { path: 'link', before: { kind: 'symlink', object: two }, after: undefined, ...counts(true, 0, 0) },
      {
        path: 'to',
        from: 'from',
        before: { kind: 'file', object: one },
        after: { kind: 'executable', object: two },
        ...counts(false, 1, 2),
      },
    ]);
  });

  it('refuses what is of another form', () => {
    assert.throws(() => readRawDiff([`:000000 100644 ${none} ${one} A`]), /is incomplete/);
    assert.throws(() => readRawDiff(['what is this']), /unknown form/);
  });
});

describe('kindOfMode', () => {
  it('knows files, also writable by the group, executables and links, and nothing else', () => {
    const modes = ['100644', '100664', '100755', '120000', '160000', '040000', '000000'];
    assert.deepEqual(modes.map(kindOfMode), ['file', 'file', 'executable', 'symlink', undefined, undefined, undefined]);
  });
});
