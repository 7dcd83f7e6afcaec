import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { NodeFiles, type ReadChunks } from '../../../../src/base/node/filePort';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { FakeClock } from '../../../fake/fakeClock';
import { event } from '../support/transcriptRecorder';
import { until } from '../../../support/eventually';
import { TextsHere } from '../support/textsHere';
import { settled } from '../support/window';

const id = 'session-1';
const head: ConversationHead = {
  version: 1,
  id,
  title: 'Title',
  titledBy: 'prompt',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 2,
  state: 'idle',
};

async function openAndRead(store: ConversationStore) {
  const file = await store.open(id);
  const records: LogRecord[] = [];
  const damage = await file.readStored((some) => void records.push(...some));
  return { file, records, damage };
}

/** A disk that fails as long as it is told to. */
class FaultyFiles extends NodeFiles {
  fault: string | undefined;
  writes = 0;
  /** So that nothing can be locked. */
  isLockFaulty = false;

  /** How many reads of a log fail before one succeeds again. */
  readFaults = 0;

  /** Holds back what has been read of heads. */
  readsHeld: Promise<void> | undefined;
  heldReads = 0;
  /** How often a window wanted to be the one that writes a head. */
  headMarks = 0;

  override async read(file: string): Promise<string | undefined> {
    const text = await super.read(file);
    if (this.readsHeld && file.includes('heads')) {
      this.heldReads++;
      await this.readsHeld;
    }
    return text;
  }

  override async whileOpen<Result>(file: string, work: (readChunks: ReadChunks) => Promise<Result>): Promise<Result> {
    if (this.readFaults-- > 0) throw Object.assign(new Error('the disk says no'), { code: 'EMFILE' });
    return await super.whileOpen(file, work);
  }

  override async createNew(file: string, text: string): Promise<boolean> {
    if (file.endsWith('.writing.tmp')) this.headMarks++;
    if (this.isLockFaulty) throw Object.assign(new Error('the disk says no'), { code: 'ENOSPC' });
    return await super.createNew(file, text);
  }

  override async writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    this.writes++;
    if (this.fault === undefined) {
      await super.writeAtAndTruncate(file, offset, bytes);
      return;
    }
    // As a disk that is full does it: a part is there.
    await super.writeAtAndTruncate(file, offset, bytes.subarray(0, Math.floor(bytes.length / 2)));
    throw Object.assign(new Error('the disk says no'), { code: this.fault });
  }
}

