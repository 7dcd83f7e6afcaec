import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexLock } from '../../../src/texts/node/files/indexLock';

describe('the lock of the index', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'backline lock '));
    file = join(folder, 'texts.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const take = (): IndexLock => {
    const lock = IndexLock.tryAcquire(file);
    assert.ok(lock);
    return lock;
  };
  const holder = (pid: number, host = hostname()): void =>
    writeFileSync(file, JSON.stringify({ token: 'theirs', pid, host }));
  const age = (seconds: number): void => {
    const then = Date.now() / 1_000 - seconds;
    utimesSync(file, then, then);
  };
  const deadPid = (): number => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    return pid;
  };

  it('is had by one at a time, and by the next one afterwards', () => {
    const lock = take();
    assert.equal(IndexLock.tryAcquire(file), undefined);
    lock.dispose();
    take().dispose();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is taken over from a process that has died, at once', () => {
    holder(deadPid());
    take();
    assert.deepEqual(readdirSync(folder), ['texts.lock']);
  });

  it('is left to a process that lives, and to one of another machine, as long as they touch it', () => {
    holder(process.pid);
    age(20);
    assert.equal(IndexLock.tryAcquire(file), undefined);
    holder(deadPid(), 'elsewhere');
    age(20);
    assert.equal(IndexLock.tryAcquire(file), undefined);
  });

  it('is taken over from whoever has not touched it for long, or touched it in the future', () => {
    for (const seconds of [40, -40]) {
      holder(process.pid, 'elsewhere');
      age(seconds);
      take().dispose();
    }
  });

  it('is taken over when nobody can tell whose it is, but only after a while', () => {
    writeFileSync(file, 'half a li');
    assert.equal(IndexLock.tryAcquire(file), undefined);
    age(40);
    take();
  });

  it('does not become stale while it is touched', () => {
    const lock = take();
    age(40);
    lock.renewLock();
    assert.equal(IndexLock.tryAcquire(file), undefined);
  });

  it('is not removed by the one it was taken over from', () => {
    const slow = take();
    age(40);
    take();
    const theirs = readFileSync(file, 'utf8');
    slow.renewLock();
    slow.dispose();
    assert.ok(existsSync(file));
    assert.equal(readFileSync(file, 'utf8'), theirs);
  });
});
