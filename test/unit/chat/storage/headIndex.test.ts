import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import * as z from 'zod';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles, type FilePort, type FileVersion } from '../../../../src/base/node/filePort';
import { ConversationHead } from '../../../../src/chat/common/chatStore';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { OlderWorkspaces } from '../../../../src/chat/node/olderWorkspaces';
import { FakeClock } from '../../../fake/fakeClock';

const headOf = (id: string, members: Partial<ConversationHead> = {}): ConversationHead => ({
  version: 1,
  id,
  title: 'a',
  titledBy: 'prompt',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 2,
  state: 'idle',
  ...members,
});

/** Files in memory, on a disk whose clock has large steps and goes wrong by hours. */
class MemoryDisk implements FilePort {
  private readonly files = new Map<string, { readonly text: string; readonly mtimeMs: number }>();
  private readonly changedAt = new Map<string, number>();
  nowMs = 1_000_000;
  /** The files that were read. */
  readonly reads: string[] = [];

  /** Without folder times, a folder keeps the time at which it was made. */
  constructor(
    private readonly stepMs: number,
    private readonly hasFolderTimes = true,
  ) {}

  textOf = (file: string): string | undefined => this.files.get(file)?.text;
  put(file: string, text: string): void {
    this.files.set(file, { text, mtimeMs: this.tick });
    this.noteChange(file);
  }
  delete(file: string): void {
    for (const name of this.files.keys()) {
      if (name !== file && !name.startsWith(`${file}/`)) continue;
      this.files.delete(name);
      this.noteChange(name);
    }
  }
  listNames = (folder: string): Promise<readonly string[]> => {
    const inside = [...this.files.keys()].filter((file) => file.startsWith(`${folder}/`));
    return Promise.resolve([...new Set(inside.map((file) => file.slice(folder.length + 1).split('/')[0] ?? ''))]);
  };
  read = (file: string): Promise<string | undefined> => {
    this.reads.push(file);
    return Promise.resolve(this.files.get(file)?.text);
  };
  modifiedAt = (file: string): Promise<number | undefined> =>
    Promise.resolve(this.files.get(file)?.mtimeMs ?? this.changedAt.get(file));
  versionOf = (file: string): Promise<FileVersion | undefined> => {
    const found = this.files.get(file);
    return Promise.resolve(found && { mtimeMs: found.mtimeMs, sizeBytes: found.text.length });
  };
  replace = (file: string, text: string): Promise<void> => {
    this.put(file, text);
    return Promise.resolve();
  };
  createNew = (file: string, text: string): Promise<boolean> => {
    if (this.files.has(file)) return Promise.resolve(false);
    this.put(file, text);
    return Promise.resolve(true);
  };
  remove = (file: string): Promise<void> => {
    this.delete(file);
    return Promise.resolve();
  };
  makeFolder = (): Promise<void> => Promise.resolve();
  watch = () => ({ dispose: () => undefined });
  moveIfExists = (): Promise<boolean> => Promise.resolve(false);
  touch = (): Promise<void> => Promise.resolve();
  whileOpen = (): Promise<never> => Promise.reject(new Error('no log is read'));
  writeAtAndTruncate = (): Promise<void> => Promise.reject(new Error('no log is written'));
  replaceWith = (): Promise<void> => Promise.reject(new Error('nothing is replaced'));
  readChunks(): AsyncIterable<Uint8Array> {
    throw new Error('no log is read');
  }

  private get tick(): number {
    return Math.floor(this.nowMs / this.stepMs) * this.stepMs;
  }
  private noteChange(file: string): void {
    const folder = path.posix.dirname(file);
    if (this.hasFolderTimes || !this.changedAt.has(folder)) this.changedAt.set(folder, this.tick);
  }
}

const root = '/store';
const older = `${root}/${'0'.repeat(32)}`;
const indexFile = `${root}/index/heads.json`;
const ids = ['session-1', 'session-2', 'session-3'];