describe('ConversationStore', () => {
  let folder: string;
  let clock: FakeClock;
  let files: FaultyFiles;
  const stores: ConversationStore[] = [];

  async function newStore(confirmContinueHere?: (id: string) => Promise<boolean>): Promise<ConversationStore> {
    const ask = confirmContinueHere && { confirmContinueHere };
    const store = new ConversationStore({
      folder,
      files,
      clock,
      log: nullLogger,
      texts: new TextsHere(folder),
      ...ask,
    });
    stores.push(store);
    await store.start();
    return store;
  }

  const begin = (version: number) => ({ type: 'begin' as const, at: 1, version, id, backendId: 'one' });
  const prompt = (text: string) => ({ type: 'prompt' as const, at: 5, id: 'p', text, attachments: [] });
  const said = (delta: string) => ({
    type: 'event' as const,
    at: 6,
    event: event('content_block:delta', { block_index: 0, delta }),
  });
  const log = () => path.join(folder, id, 'log.jsonl');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'store-'));
    clock = new FakeClock();
    files = new FaultyFiles();
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) {
      await store.stop();
      store.dispose();
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('stores records accessible only to the user, many in one write', async () => {
    const store = await newStore();
    const file = store.create(head);
    assert.deepEqual(store.heads, []);
    file.append(said('a'));
    for (let index = 0; index < 1000; index++) file.append(said('b'));
    clock.advance(50);
    await file.flush();
    assert.equal(files.writes, 1);
    assert.equal((await readFile(log(), 'utf8')).split('\n').length, 2);
    if (process.platform !== 'win32') {
      assert.equal((await stat(log())).mode & 0o777, 0o600);
      assert.equal((await stat(path.dirname(log()))).mode & 0o777, 0o700);
    }
    await store.stop();
    const { records } = await openAndRead(await newStore());
    assert.deepEqual(records.at(-1), said(`a${'b'.repeat(1000)}`));
  });

  it('keeps what precedes an incomplete line, and continues after it', async () => {
    const store = await newStore();
    store.create(head).append(prompt('Kept'));
    await store.stop();
    await appendFile(log(), '{"type":"prompt","at":7,"te');
    const again = await newStore();
    const opened = await openAndRead(again);
    assert.deepEqual(opened.records, [prompt('Kept')]);
    assert.match(opened.damage ?? '', /incomplete/);
    await opened.file.claim();
    opened.file.append(prompt('Next'));
    await again.stop();
    const last = await openAndRead(await newStore());
    assert.deepEqual(last.records, [prompt('Kept'), prompt('Next')]);
    assert.equal(last.damage, undefined);
  });

  it('reports how much of a damaged log could not be read', async () => {
    const store = await newStore();
    store.create(head).append(prompt('Kept'));
    await store.stop();
    await appendFile(log(), `garbage\n{"type":"future","at":1}\n${JSON.stringify(prompt('Also'))}\n`);
    const { damage, records } = await openAndRead(await newStore());
    assert.deepEqual(records, [prompt('Kept'), prompt('Also')]);
    assert.match(damage ?? '', /2 entries/);
  });

  it('only reads what the user does not want to continue in this window, until they do', async () => {
    const store = await newStore();
    store.create(head).append(prompt('Kept'));
    await store.stop();
    const asked: string[] = [];
    const { file } = await openAndRead(
      await newStore((about) => {
        asked.push(about);
        return Promise.resolve(asked.length > 1);
      }),
    );
    await assert.rejects(file.claim(), { code: 'readonly', message: /belongs to another folder/ });
    assert.equal(file.isOurs, false);
    assert.ok(!(await readdir(path.join(folder, id))).includes('lock'));
    await file.claim();
    assert.equal(file.isOurs, true);
    assert.deepEqual(asked, [id, id]);
  });

  it('is not continued here if another window deletes it while the user decides', async () => {
    const store = await newStore();
    store.create(head).append(prompt('Deleted'));
    await store.stop();
    const other = await newStore();
    const { file } = await openAndRead(await newStore(() => other.remove(id).then(() => true)));
    await assert.rejects(file.claim(), { code: 'notFound' });
    assert.equal(file.isOurs, false);
  });

  it('only reads what a newer version has written', async () => {
    const store = await newStore();
    store.create(head).append(begin(logVersion + 1));
    await store.stop();
    const { file } = await openAndRead(await newStore());
    assert.match(file.readonlyReason ?? '', /newer version/);
  });

  it('does not continue what a newer version has continued, before it was opened or since then', async () => {
    const store = await newStore();
    store.create(head).append(begin(logVersion));
    await store.stop();
    const { damage, file } = await openAndRead(await newStore());
    assert.equal(damage, undefined);
    await appendFile(log(), `${JSON.stringify(begin(logVersion + 1))}\n`);
    await assert.rejects(file.claim(), /newer version/);
    assert.match(file.readonlyReason ?? '', /newer version/);
    const before = await readFile(log(), 'utf8');
    const again = await newStore();
    const opened = await openAndRead(again);
    assert.match(opened.file.readonlyReason ?? '', /newer version/);
    await assert.rejects(opened.file.claim(), { code: 'readonly' });
    opened.file.append(prompt('Not written'));
    await again.compact(id);
    await again.stop();
    assert.equal(await readFile(log(), 'utf8'), before);
  });

  for (const code of ['ENOSPC', 'EROFS']) {
    it(`keeps records in memory, reports the problem and retries (${code})`, async () => {
      const store = await newStore();
      const file = store.create(head);
      file.append(begin(logVersion));
      await file.flush();
      files.fault = code;
      file.append(said('lost?'));
      await file.flush();
      assert.match(file.problem ?? '', /memory only/);
      file.append(prompt('Two'));
      await file.flush();
      files.fault = undefined;
      clock.advance(5000);
      await until('the retry', () => file.problem === undefined);
      await store.stop();
      const { damage, records } = await openAndRead(await newStore());
      assert.deepEqual(records, [begin(logVersion), said('lost?'), prompt('Two')]);
      assert.equal(damage, undefined);
    });
  }

  it('takes over the lock of a dead process', async () => {
    const store = await newStore();
    store.create(head).append(prompt('One'));
    await store.stop();
    const lock = path.join(folder, id, 'lock');
    await writeFile(
      lock,
      JSON.stringify({ owner: 'x', pid: 2 ** 30, host: (await import('node:os')).hostname(), startedAt: 1 }),
    );
    const file = await (await newStore()).open(id);
    assert.equal(file.readonlyReason, undefined);
    await file.claim();
    assert.equal(file.isOurs, true);
  });

  it('detects at its heartbeat that another window has taken over', async () => {
    const store = await newStore();
    const file = store.create(head);
    file.append(prompt('One'));
    await file.flush();
    await writeFile(path.join(folder, id, 'lock'), JSON.stringify({ owner: 'x', pid: 1, host: 'else', startedAt: 1 }));
    clock.advance(10_000);
    await until('the loss', () => file.readonlyReason !== undefined);
  });

  it('writes what it could not lock before, but not if another window has continued meanwhile', async () => {
    const store = await newStore();
    store.create(head).append(prompt('One'));
    await store.stop();
    for (const isTakenOver of [false, true]) {
      const one = await newStore();
      const file = await one.open(id);
      files.isLockFaulty = true;
      await file.claim();
      file.append(prompt('Mine'));
      await file.flush();
      assert.match(file.problem ?? '', /disk is full/);
      files.isLockFaulty = false;
      if (isTakenOver) await appendFile(log(), `${JSON.stringify(prompt('Theirs'))}\n`);
      clock.advance(5000);
      await until('the retry', () => (isTakenOver ? file.wasTakenOver : file.problem === undefined));
      await one.stop();
    }
    const { records } = await openAndRead(await newStore());
    assert.deepEqual(records, [prompt('One'), prompt('Mine'), prompt('Theirs')]);
  });

  for (const isTakenOver of [false, true]) {
    const then = isTakenOver ? 'keeps the records of another window' : 'continues writing';
    it(`${then} if the first check of the log after sleep failed`, async () => {
      const store = await newStore();
      const file = store.create(head);
      file.append(prompt('One'));
      await file.flush();
      // Another window took the lock meanwhile, and has given it back.
      await rm(path.join(folder, id, 'lock'));
      if (isTakenOver) await appendFile(log(), `${JSON.stringify(prompt('Theirs'))}\n`);
      clock.setBack(3_600_000);
      files.readFaults = 2;
      file.append(prompt('Mine'));
      await file.flush();
      assert.match(file.problem ?? '', /memory only/);
      await until('the retry', () => {
        clock.advance(5000);
        return isTakenOver ? file.wasTakenOver : file.problem === undefined;
      });
      await store.stop();
      const { records } = await openAndRead(await newStore());
      assert.deepEqual(records, [prompt('One'), prompt(isTakenOver ? 'Theirs' : 'Mine')]);
    });
  }

  it('writes nothing behind the end of a log that another window has compacted during sleep', async () => {
    const store = await newStore();
    const file = store.create(head);
    for (const text of ['One', 'Two', 'Three']) file.append(prompt(text));
    await file.flush();
    await rm(path.join(folder, id, 'lock'));
    const compacted = `${JSON.stringify(prompt('One'))}\n`;
    await writeFile(log(), compacted);
    clock.setBack(3_600_000);
    file.append(prompt('Mine'));
    await file.flush();
    assert.ok(file.wasTakenOver);
    await store.stop();
    assert.equal(await readFile(log(), 'utf8'), compacted);
  });

  it('keeps what two windows change about a conversation at the same time, such as its draft and its state', async () => {
    const store = await newStore();
    const made = store.create(head);
    made.append(prompt('One'));
    await store.stop();
    const [here, there] = [await (await newStore()).open(id), await (await newStore()).open(id)];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    files.heldReads = files.headMarks = 0;
    files.readsHeld = promise;
    here.updateHead({ state: 'unread' });
    const written = [here.flush()];
    await until('one window has read the head', () => files.heldReads > 0);
    files.readsHeld = undefined;
    there.updateHead({ draft: { text: 'half a thought', attachments: [] } });
    written.push(there.flush());
    await until('the other one wants to write it', () => files.headMarks > 1);
    resolve(undefined);
    await Promise.all(written);
    const { head: stored } = await (await newStore()).read(id);
    assert.deepEqual([stored.state, stored.draft?.text], ['unread', 'half a thought']);
    assert.deepEqual(await readdir(path.join(folder, 'heads')), [`${id}.json`]);
  });

  it('writes a head that a window was writing when it crashed', async () => {
    const store = await newStore();
    store.create(head).append(prompt('One'));
    await store.stop();
    await writeFile(path.join(folder, 'heads', `${id}.json.writing.tmp`), '');
    await (await newStore()).updateHead(id, { title: 'Renamed' });
    assert.equal((await newStore()).heads[0]?.title, 'Renamed');
    assert.deepEqual(await readdir(path.join(folder, 'heads')), [`${id}.json`]);
  });

  it('lists what another window writes', async () => {
    const one = await newStore();
    const two = await newStore();
    const file = two.create(head);
    file.append(prompt('One'));
    await file.flush();
    await until('the list', () => {
      clock.advance(200);
      return one.heads.length === 1;
    });
    assert.equal(one.heads[0]?.title, 'Title');
  });

  it('tells of no change when it reads again what it has written itself', async () => {
    const store = await newStore();
    const file = store.create(head);
    file.append(prompt('One'));
    await file.flush();
    let changes = 0;
    store.onDidChange(() => changes++);
    files.readsHeld = Promise.resolve();
    await until('it reads', () => {
      clock.advance(200);
      return files.heldReads > 0;
    });
    await settled();
    assert.equal(changes, 0);
  });

  it('does not list a conversation again that is deleted during a read', async () => {
    const one = await newStore();
    const two = await newStore();
    two.create(head).append(prompt('One'));
    await two.stop();
    await until('the list', () => {
      clock.advance(200);
      return one.heads.length === 1;
    });
    await two.updateHead(id, { title: 'Another' });
    let goOn = (): void => undefined;
    files.readsHeld = new Promise((resolve) => (goOn = resolve));
    await until('it reads', () => {
      clock.advance(200);
      return files.heldReads > 0;
    });
    await one.remove(id);
    goOn();
    await settled();
    assert.deepEqual(one.heads, []);
  });

  it('finds a conversation whose head was never written', async () => {
    await mkdir(path.join(folder, id), { recursive: true });
    await writeFile(log(), `${JSON.stringify(prompt('Only the log'))}\n`);
    assert.equal((await newStore()).heads[0]?.title, 'Only the log');
  });

  it('stops a search on request', async () => {
    const store = await newStore();
    const file = store.create(head);
    file.append(prompt('needle'));
    await file.flush();
    assert.equal((await store.search('needle')).found.length, 1);
    assert.deepEqual(await store.search('needle', AbortSignal.abort()), { found: [] });
  });

  it('returns stored texts of files, unless they are damaged', async () => {
    const store = await newStore();
    const file = store.create(head);
    const text = await file.putText('before');
    assert.equal(await file.getText(text), 'before');
    await writeFile(path.join(folder, id, 'texts', text), 'tampered');
    assert.equal(await file.getText(text), undefined);
  });
});
