import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles, type ReadChunks } from '../../../../src/base/node/filePort';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { relocateRecords } from '../../../../src/chat/common/conversations/relocateRecords';
import { storedForm } from '../../../../src/chat/common/log/storedForm';
import { storedEntries } from '../../../../src/chat/common/log/storedEntries';
import { compactLog } from '../../../../src/chat/node/log/compactLog';
import { LogReader } from '../../../../src/chat/node/log/logReader';
import { LogWriter } from '../../../../src/chat/node/log/logWriter';
import { SessionNormalizer } from '../../../../src/session/common/normalize/sessionNormalizer';
import { DeltaRedactor } from '../../../../src/session/common/redaction/deltaRedactor';
import { SecretRedactor } from '../../../../src/session/common/redaction/secretRedactor';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import type { Entry } from '../../../../src/transcript/common/entries';
import { FakeClock } from '../../../fake/fakeClock';
import { event } from '../support/transcriptRecorder';

const secret = 'sk-live-0123456789';
const files = new NodeFiles();

/** What an agent does with one of three calls, or between them. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('output' as const), call: fc.nat(2), cut: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('input' as const), call: fc.nat(2), cut: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('words' as const), call: fc.nat(2), cut: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('item' as const), call: fc.nat(2), cut: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), call: fc.nat(2), cut: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn' as const), call: fc.nat(2), cut: fc.nat(1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A long text that says the secret now and then, so that it is cut anywhere. */
const said = Array.from({ length: 400 }, (_, index) => `é ${index}: "out" ${index % 5 === 0 ? secret : 'put'}\n`).join(
  '',
);

/** The events of the steps, as an agent sends them that repeats everything with each update. */
function eventsOf(steps: readonly Step[]): SessionEvent[] {
  const raw: SessionEvent[] = [event('prompt:submit', { prompt: 'Go' })];
  const outputs = ['', '', ''];
  const inputs = ['', '', ''];
  const items: number[] = [0, 0, 0];
  const begun = new Set<number>();
  const content = (call: number) => [
    { type: 'terminal', terminal_id: `t${call}`, output: (outputs[call] ?? '').slice(-3000) },
    ...Array.from({ length: items[call] ?? 0 }, (_, index) => ({ type: 'text', text: `item ${index}` })),
  ];
  for (const { call, cut, kind } of steps) {
    const call_id = `c${call}`;
    if (kind === 'turn') {
      raw.push(event('prompt:complete', { response: '' }), event('prompt:submit', { prompt: 'More' }));
      begun.clear();
    } else if (kind === 'words') {
      raw.push(event('content_block:delta', { block_index: 0, delta: said.slice(0, cut).replace('sk-', '') }));
    } else {
      if (!begun.has(call)) {
        begun.add(call);
        outputs[call] = inputs[call] = '';
        items[call] = 0;
        raw.push(event('tool:pre', { tool_name: 'run', operation: 'run', call_id, input: {} }));
      }
      const from = outputs[call]?.length ?? 0;
      if (kind === 'output') outputs[call] = `${outputs[call] ?? ''}${said.slice(from, from + cut * 3)}`;
      if (kind === 'input') inputs[call] = `${inputs[call] ?? ''}${said.slice(0, cut).replace('sk-', '')}`;
      if (kind === 'item') items[call] = (items[call] ?? 0) + 1;
      const data = { call_id, ...(kind === 'input' ? { input: { text: inputs[call] } } : { content: content(call) }) };
      if (kind !== 'end') raw.push(event('tool:update', data));
      else raw.push(event('tool:post', { ...data, tool_name: 'run', operation: 'run', result: { success: true } }));
      if (kind === 'end') begun.delete(call);
    }
  }
  const normal: SessionEvent[] = [];
  const redactor = new SecretRedactor();
  redactor.addSecret(secret);
  const normalizer = new SessionNormalizer((one) => normal.push(storedForm(one)));
  const redacted = new DeltaRedactor(redactor, (one) => normalizer.normalize(one));
  for (const one of raw) redacted.emitRedacted(one);
  return normal;
}