type Step =
  | { readonly type: 'write'; readonly isOlder: boolean; readonly id: string; readonly title: string }
  | { readonly type: 'remove'; readonly isOlder: boolean; readonly id: string }
  | { readonly type: 'rename'; readonly window: number; readonly id: string; readonly title: string }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'start' }
  | { readonly type: 'stop'; readonly window: number }
  | { readonly type: 'save'; readonly ms: number }
  | { readonly type: 'damage'; readonly at: number; readonly text: string }
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'lie'; readonly title: string }
  | { readonly type: 'bringBack' }
  | { readonly type: 'lose' };

const id = fc.constantFrom(...ids);
const title = fc.constantFrom('a', 'b', 'c');
const isOlder = fc.boolean();
const window = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('write' as const), isOlder, id, title }) },
  fc.record({ type: fc.constant('remove' as const), isOlder, id }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rename' as const), window, id, title }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.constantFrom(1, 900, 2500) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('start' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stop' as const), window }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('save' as const), ms: fc.constantFrom(0, 5000) }) },
  fc.record({
    type: fc.constant('damage' as const),
    at: fc.nat(2000),
    text: fc.string({ minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('cut' as const), at: fc.nat(2000) }),
  fc.record({ type: fc.constant('lie' as const), title }),
  fc.record({ type: fc.constant('bringBack' as const) }),
  fc.record({ type: fc.constant('lose' as const) }),
);

/** What reading all heads says. */
function allHeads(disk: MemoryDisk): unknown {
  const found = new Map<string, unknown>();
  for (const folder of [root, older]) {
    for (const one of ids) {
      const text = disk.textOf(`${folder}/heads/${one}.json`);
      if (text !== undefined && !found.has(one)) found.set(one, JSON.parse(text));
    }
  }
  return [...found.entries()].sort();
}

describe('The index of heads', () => {
  const runs = Number(process.env['BACKLINE_PROPERTY_RUNS'] ?? 1500);

  it('gives what reading all heads gives, whatever happens to it and to the heads', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(1, 2000),
      fc.boolean(),
      fc.array(step, { maxLength: 30 }),
      async (stepMs, hasFolderTimes, steps) => {
        const disk = new MemoryDisk(stepMs, hasFolderTimes);
        const clock = new FakeClock();
        const deps = { files: disk, clock, log: nullLogger };
        disk.put(`${older}/place.json`, '');
        const open = (): ConversationStore =>
          new ConversationStore({
            ...deps,
            folder: root,
            older: new OlderWorkspaces({ ...deps, root, workspaceStorage: '/none' }),
          });
        const windows: ConversationStore[] = [];
        const indexes: string[] = [];
        const check = async (): Promise<void> => {
          const store = open();
          await store.start();
          assert.deepEqual(store.heads.map((head) => [head.id, head]).sort(), allHeads(disk));
          store.dispose();
        };
        for (const one of steps) {
          const text = disk.textOf(indexFile);
          if (text !== undefined) indexes.push(text);
          const opened = 'window' in one ? windows[one.window % (windows.length || 1)] : undefined;
          if (one.type === 'write' || one.type === 'remove') {
            const folder = one.isOlder ? older : root;
            const file = `${folder}/heads/${one.id}.json`;
            if (one.type === 'remove') disk.delete(file);
            else disk.put(file, JSON.stringify(headOf(one.id, { title: one.title })));
            if (one.type === 'remove') disk.delete(`${folder}/${one.id}`);
            else disk.put(`${folder}/${one.id}/log.jsonl`, '');
          } else if (one.type === 'time') disk.nowMs += one.ms;
          else if (one.type === 'start') {
            const store = open();
            windows.push(store);
            await store.start();
          } else if (one.type === 'rename')
            await opened?.updateHead(one.id, { title: one.title }).catch(() => undefined);
          else if (one.type === 'save') {
            disk.nowMs += one.ms;
            clock.advance(30_000);
            // In turn with what is being saved.
            await Promise.all(windows.map((store) => store.moveWindow()));
          } else if (one.type === 'stop') await opened?.stop();
          else if (one.type === 'lose') disk.delete(indexFile);
          else if (one.type === 'bringBack') disk.put(indexFile, indexes[0] ?? '{}');
          else if (text === undefined) continue;
          else if (one.type === 'lie') disk.put(indexFile, text.replace(/"title":"."/, `"title":"${one.title}"`));
          else if (one.type === 'cut') disk.put(indexFile, text.slice(0, one.at));
          else disk.put(indexFile, text.slice(0, one.at) + one.text + text.slice(one.at + one.text.length));
          await check();
        }
        for (const store of windows) store.dispose();
      },
    );
    await fc.assert(property, { numRuns: runs });
  });

  it('is all that is read if nothing has changed', async () => {
    const disk = new MemoryDisk(2000);
    const deps = { folder: root, files: disk, clock: new FakeClock(), log: nullLogger };
    for (const one of ids) {
      disk.put(`${root}/heads/${one}.json`, JSON.stringify(headOf(one)));
      disk.put(`${root}/${one}/log.jsonl`, '');
    }
    disk.nowMs += 5000;
    const read = async (): Promise<readonly string[]> => {
      disk.reads.length = 0;
      const store = new ConversationStore(deps);
      await store.start();
      assert.equal(store.heads.length, 3);
      const files = [...disk.reads];
      await store.stop();
      store.dispose();
      return files.map((file) => file.replace(`${root}/`, '')).sort();
    };
    assert.equal((await read()).length, 4);
    assert.deepEqual(await read(), ['index/heads.json']);
    disk.put(`${root}/heads/${ids[1] ?? ''}.json`, JSON.stringify(headOf(ids[1] ?? '', { title: 'New' })));
    assert.deepEqual(await read(), ['heads/session-2.json', 'index/heads.json']);
  });

  it('does not believe the times of folders on a disk that does not keep them', async () => {
    const disk = new MemoryDisk(1, false);
    const deps = { folder: root, files: disk, clock: new FakeClock(), log: nullLogger };
    for (const title of ['one', 'two', 'three']) {
      disk.put(`${root}/heads/session-1.json`, JSON.stringify(headOf('session-1', { title })));
      disk.nowMs += 5000;
      const store = new ConversationStore(deps);
      await store.start();
      assert.equal(store.heads[0]?.title, title);
      await store.stop();
      store.dispose();
    }
  });

  it('is written when nothing has changed for a while, with what has changed, without a look at all heads', async () => {
    const disk = new MemoryDisk(1);
    const clock = new FakeClock();
    for (const one of ids) {
      disk.put(`${root}/heads/${one}.json`, JSON.stringify(headOf(one)));
      disk.put(`${root}/${one}/log.jsonl`, '');
    }
    disk.nowMs += 5000;
    const store = new ConversationStore({ folder: root, files: disk, clock, log: nullLogger });
    await store.start();
    const quiet = async (ms: number): Promise<void> => {
      disk.nowMs += 5000;
      clock.advance(ms);
      // In turn with what is being saved.
      await store.moveWindow();
    };
    await quiet(30_000);
    const looks: string[] = [];
    const { versionOf } = disk;
    disk.versionOf = (file) => (looks.push(file), versionOf(file));
    const before = disk.textOf(indexFile);
    for (const title of ['one', 'two', 'three']) {
      await store.updateHead('session-2', { title });
      await quiet(20_000);
    }
    assert.equal(disk.textOf(indexFile), before);
    let changes = 0;
    store.onDidChange(() => changes++);
    looks.length = 0;
    await quiet(10_000);
    assert.match(disk.textOf(indexFile) ?? '', /"three"/);
    assert.deepEqual(looks, [`${root}/heads/session-2.json`]);
    const changedBefore = changes;
    await store.stop();
    assert.equal(changes, changedBefore);
    store.dispose();
  });

  it('is not believed if its heads have another shape, also deep inside', async () => {
    const disk = new MemoryDisk(1);
    const deps = { folder: root, files: disk, clock: new FakeClock(), log: nullLogger };
    disk.put(`${root}/heads/session-1.json`, JSON.stringify(headOf('session-1')));
    disk.nowMs += 5000;
    const first = new ConversationStore(deps);
    await first.start();
    await first.stop();
    first.dispose();
    const written = z.looseObject({}).parse(JSON.parse((disk.textOf(indexFile) ?? '').replace(/^\d+ /, '')));
    const formatOf = (schema: z.ZodType): string =>
      `2 ${crc32(JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })))}`;
    assert.equal(written['format'], formatOf(ConversationHead), 'the format that headIndex.ts has to say');
    const isBelieved = async (schema: z.ZodType): Promise<boolean> => {
      const json = JSON.stringify({ ...written, format: formatOf(schema) });
      disk.put(indexFile, `${crc32(json)} ${json}`);
      disk.reads.length = 0;
      const store = new ConversationStore(deps);
      await store.start();
      assert.equal(store.heads.length, 1);
      store.dispose();
      return disk.reads.length === 1;
    };
    assert.equal(await isBelieved(ConversationHead), true);
    const cost = z.object({ amount: z.number(), currency: z.string(), tokens: z.number().optional() }).optional();
    assert.equal(await isBelieved(ConversationHead.extend({ cost })), false);
  });

  it('keeps a head that the disk does not tell for a moment', async () => {
    const disk = new MemoryDisk(1);
    const deps = { folder: root, files: disk, clock: new FakeClock(), log: nullLogger };
    disk.put(`${root}/heads/session-1.json`, JSON.stringify(headOf('session-1')));
    disk.nowMs += 5000;
    const first = new ConversationStore(deps);
    await first.start();
    await first.stop();
    disk.put(`${root}/heads/session-1.json`, JSON.stringify(headOf('session-1', { title: 'New' })));
    const { read, versionOf } = disk;
    const gone = (): Promise<never> => Promise.reject(Object.assign(new Error('gone'), { code: 'EIO' }));
    disk.versionOf = gone;
    disk.read = (file) => (file.includes('/heads/') ? gone() : read(file));
    const second = new ConversationStore(deps);
    await second.start();
    assert.equal(second.heads[0]?.title, 'a');
    Object.assign(disk, { read, versionOf });
    const third = new ConversationStore(deps);
    await third.start();
    assert.equal(third.heads[0]?.title, 'New');
    for (const store of [first, second, third]) store.dispose();
  });

  describe('on a real disk', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'heads-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    it('has no drafts, which stay in the heads, and is not written where nothing is stored', async () => {
      const deps = { folder, files: new NodeFiles(), clock: new FakeClock(), log: nullLogger };
      const empty = new ConversationStore(deps);
      await empty.start();
      await empty.stop();
      empty.dispose();
      const index = path.join(folder, 'index', 'heads.json');
      await assert.rejects(readFile(index), { code: 'ENOENT' });

      const draft = { text: 'half a secret', attachments: [] };
      const head = path.join(folder, 'heads', 'session-1.json');
      await writeFile(head, JSON.stringify(headOf('session-1', { draft })));
      await mkdir(path.join(folder, 'session-1'));
      await writeFile(path.join(folder, 'session-1', 'log.jsonl'), '');
      const past = new Date(Date.now() - 60_000);
      for (const file of [head, path.dirname(head)]) await utimes(file, past, past);
      const first = new ConversationStore(deps);
      await first.start();
      await first.stop();
      first.dispose();
      assert.match(await readFile(index, 'utf8'), /"session-1"/);
      assert.doesNotMatch(await readFile(index, 'utf8'), /secret/);

      // The head is not read again for the list.
      await writeFile(head, 'damaged');
      await utimes(path.dirname(head), past, past);
      const second = new ConversationStore(deps);
      await second.start();
      assert.equal(second.heads[0]?.title, 'a');
      await writeFile(head, JSON.stringify(headOf('session-1', { draft })));
      assert.equal((await second.open('session-1')).head.draft?.text, 'half a secret');
      await second.stop();
      second.dispose();
    });
  });
});
