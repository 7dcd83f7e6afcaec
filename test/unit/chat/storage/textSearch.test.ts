import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import { conversationTextsWorkerBundle } from '../../../../scripts/lib/bundles/conversationTextsWorker.mjs';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles, type ReadChunks } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { storedEntries } from '../../../../src/chat/common/log/storedEntries';
import { readLogTexts } from '../../../../src/chat/node/search/logTexts';
import { searchConversations } from '../../../../src/chat/node/search/searchConversations';
import { WorkerTextSearch } from '../../../../src/chat/node/search/workerTextSearch';
import { IndexLock } from '../../../../src/texts/node/files/indexLock';
import { FakeClock } from '../../../fake/fakeClock';
import { TextsHere } from '../support/textsHere';
import { event, TranscriptRecorder } from '../support/transcriptRecorder';
import { settled } from '../support/window';

const begin = (id: string, version = 3) => ({ type: 'begin', at: 1, version, id, backendId: 'one' });
const prompt = (text: string) => ({ type: 'prompt', at: 5, id: 'p', text, attachments: [] });

describe('The texts of conversations', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'texts-'));
  });
  afterEach(() => rm(folder, { recursive: true, maxRetries: 20, retryDelay: 50 }));

  const logOf = (id: string, root = folder): string => path.join(root, id, 'log.jsonl');
  async function write(id: string, ...lines: readonly unknown[]): Promise<void> {
    await writeIn(folder, id, ...lines);
  }
  async function writeIn(root: string, id: string, ...lines: readonly unknown[]): Promise<void> {
    await mkdir(path.join(root, id), { recursive: true });
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    await writeFile(logOf(id, root), [...texts, ''].join('\n'));
  }
  async function read(id: string) {
    const { mtimeMs, size: sizeBytes } = await stat(logOf(id));
    return await readLogTexts(new NodeFiles(), { path: logOf(id), sizeBytes, mtimeMs });
  }
  const ids = (found: { readonly hits: readonly { readonly conversation: string }[] }): string[] =>
    found.hits.map(({ conversation }) => conversation).sort();
  /** All that the index has on disk. */
  async function stored(): Promise<string> {
    const index = path.join(folder, 'index', 'texts');
    const names = await readdir(index).catch(() => []);
    return (await Promise.all(names.map((name) => readFile(path.join(index, name), 'latin1')))).join('\n');
  }

  it('are those of prompts, answers and titles of calls, each with the entry of the transcript', async () => {
    const recorder = new TranscriptRecorder().addRecords({ type: 'prompt', id: 'p', text: 'Find it', attachments: [] });
    const call = {
      tool_name: 'Bash',
      tool_call_id: 'c',
      operation: 'execute',
      input: { command: 'npm test', note: 'secret input' },
    };
    recorder.addEvents(
      event('thinking:delta', { delta: 'a secret thought' }),
      event('tool:pre', call),
      event('tool:post', {
        ...call,
        result: { success: true, output: 'secret result' },
        content: [{ type: 'text', text: 'secret output' }],
      }),
      event('content_block:delta', { block_index: 0, delta: 'It is ' }),
      event('content_block:delta', { block_index: 0, delta: 'there.' }),
    );
    const attachments = [{ id: 'x', kind: 'text', title: 'note', text: 'secret attachment' }];
    await write('conversation-1', begin('conversation-1'), ...recorder.records, { ...prompt('Thanks'), attachments });
    const { texts = [] } = (await read('conversation-1')) ?? {};
    assert.deepEqual(
      texts.map(({ kind, text }) => `${kind}: ${text}`),
      ['prompt: Find it', 'command: execute: npm test', 'answer: It is there.', 'prompt: Thanks'],
    );
    const entries = storedEntries(recorder.records, 'One');
    for (const { entryId, text } of texts.slice(0, 3)) {
      assert.match(JSON.stringify(entries.find(({ id }) => id === entryId)), new RegExp(text.slice(0, 5)));
    }
    const here = new TextsHere(folder);
    assert.deepEqual(ids(await here.search('secret')), []);
    assert.doesNotMatch(await stored(), /secret/);
    const [hit] = (await here.search('there')).hits;
    assert.deepEqual(hit, { conversation: 'conversation-1', entryId: texts[2]?.entryId, snippet: 'It is there.' });
  });

  it('are read as far as possible, if the log is damaged, not complete or of a newer version', async () => {
    await write(
      'damaged-1',
      begin('damaged-1'),
      prompt('before needle'),
      '{"type":"prompt","te',
      prompt('after needle'),
    );
    await write('newer-12', begin('newer-12', 99), { type: 'unheard of' }, prompt('newer needle'));
    await write('torn-1234', begin('torn-1234'), prompt('torn needle'));
    await writeFile(logOf('torn-1234'), '{"type":"promp', { flag: 'a' });
    await write('empty-123');
    const here = new TextsHere(folder);
    assert.deepEqual(ids(await here.search('needle')), ['damaged-1', 'newer-12', 'torn-1234']);
    assert.deepEqual(ids(await here.search('after needle')), ['damaged-1']);
    assert.deepEqual(here.warnings, []);
  });

  it('can be searched at once after they were written, also those that older versions write', async () => {
    const older = path.join(folder, '0'.repeat(32));
    await write('conversation-1', prompt('first'));
    await writeIn(older, 'conversation-2', prompt('second'));
    const here = new TextsHere(folder);
    assert.deepEqual(ids(await here.search('second')), ['conversation-2']);
    await write('conversation-1', prompt('first'), prompt('third'));
    const later = new TextsHere(folder);
    assert.deepEqual(ids(await later.search('third first')), ['conversation-1']);
    assert.equal((await later.search('third')).left, undefined);
  });

  it('are found while others are still being read, and it is told how far that is', async () => {
    let isHeld = true;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    class SlowLogs extends NodeFiles {
      override async whileOpen<Result>(file: string, work: (chunks: ReadChunks) => Promise<Result>): Promise<Result> {
        if (isHeld && file.includes('large')) await promise;
        return await super.whileOpen(file, work);
      }
    }
    await write('conversation-1', prompt('a needle'));
    const here = new TextsHere(folder, new SlowLogs());
    await here.update();
    await write('large-123', prompt('x'.repeat(9 * 1024 * 1024)), prompt('a needle'));
    const others = new TextsHere(folder, new SlowLogs());
    const updated = others.update();
    const found = await others.search('needle');
    assert.deepEqual(ids(found), ['conversation-1']);
    assert.deepEqual(found.left, { done: 1, total: 2 });
    isHeld = false;
    resolve(undefined);
    await updated;
    const all = await others.search('needle');
    assert.deepEqual([ids(all), all.left], [['conversation-1', 'large-123'], undefined]);
  });

  it('that cannot be read stop nothing, and are not asked for again and again', async () => {
    let failures = 0;
    class FaultyDisk extends NodeFiles {
      override async whileOpen<Result>(file: string, work: (chunks: ReadChunks) => Promise<Result>): Promise<Result> {
        if (!file.includes('faulty')) return await super.whileOpen(file, work);
        failures++;
        throw Object.assign(new Error('the network drive is gone'), { code: 'EIO' });
      }
    }
    await write('faulty-12', prompt('needle'));
    await write('conversation-1', prompt('needle'));
    const here = new TextsHere(folder, new FaultyDisk());
    for (let time = 0; time < 3; time++) {
      const found = await here.search('needle');
      assert.deepEqual(ids(found), ['conversation-1']);
      if (time > 0) assert.equal(found.left, undefined);
    }
    assert.equal(failures, 1);
    assert.match(here.warnings.join(), /network drive is gone/);
  });

  it('of a large log that is being written are read once in a while', async () => {
    let reads = 0;
    class CountingFiles extends NodeFiles {
      override async whileOpen<Result>(file: string, work: (chunks: ReadChunks) => Promise<Result>): Promise<Result> {
        reads++;
        return await super.whileOpen(file, work);
      }
    }
    await write('large-123', 'x'.repeat(32 * 1024 * 1024), prompt('needle'));
    const here = new TextsHere(folder, new CountingFiles());
    await here.update();
    const before = reads;
    await writeFile(logOf('large-123'), `${JSON.stringify(prompt('more'))}\n`, { flag: 'a' });
    await here.update();
    assert.deepEqual(await here.search('more'), { hits: [] });
    assert.equal(reads, before);
    assert.deepEqual(ids(await here.search('needle')), ['large-123']);
  });

  it('are read when another window that reads them has ended', async () => {
    await write('conversation-1', prompt('needle'));
    const index = path.join(folder, 'index', 'texts');
    await mkdir(index, { recursive: true });
    const lock = IndexLock.tryAcquire(path.join(index, 'texts.lock'));
    const here = new TextsHere(folder);
    assert.deepEqual(await here.search('needle'), { hits: [], left: { done: 0, total: 1 } });
    const updated = here.update();
    lock?.dispose();
    await updated;
    assert.match(await stored(), /needle/);
  });

  it('are forgotten when their conversation is deleted', async () => {
    await write('conversation-1', prompt('forgettable'));
    await write('conversation-2', prompt('memorable'));
    const here = new TextsHere(folder);
    assert.deepEqual(ids(await here.search('forgettable')), ['conversation-1']);
    assert.match(await stored(), /forgettable/);
    await rm(path.join(folder, 'conversation-1'), { recursive: true });
    const other = new TextsHere(folder);
    await other.update();
    assert.doesNotMatch(await stored(), /forgettable/);
    assert.deepEqual(ids(await other.search('memorable')), ['conversation-2']);
  });

  it('are forgotten also if their conversation is deleted just after the folders were looked at', async () => {
    await write('conversation-1', prompt('forgettable'));
    let lateMs = 0;
    // To look at the folders takes long.
    const clock = { ...systemClock, monotonicNow: () => systemClock.monotonicNow() + (lateMs += 20) };
    const here = new TextsHere(folder, new NodeFiles(), clock);
    await here.update();
    assert.match(await stored(), /forgettable/);
    await rm(path.join(folder, 'conversation-1'), { recursive: true });
    await here.forgetDeleted();
    assert.doesNotMatch(await stored(), /forgettable/);
  });

  it('are searched by a worker, which starts with the first search and writes nothing before', async () => {
    const program = await mkdtemp(path.join(tmpdir(), 'texts-worker-'));
    await build({
      ...conversationTextsWorkerBundle(),
      absWorkingDir: process.cwd(),
      outdir: program,
      logLevel: 'warning',
    });
    const index = path.join(folder, 'index', 'texts');
    const search = new WorkerTextSearch({
      ...{ root: folder, folder: index, files: new NodeFiles(), clock: systemClock, log: nullLogger },
      workerFile: path.join(program, 'conversation-texts-worker.js'),
    });
    try {
      await write('conversation-1', prompt('a needle'));
      await search.forgetDeleted();
      await assert.rejects(readdir(index), { code: 'ENOENT' });
      assert.deepEqual(ids(await search.search('needle')), ['conversation-1']);
      await rm(path.join(folder, 'conversation-1'), { recursive: true });
      await search.forgetDeleted();
      assert.doesNotMatch(await stored(), /needle/);
      const last = search.search('needle');
      search.dispose();
      assert.deepEqual(await last, { hits: [] });
    } finally {
      search.dispose();
      await rm(program, { recursive: true });
    }
  });
});

