import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '../../../../../src/base/common/isRecord';
import { ThreadFileCache } from '../../../../../src/threads/node/files/threadFileCache';
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
  function warmCache(value: Thread): ThreadFileCache {
    const files = new ThreadFileCache();
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
    const files = new ThreadFileCache();
    files.keep(path);
    for (let round = 0; round < 120; round++) {
      const value = changes[upTo(changes.length)]?.(thread()) ?? {};
      write(value, [undefined, 2][upTo(2)]);
      assert.deepEqual(files.read(path).json, value, `round ${round}`);
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
    const messageNow = (files: ThreadFileCache): unknown => messagesOf(files.read(path).json)[0];
    write(value);
    const files = new ThreadFileCache();
    const kept = files.keep(path);
    assert.notEqual(messageNow(files), messageNow(files));
    assert.equal(messageNow(files), messageNow(files));
    kept.dispose();
    assert.notEqual(messageNow(files), messageNow(files));
  });
});
