import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import { FileLock } from '../../../../src/base/node/fileLock';
import { eventually } from '../../../support/eventually';
import { turns } from '../../../support/turns';
import { InterruptedFiles, SleepyClock } from '../support/lockFiles';

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
  /** Before the time of the clock, in whole milliseconds as every disk stores them. */
  const modifiedAgo = async (ageMs: number, name = file) => {
    const date = new Date(clock.now() - ageMs);
    await utimes(name, date, date);
  };

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
    files.once('guard', async () => assert.equal(await other.acquire(), true));
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

  it('is put back by a window that slept before the removal, when another one has taken it meanwhile', async () => {
    await heldBy(dead);
    const [other, late] = [newLock(), newLock()];
    files.once('move', async () => {
      clock.sleptMs += 46_000;
      assert.equal(await other.acquire(), false, 'the late one seems to have crashed, which is noticed at this try');
      assert.equal(await other.acquire(), true);
      await writeFile(`${file}.evict`, 'a third window');
    });
    assert.equal(await late.acquire(), false);
    assert.equal(await other.ensureHeld(), 'held');
    clock.advance(20_000);
    await turns(50);
    assert.equal(losses, 0);
    assert.deepEqual(await readdir(folder), ['lock', 'lock.evict'], 'the guard of the third window stays, too');
    other.dispose();
  });

  it('is put back when its owner woke up before the removal, or another one has it since the same moment', async () => {
    await heldBy(elsewhere);
    await modifiedAgo(46_000);
    const late = newLock();
    files.once('move', beatNow);
    assert.equal(await late.acquire(), false);
    await modifiedAgo(46_000);
    files.once('move', () => heldBy(living).then(() => modifiedAgo(46_000)));
    assert.equal(await late.acquire(), false);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), living);
    assert.deepEqual(await readdir(folder), ['lock']);
  });

  it('is not put back over the lock that a third window has taken meanwhile', async () => {
    await heldBy(elsewhere);
    await modifiedAgo(46_000);
    files.once('move', beatNow);
    files.once('moved', () => heldBy(living));
    assert.equal(await newLock().acquire(), false);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), living);
    assert.deepEqual(await readdir(folder), ['lock']);
  });

  it('is acquired when its owner removed it before the removal', async () => {
    await heldBy(dead);
    const lock = newLock();
    files.once('move', () => rm(file));
    assert.equal(await lock.acquire(), true);
    lock.dispose();
  });

  it('is not acquired when another window has replaced it right after it was created', async () => {
    files.once('created', () => heldBy(living));
    assert.equal(await newLock().acquire(), false);
    assert.equal(clock.pending, 1, 'only the silence of the other one is counted');
  });

  it('is given up for now after three tries that each found another lock of a dead process', async () => {
    await heldBy(dead);
    const lock = newLock();
    const removed = files.moveIfExists.bind(files);
    files.moveIfExists = async (from, to) => {
      const isThere = await removed(from, to);
      if (from === file) await heldBy(dead);
      return isThere;
    };
    assert.equal(await lock.acquire(), false);
    assert.equal(files.created.filter((name) => name === 'lock').length, 3);
  });

  it('is not touched in a folder where a live process holds it', async () => {
    await heldBy(living);
    assert.equal(await newLock().acquire(), false);
    assert.deepEqual(files.created, ['lock'], 'no guard was created');
  });

  it('is acquired again by the one that holds it', async () => {
    const lock = newLock();
    assert.deepEqual([await lock.acquire(), await lock.acquire()], [true, true]);
    assert.equal(clock.pending, 1, 'it has one heartbeat');
    lock.dispose();
  });

  it('is held without a look at the file for 20 s after a heartbeat', async () => {
    const lock = newLock();
    await lock.acquire();
    await heldBy(elsewhere);
    assert.equal(await lock.ensureHeld(), 'held');
    clock.sleptMs += 19_999;
    assert.equal(await lock.ensureHeld(), 'held');
    clock.sleptMs += 1;
    assert.equal(await lock.ensureHeld(), 'theirs');
  });

  it('is still held after a long sleep in which nobody took it', async () => {
    const lock = newLock();
    await lock.acquire();
    clock.sleptMs += hour;
    assert.equal(await lock.ensureHeld(), 'held');
    lock.dispose();
  });

  it('is taken again, and not lost, when its file was deleted', async () => {
    const lock = newLock();
    await lock.acquire();
    await rm(file);
    clock.sleptMs += hour;
    assert.equal(await lock.ensureHeld(), 'taken', 'noticed before a write');
    await rm(file);
    clock.advance(10_000);
    await eventually('a heartbeat notices it', async () => assert.equal(await lock.ensureHeld(), 'taken'));
    assert.equal(losses, 0);
    lock.dispose();
  });

  it('is renewed by each heartbeat', async () => {
    const lock = newLock();
    await lock.acquire();
    for (let beat = 0; beat < 3; beat++) {
      await modifiedAgo(hour);
      clock.advance(10_000);
      await eventually('the heartbeat', async () => {
        assert.ok((await stat(file)).mtimeMs > Date.now() - hour / 2);
        assert.equal(clock.pending, 1);
      });
    }
    assert.equal(losses, 0);
    lock.dispose();
  });

  it('is held elsewhere only by a live owner that is another one', async () => {
    const lock = newLock();
    assert.equal(await lock.isHeldElsewhere(), false, 'there is none');
    await heldBy(dead);
    assert.equal(await lock.isHeldElsewhere(), false, 'its process has ended');
    await heldBy(living);
    assert.equal(await lock.isHeldElsewhere(), true);
    await rm(file);
    await lock.acquire();
    assert.equal(await lock.isHeldElsewhere(), false, 'it is its own');
    lock.dispose();
  });

  it('is taken from an earlier process with the id of this one', async () => {
    await heldBy({ ...dead, pid: process.pid });
    const lock = newLock();
    assert.equal(await lock.acquire(), true);
    lock.dispose();
  });

  it('is taken from another computer, and a guard from another window, only after more than 45 s', async () => {
    // What is dead here may be alive there.
    for (const [ageMs, isTaken] of [
      [45_000, false],
      [45_001, true],
    ] as const) {
      await heldBy({ ...dead, host: 'elsewhere' });
      await modifiedAgo(ageMs);
      const lock = newLock();
      assert.equal(await lock.acquire(), isTaken, `${ageMs} ms`);
      lock.dispose();
      await heldBy(dead);
      await writeFile(`${file}.evict`, 'first');
      await modifiedAgo(ageMs, `${file}.evict`);
      assert.equal(await newLock().acquire(), false);
      assert.equal((await readdir(folder)).includes('lock.evict'), !isTaken, `${ageMs} ms`);
      await rm(`${file}.evict`, { force: true });
    }
  });

  it('is counted as silent for 45 s only', async () => {
    await heldBy(living);
    const lock = newLock();
    await lock.isHeldElsewhere();
    clock.advance(44_999);
    assert.equal(await lock.isHeldElsewhere(), true);
    clock.advance(1);
    assert.equal(await lock.isHeldElsewhere(), false);
    assert.equal(clock.pending, 0);
  });

  it('is removed at its release only by its owner', async () => {
    const lock = newLock();
    await lock.acquire();
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
    await heldBy(living);
    await lock.release();
    files.once('read', () => Promise.reject(new Error('the disk does not answer')));
    await lock.release();
    assert.deepEqual(await readdir(folder), ['lock']);
    assert.equal(await lock.ensureHeld(), 'theirs', 'a released lock is not held, however recent its heartbeat is');
    lock.dispose();
  });

  it('stops its heartbeat when it is released during a heartbeat, whoever has it then', async () => {
    for (const next of [undefined, elsewhere]) {
      const lock = newLock();
      await lock.acquire();
      if (next) await heldBy(next);
      clock.advance(10_000);
      lock.dispose();
      await turns(50);
      assert.equal(clock.pending, 0);
      assert.equal(losses, 0);
    }
  });

  it('is not held by one that releases it while it is checked', async () => {
    const lock = newLock();
    await lock.acquire();
    clock.sleptMs += hour;
    files.once('read', () => {
      lock.dispose();
      return Promise.resolve();
    });
    assert.equal(await lock.ensureHeld(), 'taken', 'it was taken again');
    lock.dispose();
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
