import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { readHeadOfStoredThread } from '../../../../../src/threads/node/worker/program/headReader';
import { IncrementalThreadFileReader } from '../../../../../src/threads/node/files/incrementalThreadFileReader';
import { toThreadError, maxThreadBytes, readThreadFile } from '../../../../../src/threads/node/files/threadFile';
import { ThreadError } from '../../../../../src/threads/common/threadPorts';

const thread = { id: 'T-1', messages: [{ role: 'user', content: 'Hello' }] };
const whole = JSON.stringify(thread);

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
      assert.equal(readHeadOfStoredThread(new IncrementalThreadFileReader(), before, 0)?.isBeingWritten, true);
    }
    writeFileSync(file, whole);
    assert.equal(readHeadOfStoredThread(new IncrementalThreadFileReader(), before, 0)?.problem, undefined);
  });

  it('is read with its size and time, also behind a byte order mark', () => {
    const { path: at, sizeBytes, mtimeMs } = keyOf(`\ufeff${whole}`);
    assert.deepEqual(readThreadFile(at), { json: thread, sizeBytes, mtimeMs });
  });

  it('that has another size or another time than a moment ago was changed', () => {
    const { sizeBytes, mtimeMs } = keyOf('[1, 2');
    utimesSync(file, 1, 1);
    assert.throws(() => readThreadFile(file, { sizeBytes, mtimeMs }), { code: 'beingWritten' });
    assert.throws(() => readThreadFile(file, { sizeBytes: sizeBytes + 1, mtimeMs: 1000 }), { code: 'beingWritten' });
    assert.throws(() => readThreadFile(file, { sizeBytes, mtimeMs: 1000 }), { code: 'unreadable' });
  });

  it('is read up to 50 MiB, by what it was said to have and by what it has', () => {
    keyOf('{}');
    const said = (sizeBytes: number) => () => readThreadFile(file, { sizeBytes, mtimeMs: 0 });
    assert.throws(said(maxThreadBytes + 1), {
      code: 'tooLarge',
      message: 'This thread is too large to show (50.0 MiB; the limit is 50 MiB). You can open its file as JSON.',
    });
    assert.deepEqual(said(maxThreadBytes)().json, {});
    truncateSync(file, maxThreadBytes + 1);
    assert.throws(said(10), { code: 'tooLarge' });
    // Zero bytes are no JSON: it was read, and is not too large.
    truncateSync(file, maxThreadBytes);
    const { mtimeMs } = statSync(file);
    assert.throws(() => readThreadFile(file, { sizeBytes: maxThreadBytes, mtimeMs }), { code: 'unreadable' });
  });

  it('that is gone is not there any more, whether or not it was seen before', () => {
    const before = keyOf('{}');
    rmSync(file);
    for (const read of [() => readThreadFile(file), () => readThreadFile(file, before)]) {
      assert.throws(read, {
        code: 'notFound',
        message: 'The file of this thread no longer exists. Refresh the list.',
      });
    }
  });

  it('that is gone after it was read is not being written', () => {
    const before = keyOf(whole);
    const parse = (): never => {
      rmSync(file);
      throw new ThreadError('unreadable', 'x');
    };
    assert.throws(() => readThreadFile(file, before, parse), { code: 'unreadable', message: 'x' });
  });

  it('that cannot be read says why in words of its own, and is not being written', () => {
    assert.throws(() => readThreadFile(folder), {
      code: 'unreadable',
      message: 'This is a folder, not a file. Open the thread file in it.',
    });
    const { path: at } = keyOf('');
    assert.throws(() => readThreadFile(at), { code: 'unreadable', message: 'This file is empty.' });
  });
});

describe('what went wrong with the file of a thread', () => {
  const failed = (code?: string): Error => Object.assign(new Error('deep down'), code === undefined ? {} : { code });

  it('is kept when it is known', () => {
    const known = new ThreadError('tooLarge', 'x');
    assert.equal(toThreadError(known, AbortSignal.abort()), known);
  });

  it('is a cancellation when the reading was cancelled', () => {
    assert.equal(toThreadError(failed('EIO'), AbortSignal.abort()).code, 'cancelled');
    assert.equal(toThreadError(failed('EIO'), new AbortController().signal).code, 'unreadable');
  });

  it('is in words for a code that is known, and names one that is not', () => {
    assert.equal(toThreadError(failed('EACCES')).message, 'This file can’t be read. Check its permissions.');
    for (const code of ['EODD', 'constructor']) {
      assert.equal(
        toThreadError(failed(code)).message,
        `This file can’t be read (${code}). Try again, or copy the file and open the copy.`,
      );
    }
    assert.equal(toThreadError(failed()).message, 'This file can’t be read: deep down');
  });
});
