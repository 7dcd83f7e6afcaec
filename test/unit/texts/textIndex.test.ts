import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileVersionKey } from '../../../src/texts/node/files/fileKey';
import { TextIndex, type TextIndexDeps } from '../../../src/texts/node/textIndex';

const store = join(tmpdir(), 'store');

describe('the text of threads', () => {
  let folder: string;
  let texts: Map<string, string>;
  let outputs: Map<string, string>;
  let warnings: string[];
  let reads: string[];
  let version: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'backline texts '));
    texts = new Map();
    outputs = new Map();
    warnings = [];
    reads = [];
    version = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const keys = new Map<string, FileVersionKey>();
  const put = (id: string, text: string, output = ''): void => {
    texts.set(id, text);
    outputs.set(id, output);
    keys.set(id, { path: join(store, `${id}.json`), sizeBytes: text.length, mtimeMs: ++version });
  };
  const ports = (): TextIndexDeps => ({
    folder,
    read: (file) => {
      const id = file.path.slice(store.length + 1, -'.json'.length);
      const text = texts.get(id);
      reads.push(id);
      if (text === undefined) return undefined;
      const said = { entryId: 'm0', kind: 'prompt', text } as const;
      const work = { entryId: 'm1', kind: 'output', text: outputs.get(id) ?? '' } as const;
      return { file, documentId: id, title: '', lastPromptAt: 0, texts: [said, work] };
    },
    warn: (message) => warnings.push(message),
    pause: () => Promise.resolve(),
  });
  const open = (): TextIndex => {
    const index = new TextIndex(ports());
    know(index);
    return index;
  };
  const know = (index: TextIndex): void =>
    index.setFiles(
      [...texts.keys()].flatMap((id) => keys.get(id) ?? []),
      (file) => dirname(file) === store,
    );
  /** Whether it is on disk. */
  const build = async (index: TextIndex): Promise<boolean> => {
    know(index);
    const { isDone, isOnDisk } = await index.build(() => undefined);
    assert.equal(isDone, true);
    return isOnDisk;
  };
  const found = (index: TextIndex, query: string): readonly string[] =>
    index
      .search({ query: query, limit: 50, nowMs: 0 })
      .map(({ documentId }) => documentId)
      .sort();
  const segments = (): readonly string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.seg'))
      .map((name) => join(folder, name));

  it('makes one of many small segments, with all that lives and nothing else', async () => {
    const index = open();
    for (let count = 0; count < 8; count++) {
      put(`T-${count}`, `common word${count}`);
      await build(index);
    }
    assert.equal(segments().length, 8);
    put('T-0', 'common again');
    texts.delete('T-1');
    await build(index);
    assert.equal(segments().length, 1);
    const all = ['T-0', 'T-2', 'T-3', 'T-4', 'T-5', 'T-6', 'T-7'];
    for (const one of [index, open()]) {
      await build(one);
      assert.deepEqual(found(one, 'common '), all);
      assert.deepEqual(found(one, 'word3'), ['T-3']);
      assert.deepEqual(found(one, '"common word7"'), ['T-7']);
      assert.deepEqual(found(one, 'word0'), []);
      assert.deepEqual(found(one, 'word1'), []);
    }
    assert.equal(reads.filter((id) => id === 'T-3').length, 1);
    assert.doesNotMatch(readFileSync(segments()[0] ?? '', 'latin1'), /word1/);
  });

  it('writes segments with deleted documents anew one by one, and renews its lock meanwhile', async () => {
    for (const pair of ['a', 'b', 'c']) {
      put(`T-${pair}1`, `common ${pair}secret`);
      put(`T-${pair}2`, `common ${pair}`);
      await build(open());
    }
    for (const pair of ['a', 'b', 'c']) texts.delete(`T-${pair}1`);
    const lock = join(folder, 'texts.lock');
    const lockedAtMs: number[] = [];
    const pause = (): Promise<void> => {
      lockedAtMs.push(statSync(lock).mtimeMs);
      utimesSync(lock, 1, 1);
      return Promise.resolve();
    };
    const index = new TextIndex({ ...ports(), segmentBytes: 1, pause });
    await build(index);
    assert.equal(segments().length, 3);
    assert.equal(lockedAtMs.length, 3);
    assert.ok(lockedAtMs.every((atMs) => atMs > 1000));
    for (const one of [index, open()]) {
      await build(one);
      assert.deepEqual(found(one, 'common'), ['T-a2', 'T-b2', 'T-c2']);
    }
    for (const file of segments()) assert.doesNotMatch(readFileSync(file, 'latin1'), /secret/);
  });

  it('keeps nothing of what was deleted, also if most of its segment lives', async () => {
    const index = open();
    for (const id of ['T-a', 'T-b', 'T-c', 'T-d']) put(id, `word ${id}secret`);
    await build(index);
    put('T-a', 'newer words');
    await build(index);
    texts.delete('T-a');
    // Nothing else is to do.
    await build(index);
    for (const file of segments()) assert.doesNotMatch(readFileSync(file, 'latin1'), /asecret|newer/i);
    assert.deepEqual(found(index, 'word '), ['T-b', 'T-c', 'T-d']);
    assert.deepEqual(reads, ['T-a', 'T-b', 'T-c', 'T-d', 'T-a']);
  });

  it('finds phrases in what was said and in what tools gave back, also when segments are put together', async () => {
    const index = open();
    const threads = (query: string): readonly string[] => [...new Set(found(index, query))];
    const check = (): void => {
      assert.deepEqual(threads('"quick brown fox"'), ['both', 'said', 'work']);
      assert.deepEqual(threads('"quick brown" "lazy dog"'), ['both', 'work']);
      assert.deepEqual(threads('"brown fox" cat'), ['said']);
    };
    put('said', 'the quick brown fox', 'and a cat');
    put('work', 'the lazy dog', 'a quick brown fox');
    put('both', 'a quick brown fox', 'the quick brown fox and the lazy dog');
    put('neither', 'brown fox, lazy', 'dog, quick brown');
    await build(index);
    check();
    for (let other = 0; other < 8; other++) {
      put(`other ${other}`, 'other');
      await build(index);
    }
    assert.equal(segments().length, 1);
    check();
  });

  it('makes a segment anew of which most is dead', async () => {
    const index = open();
    for (const id of ['T-a', 'T-b', 'T-c']) put(id, `first ${id}`);
    await build(index);
    const [before] = segments();
    for (const id of ['T-a', 'T-b']) put(id, `second ${id}`);
    await build(index);
    assert.ok(before !== undefined && !segments().includes(before));
    assert.deepEqual(found(index, 'first '), ['T-c']);
    assert.deepEqual(found(index, 'second '), ['T-a', 'T-b']);
  });

  const damages: Readonly<Record<string, (file: string) => void>> = {
    'cut off': (file) => truncateSync(file, statSync(file).size - 1),
    'changed in its table': (file) => change(file, 'T-a', 'T-x'),
    'changed in its words': (file) => change(file, '\nalpha', '\nalphx'),
    empty: (file) => writeFileSync(file, ''),
    'of another kind': (file) => writeFileSync(file, 'x'.repeat(200)),
    gone: (file) => rmSync(file),
  };
  for (const [damage, spoil] of Object.entries(damages)) {
    it(`is made anew when a segment is ${damage}, and says so once`, async () => {
      put('T-a', 'alpha beta');
      await build(open());
      const [file] = segments();
      assert.ok(file !== undefined);
      spoil(file);
      const index = open();
      await build(index);
      assert.deepEqual(found(index, 'alpha'), ['T-a']);
      assert.equal(reads.length, 2);
      assert.match(warnings[0] ?? '', /^Rebuilding/);
      const other = open();
      other.load();
      assert.deepEqual(found(other, 'beta'), ['T-a']);
      assert.equal(segments().length, 1);
    });
  }

  it('finds what another window has put together meanwhile', async () => {
    put('T-a', 'alpha');
    const index = open();
    await build(index);
    const other = open();
    for (const id of ['T-b', 'T-c', 'T-d', 'T-e', 'T-f', 'T-g', 'T-h', 'T-i', 'T-j']) {
      put(id, `alpha ${id}`);
      await build(other);
    }
    know(index);
    assert.ok(found(index, 'alpha').includes('T-a'));
  });

  it('is built, put together and searched in memory where the folder cannot be made', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    folder = join(file, 'index');
    try {
      const index = open();
      for (let count = 0; count < 10; count++) {
        put(`T-${count}`, `common word${count}`);
        assert.equal(await build(index), false);
      }
      assert.equal(found(index, 'common ').length, 10);
      assert.deepEqual(found(index, '"common word3"'), ['T-3']);
      put('T-3', 'another one');
      texts.delete('T-4');
      await build(index);
      assert.equal(found(index, 'common ').length, 8);
      assert.equal(reads.length, 11, 'nothing is read again that has not changed');
      assert.equal(warnings.filter((text) => text.includes('using memory instead')).length, 1);
    } finally {
      folder = join(file, '..');
    }
  });

  it('continues in memory when the disk takes no more, with what is on disk', async () => {
    put('T-a', 'common a');
    const index = open();
    assert.equal(await build(index), true);
    // Nothing can be put in its place.
    rmSync(join(folder, 'texts.json'));
    mkdirSync(join(folder, 'texts.json'));
    put('T-b', 'common b');
    assert.equal(await build(index), false);
    assert.deepEqual(found(index, 'common '), ['T-a', 'T-b']);
  });

  it('reads nothing again that has not changed', async () => {
    put('T-a', 'alpha');
    await build(open());
    await build(open());
    assert.deepEqual(reads, ['T-a']);
  });
});

/** To text of the same length. */
function change(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'latin1').replace(from, to), 'latin1');
}
