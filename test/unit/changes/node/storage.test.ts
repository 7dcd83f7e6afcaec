import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import { currentStateId } from '../../../../src/changes/node/stateComparer';
import { FakeClock } from '../../../fake/fakeClock';
import { makeSmallDisk, withSmallDisk } from '../../../support/smallDisk';
import { contentAt, contentsOf, taken, TestWorkspace, textAt, writesIn } from '../support/workspace';

const mb = 1024 * 1024;
const dayMs = 86_400_000;

describe('the storage of checkpoints', () => {
  let workspace: TestWorkspace;
  let offsetMs: number;
  const clock: Clock = {
    now: () => systemClock.now() + offsetMs,
    monotonicNow: () => systemClock.monotonicNow(),
    setTimer: (delayMs, callback) => systemClock.setTimer(delayMs, callback),
  };
  beforeEach(() => {
    workspace = new TestWorkspace();
    offsetMs = 0;
  });
  afterEach(() => workspace.dispose());

  it('loses what is too old, and nothing else', async () => {
    workspace.write({ 'a.txt': 'one' });
    const store = await workspace.open({ clock });
    const old = await taken(store);
    offsetMs = 2 * dayMs;
    workspace.write({ 'a.txt': 'two' });
    const recent = await taken(store);
    offsetMs = 3 * dayMs;
    const { dropped } = await store.prune({ maxAgeMs: 1.5 * dayMs, maxBytes: 1e9 });
    assert.deepEqual(dropped, [old.id]);
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      [recent.id],
    );
    await assert.rejects(textAt(store, old.id, 'a.txt'), { code: 'unknownCheckpoint' });
    assert.equal(await textAt(store, recent.id, 'a.txt'), 'two');
    offsetMs = -10 * dayMs;
    assert.deepEqual(
      (await store.prune({ maxAgeMs: dayMs, maxBytes: 1e9 })).dropped,
      [],
      'after the clock was set back',
    );
  });

  it('loses the oldest checkpoints when it holds too much, and gets small enough', async () => {
    const store = await workspace.open();
    const ids: string[] = [];
    for (let turn = 0; turn < 8; turn++) {
      workspace.write({ 'a.bin': randomBytes(mb) });
      ids.push((await taken(store)).id);
    }
    const { bytes, dropped } = await store.prune({ maxAgeMs: dayMs, maxBytes: 4 * mb });
    assert.ok(bytes <= 4 * mb, `${bytes} bytes`);
    assert.deepEqual(dropped, ids.slice(0, dropped.length), 'the oldest first');
    assert.ok(dropped.length < ids.length);
    const last = ids.at(-1) ?? '';
    assert.equal((await contentAt(store, last, 'a.bin'))?.length, mb);
    const all = await store.prune({ maxAgeMs: dayMs, maxBytes: 100_000 });
    assert.ok(all.bytes <= 1.2 * mb, `${all.bytes} bytes`);
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      [last],
      'the newest is never removed',
    );
    assert.equal((await store.take('next')).kind, 'taken');
  });

  it('keeps the newest checkpoint of each series however small the limit is, also that of another window', async () => {
    const windows = [await workspace.open(), await workspace.open()];
    const anArbitraryTurn = fc.record({
      window: fc.nat(1),
      series: fc.constantFrom('turns of a', 'turns of b', 'undo in a'),
      kind: fc.constantFrom('take', 'take', 'prune', 'scan'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anArbitraryTurn, { minLength: 1, maxLength: 12 }), async (turns) => {
        const newest = new Map<string, { readonly id: string; readonly content: Buffer }>();
        for (const { kind, series, window } of turns) {
          const store = windows[window];
          assert.ok(store);
          if (kind === 'prune') {
            await store.prune({ maxAgeMs: dayMs, maxBytes: 1 });
            continue;
          }
          const content = randomBytes(50_000);
          workspace.write({ 'a.bin': content });
          if (kind === 'take') newest.set(series, { id: (await taken(store, series, series)).id, content });
          else for (const { id } of newest.values()) await store.diff(id, currentStateId);
        }
        await Promise.allSettled(windows.map((store) => store.prune({ maxAgeMs: dayMs, maxBytes: 1 })));
        for (const { content, id } of newest.values()) {
          assert.deepEqual(await contentAt(windows[0] ?? assert.fail(), id, 'a.bin'), content);
        }
      }),
      { numRuns: 6 },
    );
    // What nobody needs any more is gone: three series, and what the index and Git itself need.
    const { bytes } = (await windows[0]?.prune({ maxAgeMs: dayMs, maxBytes: 1 })) ?? { bytes: 0 };
    assert.ok(bytes < 400_000, `${bytes} bytes`);
  });

  it('keeps what a running turn needs, also when the clock was set back', async () => {
    const store = await workspace.open({ clock });
    workspace.write({ 'a.txt': 'one' });
    await taken(store, 'turn 1', 'turns of a');
    offsetMs = -10 * dayMs;
    workspace.write({ 'a.txt': 'two' });
    const { id } = await taken(store, 'turn 2', 'turns of a');
    offsetMs = 20 * dayMs;
    await store.prune({ maxAgeMs: dayMs, maxBytes: 1 });
    assert.equal(await textAt(store, id, 'a.txt'), 'two');
  });

  it('is packed when it has many files, and the checkpoints are as before', async () => {
    workspace.write({ 'tracked.txt': 'tracked' });
    workspace.commitAll();
    workspace.write(Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`f${at}.txt`, `${at}\n`])));
    const repository = writesIn(workspace.file('.git'));
    const store = await workspace.open();
    const { id } = await taken(store);
    workspace.write({ 'f7.txt': 'agent' });
    await store.prune({ maxAgeMs: dayMs, maxBytes: 1e9 });
    const packs = readdirSync(path.join(workspace.storage, 'git-sha1', 'objects', 'pack'));
    assert.equal(packs.filter((name) => name.endsWith('.pack')).length, 1);
    assert.equal(await textAt(store, id, 'f7.txt'), '7\n');
    assert.deepEqual(
      (await store.diff(id, currentStateId)).changes.map(({ path: name }) => name),
      ['f7.txt'],
    );
    assert.deepEqual(writesIn(workspace.file('.git')), repository);
  });

  it('is packed into one when it has many packs, but not while another window writes', async () => {
    const store = await workspace.open();
    const packs = (): number =>
      readdirSync(path.join(workspace.storage, 'git-sha1', 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
        .length;
    const ids: string[] = [];
    for (let turn = 0; turn < 22; turn++) {
      workspace.write(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.txt`, `${turn} ${at}\n`])));
      ids.push((await taken(store)).id);
    }
    const before = packs();
    // An older Git writes single files.
    assert.ok(before === 22 || before === 0, `${before} packs`);
    const other = path.join(workspace.storage, 'git-sha1', 'index-of-another-window');
    writeFileSync(other, '');
    await store.prune({ maxAgeMs: dayMs, maxBytes: 1e9 });
    assert.equal(packs(), before);
    rmSync(other);
    await store.prune({ maxAgeMs: dayMs, maxBytes: 1e9 });
    assert.equal(packs(), 1);
    assert.equal(await textAt(store, ids[3] ?? '', 'f7.txt'), '3 7\n');
  });

  it('is pruned by nobody who makes others wait', async () => {
    workspace.write({ 'a.txt': 'a' });
    const store = await workspace.open();
    await taken(store);
    const pruning = store.prune({ maxAgeMs: dayMs, maxBytes: 1e9 }).then(
      () => 'pruned',
      (error: unknown) => error,
    );
    const result = await store.take('a prompt');
    assert.equal(result.kind, 'taken');
    const ended = await pruning;
    assert.ok(ended instanceof Error && 'code' in ended && ended.code === 'cancelled', String(ended));
    assert.deepEqual((await store.prune({ maxAgeMs: dayMs, maxBytes: 1e9 })).dropped, []);
  });

  it('leaves no timer once it has stopped, and cancels no later pruning', async () => {
    workspace.write({ 'a.txt': 'a' });
    const fake = Object.assign(new FakeClock(), { now: () => systemClock.now() });
    const store = await workspace.open({ clock: fake });
    await taken(store);
    const retention = { maxAgeMs: dayMs, maxBytes: 1e9 };
    const options = { isFull: true, othersWait: true, worthBytes: 0 };
    const pruning = store.prune(retention, options).catch((error: unknown) => error);
    const waiting = [store.take('a prompt'), store.take('another')];
    await Promise.all([pruning, ...waiting]);
    assert.equal(fake.pending, 0, 'after a pruning for which others waited');
    // It finds that there is nothing to do. A prompt comes meanwhile.
    const small = store.prune(retention, { isFull: false, othersWait: false, worthBytes: 1e9 });
    await Promise.all([small, store.take('a third')]);
    assert.deepEqual((await store.prune(retention)).dropped, []);
    const last = store.prune(retention, options).catch((error: unknown) => error);
    const late = store.take('a fourth').catch((error: unknown) => error);
    await store.stop();
    await Promise.all([last, late]);
    assert.equal(fake.pending, 0, 'after the stop');
  });

  it('is for the user alone', async () => {
    workspace.write({ 'a.txt': 'a' });
    await taken(await workspace.open());
    const { statSync } = await import('node:fs');
    assert.equal(statSync(workspace.storage).mode & 0o077, 0);
    assert.equal(statSync(path.join(workspace.storage, 'git-sha1')).mode & 0o077, 0);
  });

  withSmallDisk.it(
    'refuses a checkpoint when the disk is full, keeps those it has, and goes on when there is room',
    async () => {
      const small = path.join(workspace.root, 'small');
      const disk = makeSmallDisk(small, 4);
      try {
        workspace.write({ 'a.txt': 'one' });
        const store = await workspace.open({ storage: path.join(small, 'storage') });
        const first = await taken(store);
        const files = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`r${at}.bin`, randomBytes(mb)]));
        workspace.write({ ...files, 'a.txt': 'two' });
        for (let attempt = 0; attempt < 3; attempt++) {
          const result = await store.take('too much');
          assert.equal(result.kind === 'refused' && result.error.code, 'diskFull');
        }
        assert.equal(await textAt(store, first.id, 'a.txt'), 'one');
        for (const name of Object.keys(files)) workspace.remove(name);
        await store.prune({ maxAgeMs: dayMs, maxBytes: 3 * mb });
        const second = await taken(store);
        assert.equal(await textAt(store, second.id, 'a.txt'), 'two');
        assert.deepEqual(
          (await store.diff(first.id, second.id)).changes.map(({ path: name }) => name),
          ['a.txt'],
        );
      } finally {
        disk.dispose();
      }
    },
  );

  withSmallDisk.it(
    'leaves a file whole when the disk is full in mid-restore, and the restore can be undone',
    async () => {
      const small = path.join(workspace.root, 'small');
      const disk = makeSmallDisk(small, 6);
      try {
        const folder = path.join(small, 'work');
        mkdirSync(folder);
        const write = (size: number, text: string): void => {
          for (let at = 0; at < 4; at++) writeFileSync(path.join(folder, `f${at}.txt`), text.repeat(size));
        };
        write(mb, 'b');
        const store = await workspace.open({ folder });
        const { id } = await taken(store);
        write(10, 'a');
        const after = contentsOf(folder);
        const plan = await store.planRestore(id);
        writeFileSync(path.join(folder, 'filler'), randomBytes(4.5 * mb));
        await assert.rejects(store.applyRestore(plan, 'undo'), { code: 'diskFull' });
        const stands = await store.findInterruptedRestore();
        assert.equal(stands?.touched, 0);
        assert.equal(stands.done + stands.left, 4);
        await store.resumeRestore('undo');
        const { filler, ...files } = contentsOf(folder);
        assert.ok(filler);
        assert.deepEqual(files, after);
      } finally {
        disk.dispose();
      }
    },
  );
});
