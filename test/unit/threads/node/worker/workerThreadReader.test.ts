import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../../../../src/base/common/async';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import type { ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import { ThreadWorkerOwner } from '../../../../../src/threads/node/worker/threadWorkerOwner';
import { WorkerThreadReader } from '../../../../../src/threads/node/worker/workerThreadReader';
import { FakeClock } from '../../../../fake/fakeClock';
import { makeIndexBench, type IndexBench } from '../../support/indexBench';

describe('the reader of threads', () => {
  let bench: IndexBench;
  let worker: ThreadWorkerOwner;
  let reader: WorkerThreadReader;
  const open = (clock: Clock): void => {
    worker = new ThreadWorkerOwner({ workerFile: bench.workerFile, clock, log: nullLogger });
    reader = new WorkerThreadReader({ worker, clock });
  };

  beforeEach(async () => {
    bench = await makeIndexBench();
    open(systemClock);
  });
  afterEach(() => {
    reader.dispose();
    worker.dispose();
    bench.remove();
  });

  function writeLong(prompts: number): string {
    const file = bench.write('long');
    const messages = Array.from({ length: prompts }, (_, index) => ({
      role: 'user',
      messageId: index,
      content: [{ type: 'text', text: `prompt ${index}` }],
    }));
    writeFileSync(file, JSON.stringify({ v: 1, messages }));
    return file;
  }

  it('gives the last entries of a long thread first, and they are the same in the whole', async () => {
    const firsts: ThreadWithEntries[] = [];
    const file = { path: writeLong(1_000), source: 'local' } as const;
    const { entries, head } = await reader.read(file, undefined, (thread) => firsts.push(thread));
    const [first] = firsts;
    assert.equal(firsts.length, 1);
    assert.ok(first && first.entries.length >= 40 && first.entries.length < 100);
    assert.deepEqual(first.head, head);
    assert.equal(entries.length, 1_000);
    assert.ok(first.entries.every((entry, index) => entry === entries[1_000 - first.entries.length + index]));
    assert.deepEqual(
      entries.map(({ id }) => id),
      Array.from({ length: 1_000 }, (_, index) => `m${index}`),
    );
  });

  it('gives a short thread, and one that was read before, only as a whole', async () => {
    const fail = (): void => assert.fail('It came in parts.');
    await reader.read({ path: writeLong(20), source: 'local' }, undefined, fail);
    const long = writeLong(1_000);
    await reader.read({ path: long, source: 'local' });
    await reader.read({ path: long, source: 'local' }, undefined, fail);
  });

  it('leaves what has not changed as it is', async () => {
    const file = { path: writeLong(400), source: 'local' } as const;
    const before = await reader.read(file);
    writeLong(401);
    const after = await reader.read(file);
    assert.equal(after.entries.length, 401);
    assert.ok(before.entries.slice(0, 390).every((entry, index) => entry === after.entries[index]));
    assert.ok(reader.costMs(file.path) > 0);
  });

  it('is whole after a reading that was cut short', async () => {
    const file = { path: writeLong(1_000), source: 'local' } as const;
    const stop = new AbortController();
    await assert.rejects(
      reader.read(file, stop.signal, () => stop.abort()),
      { code: 'cancelled' },
    );
    assert.equal((await reader.read(file)).entries.length, 1_000);
  });

  it('knows the JSON of an entry, and reports when a thread is gone or the reader was closed', async () => {
    const file = { path: bench.write('a', { prompt: 'hello' }), source: 'local' } as const;
    assert.match((await reader.rawJson(file, 'm0')) ?? '', /hello/);
    assert.equal(await reader.rawJson(file, 'none'), undefined);
    assert.equal((await reader.head({ ...file, threadId: 'T-other' }))?.id, 'T-other');
    rmSync(file.path);
    await assert.rejects(reader.read(file), { code: 'notFound' });
    assert.equal(await reader.head(file), undefined);
    reader.dispose();
    await assert.rejects(reader.read(file), { code: 'cancelled' });
  });

  it('keeps a few threads, reads the others again, and lets go of all when nobody has asked for long', async () => {
    const clock = new FakeClock();
    worker.dispose();
    open(clock);
    const files = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ path: bench.write(id), source: 'local' }) as const);
    const firsts: ThreadWithEntries[] = [];
    for (const file of files) firsts.push(await reader.read(file));
    const [oldest, newest] = [files[0], files[4]];
    assert.ok(oldest && newest);
    assert.notEqual((await reader.read(oldest)).entries[0], firsts[0]?.entries[0]);
    assert.equal((await reader.read(newest)).entries[0], firsts[4]?.entries[0]);
    clock.advance(5 * 60_000);
    assert.notEqual((await reader.read(newest)).entries[0], firsts[4]?.entries[0]);
  });
});