const beginOf = (version: number) => ({ type: 'begin' as const, at: 1, version, id: 'conversation', backendId: 'one' });
const recordsOf = (steps: readonly Step[], version = logVersion): LogRecord[] => [
  beginOf(version),
  ...eventsOf(steps).map((one): LogRecord => ({ type: 'event', at: 1, event: one })),
];
const shownOf = (records: readonly LogRecord[]): Entry[] => storedEntries(records, 'One');

/** The steps in which a log is read for the first time: two passes, and looks at the end of what was read. */
const readSteps = ['open', 'first pass', 'open again', 'end by name', 'end', 'second pass', 'last end'] as const;
const beforeSecondPass = readSteps.indexOf('second pass');

/** Another window does something before a step of a read. */
class InterruptedFiles extends NodeFiles {
  private steps = 0;

  constructor(
    private readonly step: number,
    private readonly interrupt: () => Promise<unknown>,
  ) {
    super();
  }

  override async whileOpen<Result>(name: string, work: (readChunks: ReadChunks) => Promise<Result>): Promise<Result> {
    await this.begin();
    const begin = () => this.begin();
    return await super.whileOpen(name, (readChunks) =>
      work(async function* (...wanted) {
        await begin();
        yield* readChunks(...wanted);
      }),
    );
  }

  private async begin(): Promise<void> {
    if (this.steps++ === this.step) await this.interrupt();
  }
}