describe('The worker of a search', () => {
  it('keeps nothing running when it was ended while its answer was on its way', async () => {
    const place = await mkdtemp(path.join(tmpdir(), 'texts-worker-'));
    const clock = new FakeClock();
    const workerFile = path.join(place, 'worker.js');
    const answered = path.join(place, 'answered');
    const program = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', ({ id }) => {
        parentPort.postMessage({ id, found: { hits: [] } });
        require('node:fs').writeFileSync(${JSON.stringify(answered)}, '');
      });`;
    await writeFile(workerFile, program);
    const deps = { root: place, folder: place, files: new NodeFiles(), clock, log: nullLogger };
    const search = new WorkerTextSearch({ ...deps, workerFile });
    try {
      const found = search.search('needle');
      // The answer must not be received before the end.
      const lastMs = Date.now() + 60_000;
      while (!existsSync(answered) && Date.now() < lastMs);
      assert.ok(existsSync(answered));
      search.dispose();
      await found;
      await settled();
      assert.equal(clock.pending, 0);
    } finally {
      search.dispose();
      await rm(place, { recursive: true });
    }
  });
});

describe('A search of conversations', () => {
  const head = (id: string, title: string, members: Partial<ConversationHead> = {}): ConversationHead => ({
    ...{ version: 1, id, title, titledBy: 'prompt', backendId: 'one', backendTitle: 'One' },
    ...{ createdAt: 1, updatedAt: 1, state: 'idle', ...members },
  });
  const heads = [
    head('old', 'About a needle'),
    head('new', 'Another NEEDLE', { updatedAt: 2 }),
    head('text', 'Something else', { updatedAt: 3 }),
    head('deleted', 'A needle too', { deletedAt: 5 }),
  ];
  const hits = ['text', 'deleted', 'old', 'gone'].map((conversation) => ({
    conversation,
    snippet: `in ${conversation}`,
  }));

  it('finds titles before texts, but nothing that was deleted', async () => {
    let updates = 0;
    const texts = {
      update: () => {
        updates++;
        return Promise.resolve();
      },
      search: () => Promise.resolve({ hits, left: { done: 1, total: 2 } }),
    };
    const { found, left } = await searchConversations(heads, texts, 'Needle');
    assert.deepEqual(
      found.map((one) => [one.head.id, one.snippet]),
      [
        ['new', undefined],
        ['old', undefined],
        ['text', 'in text'],
      ],
    );
    assert.deepEqual([left, updates], [{ done: 1, total: 2 }, 0]);
    const all = await searchConversations(heads, texts, ' ');
    assert.deepEqual(
      all.found.map((one) => one.head.id),
      ['text', 'new', 'old'],
    );
    assert.equal(updates, 1);
    assert.deepEqual(await searchConversations(heads, texts, 'Needle', AbortSignal.abort()), { found: [] });
    assert.equal((await searchConversations(heads, undefined, 'needle')).found.length, 2);
  });
});
