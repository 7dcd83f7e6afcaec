import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '../../../../../src/base/common/isRecord';
import { IncrementalThreadFileReader } from '../../../../../src/threads/node/files/incrementalThreadFileReader';
import { seededRandom } from '../../../../../bench/support/random';

/** 400 KB, with what makes JSON hard to cut. */
const thread = () => ({
  id: 'T-a',
  title: 'A "title", [with] {all} \\ of it',
  messages: Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [
      { type: 'text', text: `${at}: ],[ "é" \\" 𝒳 {\n`.repeat(400) },
      { type: 'tool', input: [[at], {}] },
    ],
  })),
  meta: { traces: [{ id: 1 }, { id: 2 }] },
});
type Thread = ReturnType<typeof thread>;

function messagesOf(json: unknown): readonly unknown[] {
  const messages = isRecord(json) ? json['messages'] : undefined;
  assert.ok(Array.isArray(messages));
  return messages;
}

describe('the cache of thread files', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'backline-cache-'));
    path = join(folder, 'T-a.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (value: object, indent?: number): void => writeFileSync(path, JSON.stringify(value, undefined, indent));

  /** A cache that has read a changed file once. */
  function warmCache(value: Thread): IncrementalThreadFileReader {
    const files = new IncrementalThreadFileReader();
    files.keep(path);
    write({ ...value, title: 'Before' });
    files.read(path);
    write(value);
    files.read(path);
    return files;
  }

  it('keeps the messages before the first changed one', () => {
    const before = thread();
    const files = warmCache(before);
    const known = messagesOf(files.read(path).json);
    const last = { role: 'assistant', content: [] };
    write({ ...before, messages: [...before.messages.slice(0, 39), last, last] });
    const now = messagesOf(files.read(path).json);
    assert.deepEqual(now.slice(39), [last, last]);
    assert.ok(now.slice(0, 39).every((message, index) => message === known[index]));
  });

  it('reads the same as a parser does after any change', () => {
    const random = seededRandom(7);
    const upTo = (count: number): number => Math.floor(random() * count);
    const changes: readonly ((value: Thread) => object)[] = [
      (value) => ({ ...value, title: 'x'.repeat(upTo(20)) }),
      (value) => ({ ...value, messages: value.messages.slice(0, upTo(41)) }),
      (value) => ({ ...value, messages: [...value.messages, 'text', null, [1, 2], { role: 'user', content: [] }] }),
      (value) => ({ ...value, messages: value.messages.toSpliced(upTo(40), 1) }),
      (value) => ({ ...value, messages: value.messages.with(upTo(40), { role: 'user', content: [] }) }),
      (value) => ({ ...value, meta: { traces: Array.from({ length: upTo(5) }, (_, id) => ({ id })) } }),
      (value) => ({ messages: value.messages, other: { messages: [1] } }),
      ({ meta, ...value }) => ({ meta, ...value }),
      () => ({ messages: 'none', filler: 'x'.repeat(500_000) }),
      () => ({ id: 'small', messages: [] }),
    ];
    const files = new IncrementalThreadFileReader();
    files.keep(path);
    for (let round = 0; round < 120; round++) {
      const value = changes[upTo(changes.length)]?.(thread()) ?? {};
      write(value, [undefined, 2][upTo(2)]);
      assert.deepEqual(files.read(path).json, value, `round ${round}`);
    }
  });

  it('returns the same object again for the same bytes', () => {
    const files = warmCache(thread());
    assert.equal(files.read(path).json, files.read(path).json);
  });

  it('parses from the first changed message on, and keeps those before it', () => {
    const before = thread();
    for (const changed of [1, 20, 39]) {
      const files = warmCache(before);
      const known = messagesOf(files.read(path).json);
      write({ ...before, messages: before.messages.with(changed, { role: 'user', content: [] }) });
      const now = messagesOf(files.read(path).json);
      assert.equal(
        now.findIndex((message, index) => message !== known[index]),
        changed,
      );
    }
  });

  it('keeps the message before one whose first byte has changed', () => {
    const before = thread();
    const files = warmCache(before);
    const known = messagesOf(files.read(path).json);
    write({ ...before, messages: [...before.messages.slice(0, 39), 'text'] });
    const now = messagesOf(files.read(path).json);
    assert.deepEqual([now[38] === known[38], now[39]], [true, 'text']);
  });

  it('notices a change that leaves the length of the file as it was', () => {
    const files = warmCache(thread());
    files.read(path);
    const changed = JSON.stringify(thread()).replace('"3: ],[', '"9: ],[');
    writeFileSync(path, changed);
    assert.deepEqual(files.read(path).json, JSON.parse(changed));
    assert.notDeepEqual(JSON.parse(changed), thread());
  });

  it('reads the same as a parser does where it is not obvious which messages count', () => {
    const text = JSON.stringify(thread());
    const open = text.slice(0, -1);
    const texts = [
      `${open},"messages":[1]}`,
      `${open},"messages":[1,2]}`,
      `${open},"m\\u0065ssages":[3]}`,
      text,
      `${open},"messages":{"0":4}}`,
      JSON.stringify({ messages: {}, filler: 'x'.repeat(500_000) }),
      JSON.stringify({ messages: {}, filler: 'y'.repeat(500_000) }),
      JSON.stringify({ messages: [], filler: 'y'.repeat(500_000) }),
      JSON.stringify({ messages: [], filler: 'z'.repeat(500_000) }),
      `null${' '.repeat(500_000)}`,
      `[${text}]`,
    ];
    const files = warmCache(thread());
    for (const [index, changed] of texts.entries()) {
      writeFileSync(path, changed);
      assert.deepEqual(files.read(path).json, JSON.parse(changed), `text ${index}`);
    }
  });

  it('reports what is wrong with a changed file, and reads the next one', () => {
    const value = thread();
    const files = warmCache(value);
    const text = JSON.stringify(value);
    const end = text.lastIndexOf('{"role"');
    for (const broken of [text.slice(0, -20), `${text.slice(0, end)}],"meta":{}}`, `${text}}`]) {
      writeFileSync(path, broken);
      assert.throws(() => files.read(path), { code: 'unreadable' });
    }
    write(value, 2);
    assert.deepEqual(files.read(path).json, value);
  });

  it('keeps nothing of a file that is read once, or is not open any more', () => {
    const value = thread();
    const messageNow = (files: IncrementalThreadFileReader): unknown => messagesOf(files.read(path).json)[0];
    write(value);
    const files = new IncrementalThreadFileReader();
    const kept = files.keep(path);
    assert.notEqual(messageNow(files), messageNow(files));
    assert.equal(messageNow(files), messageNow(files));
    kept.dispose();
    assert.notEqual(messageNow(files), messageNow(files));
  });

  it('keeps files from 256 KiB on, as smaller ones are parsed quickly', () => {
    for (const [sizeBytes, isKept] of [
      [256 * 1024 - 1, false],
      [256 * 1024, true],
    ] as const) {
      writeFileSync(path, fileOf(sizeBytes));
      const files = new IncrementalThreadFileReader();
      files.keep(path);
      files.read(path);
      assert.equal(files.read(path).json === files.read(path).json, isKept, `${sizeBytes} bytes`);
    }
  });

  it('keeps files of 64 MiB in all, and forgets those that were not changed for the longest time', () => {
    const files = new IncrementalThreadFileReader();
    const [first, second, third] = ['first', 'second', 'third'].map((name) => join(folder, name));
    const sizes = new Map([
      [first, 32 * 1024 * 1024],
      [second, 32 * 1024 * 1024],
      [third, 256 * 1024],
    ]);
    const known = new Map<string, unknown>();
    for (const [file = '', sizeBytes] of sizes) {
      writeFileSync(file, fileOf(sizeBytes));
      files.keep(file);
      files.read(file);
      known.set(file, files.read(file).json);
      if (file === second) assert.equal(files.read(first ?? '').json, known.get(first ?? ''), 'both have room');
    }
    const isKept = (file = ''): boolean => files.read(file).json === known.get(file);
    assert.deepEqual([isKept(third), isKept(second), isKept(first)], [true, true, false]);
  });
});

/** A thread with one message, whose file has this size. */
function fileOf(sizeBytes: number): string {
  const emptyBytes = JSON.stringify({ messages: [''] }).length;
  return JSON.stringify({ messages: ['x'.repeat(sizeBytes - emptyBytes)] });
}
