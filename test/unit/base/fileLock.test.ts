import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import { DiskFiles } from '../../../src/base/node/filePort';
import { FileLock } from '../../../src/base/node/fileLock';
import { FakeClock } from '../../fake/fakeClock';
import { turns } from '../../support/turns';

/** Goes on while the computer sleeps; its timers do not. */
class SleepyClock extends FakeClock {
  sleptMs = Date.now();

  override now(): number {
    return super.now() + this.sleptMs;
  }
}

/** Lets something happen between the look at a lock and its removal. */
class InterruptedFiles extends DiskFiles {
  beforeRemoval: (() => Promise<void>) | undefined;

  override async createNew(file: string, text: string): Promise<boolean> {
    if (file.endsWith('.evict')) {
      const { beforeRemoval } = this;
      this.beforeRemoval = undefined;
      await beforeRemoval?.();
    }
    return await super.createNew(file, text);
  }
}

describe('FileLock', () => {
  const hour = 3_600_000;
  const dead = { owner: 'dead', pid: 2 ** 30, host: hostname(), startedAt: 1 };
  const living = { owner: 'living', pid: process.ppid, host: hostname(), startedAt: 1 };
  const elsewhere = { owner: 'elsewhere', pid: 1, host: 'elsewhere', startedAt: 1 };
  let folder: string;
  let file: string;
  let clock: SleepyClock;
  let files: InterruptedFiles;
  let losses: number;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lock-'));
    file = path.join(folder, 'lock');
    clock = new SleepyClock();
    files = new InterruptedFiles();
    losses = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const newLock = () => new FileLock(file, { files, clock, onLost: () => losses++ });
  const heldBy = (owner: object) => writeFile(file, JSON.stringify(owner));
  const beatNow = () => utimes(file, new Date(), new Date());

  it('is not taken from a live process, however long the computer has slept', async () => {
    await heldBy(living);
    const lock = newLock();
    clock.sleptMs += hour;
    assert.equal(await lock.isHeldElsewhere(), true);
    clock.advance(10_000);
    clock.sleptMs += hour;
    assert.equal(await lock.acquire(), false);
    clock.advance(10_000);
    await beatNow();
    assert.equal(await lock.isHeldElsewhere(), true);
    clock.advance(40_000);
    assert.equal(await lock.acquire(), false, 'it has beaten meanwhile');
    lock.dispose();
    assert.equal(clock.pending, 0);
  });

  it('is taken from a process that only reuses the id of the owner, without heartbeats', async () => {
    await heldBy(living);
    const lock = newLock();
    assert.equal(await lock.isHeldElsewhere(), true);
    clock.advance(45_000);
    assert.equal(await lock.acquire(), true);
    lock.dispose();
  });

  it('is checked before the first write after sleep', async () => {
    const lock = newLock();
    assert.equal(await lock.acquire(), true);
    await heldBy(elsewhere);
    clock.sleptMs += hour;
    assert.equal(await lock.ensureHeld(), 'theirs');
    assert.equal(losses, 1);
    assert.equal(clock.pending, 0);
  });

  it('is taken from another computer without heartbeats, even if its time is in the future', async () => {
    await heldBy(elsewhere);
    const later = new Date(Date.now() + hour);
    await utimes(file, later, later);
    const lock = newLock();
    assert.equal(await lock.acquire(), false);
    clock.advance(45_000);
    assert.equal(await lock.acquire(), true);
    lock.dispose();
  });

  it('is checked before a write if the clock was set back, since another window may have taken it', async () => {
    const lock = newLock();
    assert.equal(await lock.acquire(), true);
    await heldBy(elsewhere);
    clock.setBack(hour);
    assert.equal(await lock.ensureHeld(), 'theirs');
    assert.equal(losses, 1);
  });

  it('is acquired by only one of two windows that find it stale at the same time', async () => {
    await heldBy(dead);
    const other = newLock();
    const late = newLock();
    files.beforeRemoval = async () => assert.equal(await other.acquire(), true);
    assert.equal(await late.acquire(), false);
    assert.equal(await other.ensureHeld(), 'held');
    clock.advance(20_000);
    await turns(50);
    assert.equal(losses, 0);
    assert.deepEqual(await readdir(folder), ['lock']);
    other.dispose();
  });

  it('is acquired by only one of many windows at the same time', async () => {
    await heldBy(dead);
    const locks = Array.from({ length: 8 }, newLock);
    const isHeld = await Promise.all(locks.map((lock) => lock.acquire()));
    assert.equal(isHeld.filter(Boolean).length, 1);
    for (const lock of locks) lock.dispose();
  });

  it('is not removed by a second window while the first one removes it', async () => {
    await heldBy(dead);
    await writeFile(`${file}.evict`, 'first');
    const second = newLock();
    assert.equal(await second.acquire(), false);
    clock.sleptMs += 46_000;
    assert.equal(await second.acquire(), false, 'the first one has crashed, which is noticed at this try');
    assert.equal(await second.acquire(), true);
    assert.deepEqual(await readdir(folder), ['lock']);
    second.dispose();
  });

  it('stops its heartbeat when it is released during a heartbeat', async () => {
    const lock = newLock();
    await lock.acquire();
    clock.advance(10_000);
    lock.dispose();
    await turns(50);
    assert.equal(clock.pending, 0);
    assert.equal(losses, 0);
  });

  it('leaves no incomplete file on a full disk', async () => {
    const probe = await open(path.join(folder, 'probe'), 'w');
    const handles: unknown = Object.getPrototypeOf(probe);
    await probe.close();
    assert.ok(typeof handles === 'object' && handles !== null);
    const original: unknown = Reflect.get(handles, 'writeFile');
    Reflect.set(handles, 'writeFile', () => Promise.reject(new Error('the disk is full')));
    const lock = newLock();
    try {
      await assert.rejects(lock.acquire(), /full/);
    } finally {
      Reflect.set(handles, 'writeFile', original);
    }
    assert.equal(await lock.ensureHeld(), 'taken', 'it is taken when there is space again');
    assert.equal(await lock.ensureHeld(), 'held');
    assert.match(await readFile(file, 'utf8'), /"owner"/);
    lock.dispose();
  });
});
