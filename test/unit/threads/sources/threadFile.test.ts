import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { readForList } from '../../../../src/threads/node/index/worker/headReader';
import { readThreadFile } from '../../../../src/threads/node/threadFile';

const whole = JSON.stringify({ id: 'T-1', messages: [{ role: 'user', content: 'Hello' }] });

describe('the file of a thread', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backline-file-'));
    file = path.join(folder, 'T-1.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** As it was a moment before it was read. */
  function keyOf(content: string): { path: string; sizeBytes: number; mtimeMs: number } {
    writeFileSync(file, content);
    const { size, mtimeMs } = statSync(file);
    return { path: file, sizeBytes: size, mtimeMs };
  }

  it('that is cut off and stays so cannot be read', () => {
    for (const content of ['', whole.slice(0, 40), '[1, 2'])
      assert.throws(() => readThreadFile(file, keyOf(content)), { code: 'unreadable' });
  });

  it('that was changed while it was read is being written, however much of it is there', () => {
    const before = keyOf(whole);
    for (let length = 0; length < whole.length; length += 7) {
      writeFileSync(file, whole.slice(0, length));
      assert.throws(() => readThreadFile(file, before), { code: 'beingWritten' });
      assert.equal(readForList(before, 0)?.isBeingWritten, true);
    }
    writeFileSync(file, whole);
    assert.equal(readForList(before, 0)?.problem, undefined);
  });
});
