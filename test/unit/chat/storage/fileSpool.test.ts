import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import { FileSpool } from '../../../../src/chat/node/fileSpool';

describe('A spool', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backline-spool-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('returns what was written, and leaves no name in its folder', () => {
    const place = path.join(folder, 'new', 'spool');
    const spool = new FileSpool(place);
    const texts = ['one', '', 'Zwölf 😀', 'x'.repeat(300_000), 'last'];
    const written = texts.map((text) => {
      const at = spool.write(text);
      assert.ok(at);
      return at;
    });
    assert.deepEqual(readdirSync(place), []);
    assert.deepEqual(
      written.toReversed().map((at) => spool.read(at)),
      texts.toReversed(),
    );
    spool.dispose();
    assert.equal(spool.write('late'), undefined);
    assert.throws(() => spool.read(written[0] ?? { offset: 0, length: 1 }));
  });

  it('removes what a process has left that was killed right after it had created its file', () => {
    const names = ['spool-0123456789abcdef.tmp', 'spool-fedcba9876543210.tmp', 'other.tmp'];
    const anHourAgo = new Date(Date.now() - 3_600_000);
    for (const name of names) {
      writeFileSync(path.join(folder, name), '');
      if (name !== names[1]) utimesSync(path.join(folder, name), anHourAgo, anHourAgo);
    }
    const spool = new FileSpool(folder);
    assert.ok(spool.write('text'));
    assert.deepEqual(readdirSync(folder).sort(), ['other.tmp', names[1]]);
    spool.dispose();
  });

  it('works beside something that can’t be removed', () => {
    const left = path.join(folder, 'spool-0123456789abcdef.tmp');
    // A folder is not removed like a file.
    mkdirSync(left);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(left, anHourAgo, anHourAgo);
    const spool = new FileSpool(folder);
    assert.ok(spool.write('text'));
    assert.deepEqual(readdirSync(folder), [path.basename(left)]);
    spool.dispose();
  });

  it('accepts nothing where it can’t write', () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const spool = new FileSpool(path.join(file, 'below'));
    assert.equal(spool.write('text'), undefined);
    spool.dispose();
  });

  it('leaves no file where an open one can’t be removed', () => {
    const remove = mock.method(fs, 'rmSync');
    remove.mock.mockImplementationOnce(() => {
      throw new Error('EBUSY: the file is open');
    });
    try {
      const spool = new FileSpool(folder);
      assert.equal(spool.write('text'), undefined);
      assert.deepEqual(readdirSync(folder), []);
      spool.dispose();
      assert.equal(remove.mock.callCount(), 2);
    } finally {
      remove.mock.restore();
    }
  });
});
