import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { nullLogger, type Logger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import type { ThreadIndex } from '../../../../../src/threads/node/index/threadIndex';
import { FakeClock } from '../../../../fake/fakeClock';
import { until } from '../../../../support/eventually';
import { headsSaved, makeIndexBench, OwnIndex, threadJson, type IndexBench } from '../../support/indexBench';

describe('the index of threads', () => {
  let bench: IndexBench;
  let warnings: string[];
  const indexes: ThreadIndex[] = [];

  beforeEach(async () => {
    bench = await makeIndexBench();
    warnings = [];
  });
  afterEach(() => {
    for (const index of indexes.splice(0)) index.dispose();
    bench.remove();
  });

  function open(workerFile = bench.workerFile): OwnIndex {
    const log: Logger = { ...nullLogger, warn: (message) => warnings.push(message) };
    const index = new OwnIndex({ folder: bench.index, workerFile, clock: systemClock, log });
    indexes.push(index);
    return index;
  }

  async function titles(index: ThreadIndex): Promise<readonly (string | undefined)[]> {
    const { heads } = await index.list([bench.store]);
    return heads.map(({ title, problem }) => problem ?? title).sort();
  }

  async function indexed(index: ThreadIndex, total: number): Promise<void> {
    await new Promise<void>((resolve) => {
      index.onDidChangeCoverage((coverage) => {
        if (coverage.indexed >= total) resolve();
      });
    });
  }

  /** One that ends when it reads `T-deadly.json`, and writes a letter into `deaths` then. */
  function mortalWorker(): { readonly deaths: string; readonly workerFile: string } {
    const deaths = join(bench.index, '..', 'deaths');
    const workerFile = join(bench.index, '..', 'mortal.js');
    writeFileSync(
      workerFile,
      `const fs = require('node:fs');
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) => {
        if (String(file).endsWith('T-deadly.json')) {
          fs.appendFileSync(${JSON.stringify(deaths)}, 'x');
          process.exit(7);
        }
        return readFileSync(file, ...rest);
      };
      require(${JSON.stringify(bench.workerFile)});`,
    );
    return { deaths, workerFile };
  }

  /** After a list that must not need the worker. */
  const noWorker = (): string => join(bench.index, 'no such worker.js');

  it('lists threads, the newest prompt first, with their heads', async () => {
    bench.write('old', { title: 'Old', created: 1_700_000_000_000 });
    bench.write('new', { title: 'New', prompt: 'Do it\nnow' });
    writeFileSync(join(bench.store, 'T-x.json.amptmp'), 'half');
    writeFileSync(join(bench.store, 'notes.json'), '{}');
    const { heads, problems } = await open().list([bench.store, join(bench.store, 'missing')]);
    assert.deepEqual(
      heads.map(({ id, title }) => [id, title]),
      [
        ['T-new', 'New'],
        ['T-old', 'Old'],
      ],
    );
    assert.equal(heads[0]?.firstPrompt, 'Do it');
    assert.deepEqual(problems, []);
  });

  it('reads nothing of a store that has not changed', async () => {
    bench.write('a', { title: 'A' });
    await titles(open());
    await headsSaved(bench);
    assert.deepEqual(await titles(open(noWorker())), ['A']);
  });

  it('takes in what was changed, added and removed', async () => {
    const file = bench.write('a', { title: 'A' });
    bench.write('b', { title: 'B' });
    const index = open();
    assert.deepEqual(await titles(index), ['A', 'B']);
    bench.write('a', { title: 'A changed' });
    bench.write('c', { title: 'C' });
    rmSync(join(bench.store, 'T-b.json'));
    assert.deepEqual(await titles(index), ['A changed', 'C']);
    await headsSaved(bench);
    assert.deepEqual(await titles(open(noWorker())), ['A changed', 'C']);
    rmSync(file);
    assert.deepEqual(await titles(open()), ['C']);
  });

  it('lists with a problem what cannot be read, and reads it once', async () => {
    bench.write('good', { title: 'good' });
    const whole = threadJson();
    for (const [name, content] of [
      ['cut', whole.slice(0, 60)],
      ['zero', ''],
      ['shape', '[1]'],
      ['deep', '['.repeat(200_000)],
    ] as const)
      writeFileSync(join(bench.store, `T-${name}.json`), content);
    writeFileSync(join(bench.store, 'T-bytes.json'), Buffer.from([0xff, 0xfe, 0x7b]));
    const huge = bench.write('huge');
    truncateSync(huge, 50 * 1024 * 1024 + 1);
    const listed = await titles(open());
    assert.equal(listed.length, 7);
    assert.ok(listed.includes('good') && listed.includes('This file is empty.'));
    assert.ok(listed.some((title) => title?.includes('the limit is 50 MiB') === true));
    await headsSaved(bench);
    assert.deepEqual(await titles(open(noWorker())), listed);
  });

  it('survives text of ten megabytes, a clock in 1970 and files of before it', async () => {
    const file = bench.write('big', { title: 'Big', answer: 'x'.repeat(10_000_000) });
    utimesSync(file, -5, -5);
    bench.write('zero', { title: 'Zero', created: 0 });
    const clock = { ...systemClock, now: () => 0 };
    const index = new OwnIndex({ folder: bench.index, workerFile: bench.workerFile, clock, log: nullLogger });
    indexes.push(index);
    assert.deepEqual(await titles(index), ['Big', 'Zero']);
    await headsSaved(bench);
    assert.deepEqual(await titles(open(noWorker())), ['Big', 'Zero']);
  });

  it('leaves out thousands of files that vanish while they are read', async () => {
    const files = Array.from({ length: 3_000 }, (_, index) => bench.write(`v${index}`));
    bench.write('stays', { title: 'Stays' });
    const index = open();
    const listing = index.list([bench.store]);
    // Their names are known by then, and the worker has not come to the last of them.
    await until('the worker', () => index.hasAsked);
    for (const file of files) rmSync(file);
    const { heads } = await listing;
    assert.ok(heads.length < 3_001, String(heads.length));
    assert.deepEqual(await titles(index), ['Stays']);
  });

  it('tells of a folder that cannot be read, and lists the others', async () => {
    bench.write('a', { title: 'A' });
    const file = join(bench.store, 'not a folder');
    writeFileSync(file, '');
    const { heads, problems } = await open().list([file, bench.store]);
    assert.equal(heads.length, 1);
    assert.deepEqual(
      problems.map(({ folder }) => folder),
      [file],
    );
  });

  it('is made anew when it is damaged, cut off, newer or older, and says so', async () => {
    bench.write('a', { title: 'A' });
    await titles(open());
    await headsSaved(bench);
    const file = join(bench.index, 'heads.jsonl');
    const good = readFileSync(file, 'utf8');
    const bad = [
      good.slice(0, -20),
      good.replace('"title":"A"', '"title":"B"'),
      good.replace('"version":3', '"version":99'),
      good.replace('"version":3', '"version":2'),
      '',
      '\0\0\0',
    ];
    for (const [count, content] of bad.entries()) {
      writeFileSync(file, content);
      assert.deepEqual(await titles(open()), ['A']);
      await headsSaved(bench);
      const told = warnings.filter((warning) => warning.includes('Rebuilding'));
      assert.equal(told.length, count + 1, content.slice(0, 80));
      assert.deepEqual(await titles(open(noWorker())), ['A']);
    }
  });

  it('saves what lists that follow each other have read, also those of another window', async () => {
    const [one, other] = [open(), open()];
    for (const id of ['a', 'b', 'c']) {
      bench.write(id, { title: id });
      await Promise.all([titles(one), titles(other)]);
    }
    await headsSaved(bench);
    // What it has not saved yet is of before.
    other.dispose();
    rmSync(join(bench.store, 'T-b.json'));
    await titles(one);
    await headsSaved(bench);
    assert.deepEqual([...(await titles(open(noWorker())))].sort(), ['a', 'c']);
  });

  it('lists although the index cannot be written', async () => {
    bench.write('a', { title: 'A' });
    writeFileSync(bench.index, 'a file where the folder should be');
    const index = open();
    assert.deepEqual(await titles(index), ['A']);
  });

  it('is searched although it cannot be written, after a long rest and with another worker', async () => {
    const { deaths, workerFile } = mortalWorker();
    bench.write('a', { prompt: 'a needle' });
    writeFileSync(bench.index, 'not a folder');
    const clock = new FakeClock();
    const log: Logger = { ...nullLogger, warn: (message) => warnings.push(message) };
    const index = new OwnIndex({ folder: bench.index, workerFile, clock, log });
    indexes.push(index);
    const isFound = async (): Promise<boolean> => {
      clock.advance(100);
      return (await index.search('needle')).hits.length === 1;
    };
    assert.equal((await index.list([bench.store])).heads.length, 1);
    await until('it is found', isFound);
    clock.advance(10 * 60_000);
    assert.equal((await index.search('needle')).hits.length, 1, 'nothing has to be read again');
    bench.write('deadly', {});
    await index.list([bench.store]);
    assert.equal(readFileSync(deaths, 'utf8'), 'x');
    await until('it is found by another worker', isFound);
    assert.match(warnings.join('\n'), /using memory instead/);
  });

  it('searches titles, prompts and answers, and says where', async () => {
    bench.write('t', { title: 'Needle work' });
    bench.write('p', { prompt: 'Find the nèedle in the haystack' });
    bench.write('a', { answer: `${'far '.repeat(100)}needle here` });
    bench.write('n', { prompt: 'nothing' });
    const index = open();
    const done = indexed(index, 4);
    await index.list([bench.store]);
    await done;
    const { hits, coverage } = await index.search('needl');
    assert.deepEqual(
      hits.map(({ threadId, entryId }) => [threadId, entryId]),
      [
        ['T-t', undefined],
        ['T-p', 'm0'],
        ['T-a', 'm1.0'],
      ],
    );
    assert.deepEqual(coverage, { indexed: 4, total: 4 });
    assert.deepEqual((await index.search('"needle in the"')).hits.length, 1);
    assert.deepEqual((await index.search('haystack needle missing')).hits, []);
    assert.deepEqual((await index.search('')).hits, []);
  });

  it('shares the text index with another window, and forgets what is gone or was changed', async () => {
    bench.write('a', { prompt: 'alpha' });
    bench.write('b', { prompt: 'beta' });
    const one = open();
    const done = indexed(one, 2);
    await one.list([bench.store]);
    await done;
    const segments = (): readonly string[] => readdirSync(bench.index).filter((name) => name.endsWith('.seg'));
    const before = segments();
    const other = open();
    const known = indexed(other, 2);
    await other.list([bench.store]);
    await known;
    assert.equal((await other.search('alpha')).hits.length, 1);
    assert.deepEqual(segments(), before);
    bench.write('a', { prompt: 'changed text' });
    rmSync(join(bench.store, 'T-b.json'));
    const again = indexed(other, 1);
    await other.list([bench.store]);
    await again;
    // What it had is complete at once: the change is behind it.
    await until('the changed text', async () => (await other.search('changed')).hits.length === 1);
    assert.deepEqual((await other.search('alpha')).hits, []);
    assert.deepEqual((await other.search('beta')).hits, []);
  });

  it('stops waiting when it is cancelled, and ends with its disposal', async () => {
    bench.write('a');
    const index = open();
    await assert.rejects(index.list([bench.store], AbortSignal.abort()), { code: 'cancelled' });
    index.dispose();
    await assert.rejects(index.search('a'), { code: 'cancelled' });
  });

  it('fails in words when there is no worker', async () => {
    bench.write('a');
    await assert.rejects(open(noWorker()).list([bench.store]), { code: 'unreadable' });
  });

  it('continues without a file that ends the worker, says so, and leaves it alone until it changes', async () => {
    const deadly = bench.write('deadly', { answer: 'x'.repeat(5_000_000) });
    for (const id of ['a', 'b']) bench.write(id, { title: id });
    const { deaths, workerFile } = mortalWorker();
    const index = open(workerFile);
    const { heads } = await index.list([bench.store]);
    assert.deepEqual(heads.map(({ title, problem }) => title ?? problem?.slice(0, 19)).sort(), [
      'Not enough memory t',
      'a',
      'b',
    ]);
    assert.ok(warnings.some((warning) => warning.includes(deadly)));
    await index.list([bench.store]);
    assert.equal(readFileSync(deaths, 'utf8'), 'x');
  });

  it('keeps what was read before a file ended the worker, and that it did, and indexes the text of the others', async () => {
    bench.write('first', { title: 'first', prompt: 'alpha', answer: 'y'.repeat(5_000_000) });
    const deadly = bench.write('deadly', { answer: 'x'.repeat(5_000_000) });
    utimesSync(deadly, 1_000, 1_000);
    const { deaths, workerFile } = mortalWorker();
    const index = open(workerFile);
    const done = indexed(index, 1);
    const listed = await titles(index);
    await done;
    assert.equal((await index.search('alpha')).hits.length, 1);
    await headsSaved(bench);
    assert.deepEqual(await titles(open(noWorker())), listed);
    assert.equal(readFileSync(deaths, 'utf8'), 'x');
  });

  it('keeps the heads of a folder while it cannot be read', async () => {
    bench.write('a', { title: 'A', prompt: 'alpha' });
    const more = join(bench.index, '..', 'more');
    mkdirSync(more);
    writeFileSync(join(more, 'T-b.json'), threadJson({ title: 'B', prompt: 'beta' }));
    const folders = [bench.store, more];
    const index = open();
    const done = indexed(index, 2);
    await index.list(folders);
    await done;
    renameSync(more, `${more}.away`);
    symlinkSync(more, more);
    bench.write('a', { title: 'A changed' });
    const { heads, problems } = await index.list(folders);
    assert.deepEqual([heads.length, problems.length], [1, 1]);
    await headsSaved(bench);
    unlinkSync(more);
    renameSync(`${more}.away`, more);
    assert.equal((await open(noWorker()).list(folders)).heads.length, 2);
  });

  it('never writes to the store', async () => {
    bench.write('a');
    mkdirSync(join(bench.store, 'sub'));
    chmodSync(bench.store, 0o500);
    const before = readdirSync(bench.store);
    try {
      await titles(open());
      assert.deepEqual(readdirSync(bench.store), before);
    } finally {
      chmodSync(bench.store, 0o700);
    }
  });
});