describe('a conversation on disk', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-log-'));
    file = path.join(folder, 'log.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(records: readonly LogRecord[], offset = 0, version = 0): Promise<LogWriter> {
    const ensureWritable = (): Promise<void> => Promise.resolve();
    const newBegin = () => beginOf(logVersion);
    const writer = new LogWriter(file, offset, {
      files,
      clock: new FakeClock(),
      log: nullLogger,
      ensureWritable,
      newBegin,
    });
    writer.version = version;
    for (const record of records) writer.append(record);
    await writer.flush();
    return writer;
  }

  async function read(reader = new LogReader(files, file)): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    await reader.read((some) => void records.push(...some));
    return records;
  }

  const mayReplace = (): Promise<boolean> => Promise.resolve(true);
  const runs = { numRuns: 40 };
  const steps = fc.array(step, { maxLength: 60 });

  it('is the same when it is read again, also by a reader that follows it, and after it was compacted', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(60), async (made, half) => {
        await rm(file, { force: true });
        const records = recordsOf(made);
        const live = shownOf(records);
        const follower = new LogReader(files, file);
        const first = await write(records.slice(0, half));
        const followed = half === 0 ? [] : await read(follower);
        // Another window continues without knowing what the first one has written.
        await write(records.slice(half), first.nextOffset, follower.version);
        followed.push(...(await read(follower)));
        assert.deepEqual(shownOf(followed), live);
        assert.deepEqual(shownOf(await read()), live);
        await compactLog(files, file, mayReplace);
        assert.deepEqual(shownOf(await read()), live);
        const text = await readFile(file, 'utf8');
        assert.ok(!text.includes(secret), 'the secret is on disk');
        // The end of a call can be the start of a secret. What grows is held back until it is known.
        const updates = text.split('\n').filter((line) => line.includes('"tool:update"'));
        assert.ok(!updates.join('').includes('sk-live'), 'a part of the secret is on disk');
      }),
      runs,
    );
  });

  it('shows everything up to the last complete line after a crash at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.double({ min: 0, max: 1, noNaN: true }), async (made, part) => {
        await rm(file, { force: true });
        const records = recordsOf(made);
        const writer = await write(records);
        const bytes = await readFile(file);
        const cut = Math.floor(writer.nextOffset * part);
        const reader = new LogReader(files, file);
        await truncate(file, cut);
        const kept = await read(reader);
        const lines = bytes.subarray(0, cut).toString('utf8').split('\n').length - 1;
        await writeFile(
          file,
          bytes
            .toString('utf8')
            .split('\n')
            .slice(0, lines)
            .map((line) => `${line}\n`)
            .join(''),
        );
        assert.deepEqual(kept, await read());
        // The next window continues after the last complete line.
        const next: LogRecord = { type: 'notice', at: 1, level: 'info', text: 'Next' };
        await write([next], reader.endOffset);
        assert.deepEqual(await read(), [...kept, next]);
      }),
      runs,
    );
  });

  it('opens as older versions wrote it, which repeated all output with each update', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (made) => {
        const records = recordsOf(made, 2);
        await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
        assert.deepEqual(shownOf(await read()), shownOf(records));
        await compactLog(files, file, mayReplace);
        assert.deepEqual(shownOf(await read()), shownOf(records));
      }),
      runs,
    );
  });

  const update = (output: string): LogRecord => ({
    type: 'event',
    at: 1,
    event: event('tool:update', { call_id: 'c', content: [{ type: 'terminal', terminal_id: 't', output }] }),
  });
  const begin: LogRecord[] = [
    beginOf(logVersion),
    { type: 'event', at: 1, event: event('tool:pre', { tool_name: 'run', operation: 'run', call_id: 'c', input: {} }) },
  ];

  it('is at most about twice as large as the output, whether it comes whole or in pieces', async () => {
    const text = said.repeat(20);
    const count = 300;
    const updates = Array.from({ length: count }, (_, index) =>
      text.slice(0, Math.ceil((text.length * (index + 1)) / count)),
    );
    const content = [{ type: 'terminal', terminal_id: 't', output: text }];
    const post = { tool_name: 'run', operation: 'run', call_id: 'c', content, result: { success: true, output: text } };
    const end: LogRecord = { type: 'event', at: 1, event: storedForm(event('tool:post', post)) };
    await write([...begin, ...updates.map(update), end]);
    const { size } = await stat(file);
    assert.ok(size < 2.5 * Buffer.byteLength(JSON.stringify(text)), `${size} bytes for ${text.length}`);
  });

  it('contains an answer once', async () => {
    const normal: SessionEvent[] = [];
    const normalizer = new SessionNormalizer((one) => normal.push(storedForm(one)));
    normalizer.normalize(event('prompt:submit', { prompt: 'Go' }));
    for (const delta of ['It says: ', said, 'the end.'])
      normalizer.normalize(event('content_block:delta', { block_index: 0, delta }));
    normalizer.normalize(event('prompt:complete', { response: '' }));
    const records = [beginOf(logVersion), ...normal.map((one): LogRecord => ({ type: 'event', at: 1, event: one }))];
    await write(records);
    assert.equal((await readFile(file, 'utf8')).split('the end.').length, 2);
    assert.deepEqual(shownOf(await read()), shownOf(records));
    assert.ok(shownOf(records).some((entry) => entry.kind === 'answer' && entry.text === `It says: ${said}the end.`));
  });

  it('does not read updates that later ones replace, and writes them no more when it is compacted', async () => {
    const updates = Array.from({ length: 100 }, (_, index) => update(said.slice(0, 100 * (index + 1))));
    await writeFile(file, [...begin, ...updates].map((record) => `${JSON.stringify(record)}\n`).join(''));
    const before = (await stat(file)).size;
    const reader = new LogReader(files, file);
    assert.deepEqual(await read(reader), [...begin, updates.at(-1)]);
    assert.ok(reader.supersededBytes > before * 0.9);
    const size = await compactLog(files, file, mayReplace);
    assert.ok(size !== undefined && size < before / 20);
    assert.deepEqual(await read(), [...begin, updates.at(-1)]);
  });

  it('is left as it is if it contains something unreadable, or if another window has it now', async () => {
    await writeFile(file, [...begin, update('a')].map((record) => `${JSON.stringify(record)}\n`).join(''));
    assert.equal(await compactLog(files, file, () => Promise.resolve(false)), undefined);
    await appendFile(file, 'garbage\n');
    const before = await readFile(file, 'utf8');
    assert.equal(await compactLog(files, file, mayReplace), undefined);
    assert.equal(await readFile(file, 'utf8'), before);
    assert.deepEqual(await files.listNames(folder), ['log.jsonl']);
  });

  const diff = (folderName: string, text: string): LogRecord => ({
    type: 'event',
    at: 1,
    event: event('tool:update', {
      call_id: 'c',
      content: [{ type: 'diff', path: `${folderName}/a.ts`, old_text: '', new_text: text }],
      locations: [{ path: `${folderName}/a.ts` }],
    }),
  });
  /** Updates of a call in a folder, and moves of it. */
  const moving = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.nat(9).map((size) => (here: string) => diff(here, 'x'.repeat(size * 700))) },
      { weight: 2, arbitrary: fc.nat(9).map((size) => () => update(said.slice(0, size * 90))) },
      {
        weight: 1,
        arbitrary: fc.constant((here: string): LogRecord => ({ type: 'snapshot', at: 1, path: `${here}/b` })),
      },
      { weight: 2, arbitrary: fc.nat(3).map((to) => `/${'abcd'[to] ?? ''}/x`) },
    ),
    { maxLength: 40 },
  );

  it('has the paths that its files have now, however often the folder was moved, also after it was compacted', async () => {
    await fc.assert(
      fc.asyncProperty(moving, fc.boolean(), fc.boolean(), async (made, isOld, isMovedNow) => {
        await rm(file, { force: true });
        let here = '/a/x';
        const all: LogRecord[] = [...begin];
        const parts: LogRecord[][] = [all.slice()];
        for (const make of made) {
          const record: LogRecord =
            typeof make === 'string' ? { type: 'relocated', at: 1, moves: [{ from: here, to: make }] } : make(here);
          all.push(record);
          // Each window begins with the place in which it continues.
          if (typeof make === 'string') parts.push([record]);
          else parts.at(-1)?.push(record);
          if (typeof make === 'string') here = make;
        }
        const moves = isMovedNow ? [{ from: here, to: '/now' }] : [];
        if (isOld) await writeFile(file, all.map((record) => `${JSON.stringify(record)}\n`).join(''));
        else {
          let offset = 0;
          for (const part of parts) offset = (await write(part, offset, logVersion)).nextOffset;
        }
        const readNow = async (): Promise<string> => {
          const records: LogRecord[] = [];
          await new LogReader(files, file).readRelocated((some) => void records.push(...some), moves);
          return JSON.stringify(shownOf(records));
        };
        const expected = JSON.stringify(shownOf(relocateRecords(all, moves)));
        assert.equal(await readNow(), expected);
        assert.notEqual(await compactLog(files, file, mayReplace), undefined);
        assert.equal(await readNow(), expected);
      }),
      runs,
    );
  });

  it('has the right paths if another window moves it on between the two passes over its log', async () => {
    const at = (name: string): LogRecord => ({ type: 'snapshot', at: 1, path: name });
    const lineOf = (record: LogRecord): string => `${JSON.stringify(record)}\n`;
    const moved: LogRecord = { type: 'relocated', at: 1, moves: [{ from: '/a', to: '/b' }] };
    await writeFile(file, [begin[0], at('/a/x')].map((record) => record && lineOf(record)).join(''));
    const interrupted = new InterruptedFiles(beforeSecondPass, () =>
      appendFile(file, lineOf(moved) + lineOf(at('/b/y'))),
    );
    const reader = new LogReader(interrupted, file);
    const records: LogRecord[] = [];
    // This window has the folder at the new place, too.
    await reader.readRelocated((some) => void records.push(...some), [{ from: '/a', to: '/b' }], true);
    assert.deepEqual(records.slice(1), [at('/b/x')]);
    assert.deepEqual(await read(reader), [moved, at('/b/y')]);
  });

  it('says in the log that older versions cannot read it, before the first update that they would not understand', async () => {
    const older: LogRecord[] = [beginOf(2), ...begin.slice(1), update('one')];
    await writeFile(file, older.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const reader = new LogReader(files, file);
    await read(reader);
    assert.equal(reader.version, 2);
    const second = await write([update('one and'), update('one and two')], reader.endOffset, reader.version);
    const typesOf = async (): Promise<string[]> =>
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => (line.includes('"grown"') ? 'grown' : (/"version":\d/.exec(line)?.[0] ?? 'as before')));
    assert.deepEqual(await typesOf(), [
      '"version":2',
      'as before',
      'as before',
      'as before',
      `"version":${logVersion}`,
      'grown',
    ]);
    await write([update('x'), update('xy'), update('xyz')], second.nextOffset, logVersion);
    assert.deepEqual((await typesOf()).slice(6), ['as before', 'grown', 'grown']);
    assert.deepEqual(shownOf(await read()), shownOf([...older, update('xyz')]));
  });

  it('shows what an agent sends as it sends it, also if it looks like a shortened update', async () => {
    const grown = [{ at: ['content', 0, 'output'], text: ' and a lie' }];
    const data = { call_id: 'c', title: 'Build', grown };
    const records: LogRecord[] = [...begin, update('one'), { type: 'event', at: 1, event: event('tool:update', data) }];
    await write(records);
    assert.deepEqual(shownOf(await read()), shownOf(records));
    assert.ok(!(await readFile(file, 'utf8')).includes('lie'));
  });

  it('tells a follower that it was replaced', async () => {
    const updates = Array.from({ length: 5 }, (_, index) => update(said.slice(0, 100 * (index + 1))));
    await writeFile(file, [...begin, ...updates].map((record) => `${JSON.stringify(record)}\n`).join(''));
    const follower = new LogReader(files, file);
    await read(follower);
    await compactLog(files, file, mayReplace);
    const { isReplaced } = await follower.read(() => assert.fail('something was read'));
    assert.equal(isReplaced, true);
  });

  describe('that another window changes while it is read', () => {
    const last: LogRecord = { type: 'notice', at: 1, level: 'info', text: 'Last' };
    const later: LogRecord = { type: 'notice', at: 2, level: 'info', text: 'Later' };
    const updates = Array.from({ length: 100 }, (_, index) => update(said.slice(0, 100 * (index + 1))));
    const all = [...begin, ...updates, last];
    const kept = [...begin, updates.at(-1), last];
    const linesOf = (records: readonly LogRecord[]): string =>
      records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const sizeNow = async (): Promise<number> => (await stat(file)).size;

    async function readInterrupted(step: number, interrupt: () => Promise<unknown>) {
      await writeFile(file, linesOf(all));
      const reader = new LogReader(new InterruptedFiles(step, interrupt), file);
      const records: LogRecord[] = [];
      const first = await reader.read((some) => void records.push(...some));
      const count = records.length;
      const next = await reader.read((some) => void records.push(...some));
      return { reader, records, first, next, added: records.slice(count) };
    }

    for (const [step, name] of readSteps.entries()) {
      it(`is whole if it is compacted before this step: ${name}`, async () => {
        const read = await readInterrupted(step, () => compactLog(files, file, mayReplace));
        assert.deepEqual(read.records, kept);
        assert.equal(read.first.damage, undefined);
        // What is noticed before something was applied costs nothing. What comes later is as if it came after the read.
        assert.equal(read.next.isReplaced, step > readSteps.indexOf('open again'));
        if (!read.next.isReplaced) assert.equal(read.reader.endOffset, await sizeNow());
      });

      it(`is known to have a damage if it is cut before this step: ${name}`, async () => {
        const read = await readInterrupted(step, () => truncate(file, linesOf(all.slice(0, 50)).length + 30));
        assert.notEqual(read.first.damage, undefined);
        assert.equal(read.next.isReplaced, step >= beforeSecondPass);
        if (!read.next.isReplaced) assert.ok(read.reader.endOffset <= (await sizeNow()));
        assert.deepEqual(read.records.slice(0, begin.length), begin);
      });

      it(`is whole if it is continued before this step: ${name}`, async () => {
        const read = await readInterrupted(step, () => appendFile(file, linesOf([later])));
        assert.deepEqual(read.records, [...kept, later]);
        assert.deepEqual(read.added, step > readSteps.indexOf('first pass') ? [later] : []);
        assert.equal(read.reader.endOffset, await sizeNow());
      });
    }

    it('is read in the end, whole, if it is replaced again and again', async () => {
      let count = 0;
      const replaced = new (class extends NodeFiles {
        override async whileOpen<Result>(name: string, work: (readChunks: ReadChunks) => Promise<Result>) {
          return await super.whileOpen(name, async (readChunks) => {
            const texts = [0, 1].map((index) => linesOf([{ ...last, text: `${++count + index}`.padEnd(count * 9) }]));
            await this.replace(file, texts.join(''));
            return await work(readChunks);
          });
        }
      })();
      await writeFile(file, linesOf([last, last]));
      const records = await read(new LogReader(replaced, file));
      assert.equal(records.length, 2);
      assert.ok(count < 20);
    });
  });

  it('shows what follows zeros, which an older version can leave after a log was compacted beside it', async () => {
    await write(begin);
    await appendFile(file, Buffer.concat([Buffer.alloc(5000), Buffer.from(`${JSON.stringify(update('a'))}\n`)]));
    assert.deepEqual(await read(), [...begin, update('a')]);
  });
});
