import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles, type FilePort } from '../../../../src/base/node/filePort';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { storedEntries } from '../../../../src/chat/common/log/storedEntries';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { FakeClock } from '../../../fake/fakeClock';
import { KilledFiles } from '../support/killedFiles';
import { event } from '../support/transcriptRecorder';

const id = 'conversation';
const head: ConversationHead = {
  version: logVersion,
  id,
  title: 'Build',
  titledBy: 'user',
  backendId: 'one',
  backendTitle: 'One',
  createdAt: 1,
  updatedAt: 1,
  state: 'idle',
};
const beginOf = (version: number): LogRecord => ({ type: 'begin', at: 1, version, id, backendId: 'one' });
const pre: LogRecord = {
  type: 'event',
  at: 1,
  event: event('tool:pre', { tool_name: 'run', operation: 'run', call_id: 'c', input: {} }),
};
const updateOf = (text: string): LogRecord => ({
  type: 'event',
  at: 1,
  event: event('tool:update', { call_id: 'c', content: [{ type: 'text', text }] }),
});
const output = Array.from({ length: 6000 }, (_, index) => `${index} compiled\n`).join('');
/** A log as version 2 wrote it, of which more than 1 MB is superseded. */
const oldRecords: readonly LogRecord[] = [
  beginOf(2),
  pre,
  ...Array.from({ length: 30 }, (_, index) => updateOf(output.slice(0, (output.length * (index + 1)) / 30))),
];
const shownOf = (records: readonly LogRecord[]): string => JSON.stringify(storedEntries(records, 'One'));
const textsOf = (records: readonly LogRecord[]): string[] =>
  records.flatMap((record) => (record.type === 'prompt' ? [record.text] : []));

describe('windows that are killed', () => {
  let folder: string;
  const stores: ConversationStore[] = [];
  const log = (): string => path.join(folder, id, 'log.jsonl');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-killed-'));
  });
  afterEach(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function stop(): Promise<void> {
    for (const store of stores.splice(0)) {
      await store.stop();
      store.dispose();
    }
  }

  async function windowOf(files: FilePort): Promise<ConversationStore> {
    const store = new ConversationStore({ folder, files, clock: new FakeClock(), log: nullLogger });
    stores.push(store);
    await store.start();
    return store;
  }

  /** The window after, to which the lock of the killed one is free, since no process holds it. */
  async function nextWindow(files: FilePort = new NodeFiles()): Promise<ConversationStore> {
    await stop();
    await rm(path.join(folder, id, 'lock'), { force: true });
    return await windowOf(files);
  }

  async function openAndRead(store: ConversationStore) {
    const file = await store.open(id);
    const records: LogRecord[] = [];
    const damage = await file.readStored((some) => void records.push(...some));
    return { damage, file, records };
  }

  async function clear(): Promise<void> {
    await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await mkdir(path.join(folder, 'heads'), { recursive: true });
  }

  it('while they write have lost only what they had not written yet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }), async (kills) => {
        await clear();
        let written: string[] = [];
        let shown = '';
        for (const [round, kill] of kills.entries()) {
          const store = await nextWindow(new KilledFiles(kill));
          const isThere = await store.open(id).then(
            (file) => file,
            () => undefined,
          );
          const file = isThere ?? store.create(head);
          if (isThere) {
            await isThere.readStored(() => undefined);
            await isThere.claim();
          } else {
            file.append(beginOf(logVersion));
            file.append(pre);
          }
          const sent: string[] = [];
          for (let index = 0; index < 4; index++) {
            const text = `${round}.${index}`;
            file.append({ type: 'prompt', at: 1, id: text, text, attachments: [] });
            file.append(updateOf(output.slice(0, 100 * (round + 1))));
            file.append(updateOf(output.slice(0, 100 * (round + 1) + 50 * (index + 1))));
            await file.flush();
            sent.push(text);
          }
          const after = await nextWindow();
          const read = await openAndRead(after).catch(() => undefined);
          const texts = textsOf(read?.records ?? []);
          assert.equal(read?.damage, undefined);
          assert.deepEqual(texts.slice(0, written.length), written);
          assert.deepEqual(texts.slice(written.length), sent.slice(0, texts.length - written.length));
          if (texts.length === written.length && read)
            assert.equal(shownOf(read.records), shown || shownOf(read.records));
          written = texts;
          shown = shownOf(read?.records ?? []);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('while they compact leave the conversation as it was, and the next window compacts it', async () => {
    const shown = shownOf(oldRecords);
    for (let kill = 0; kill < 12; kill++) {
      await clear();
      await mkdir(path.join(folder, id));
      await writeFile(log(), oldRecords.map((record) => `${JSON.stringify(record)}\n`).join(''));
      const { size } = await stat(log());
      assert.ok(size > 1_200_000);
      for (const isByUser of [false, true]) {
        const store = await nextWindow(new KilledFiles(kill));
        if (isByUser) await store.compact(id).catch(() => undefined);
        const { file, records } = await openAndRead(store);
        assert.equal(shownOf(records), shown);
        // It is compacted after it was read, in the same queue.
        await file.catchUp();
        const after = (await stat(log())).size;
        assert.ok(after === size || after < size / 10, `${after} bytes`);
        const again = await openAndRead(await nextWindow(new KilledFiles(0)));
        assert.equal(shownOf(again.records), shown);
        assert.equal(again.damage, undefined);
      }
      const last = await openAndRead(await nextWindow());
      await last.file.catchUp();
      assert.ok((await stat(log())).size < size / 10);
      await last.file.claim();
      last.file.append({ type: 'prompt', at: 1, id: 'p', text: 'Next', attachments: [] });
      await last.file.close();
      const { records } = await openAndRead(await nextWindow());
      assert.deepEqual(textsOf(records), ['Next']);
      assert.equal(shownOf(records.slice(0, -1)), shown);
      assert.deepEqual((await readdir(path.dirname(log()))).toSorted(), ['log.jsonl']);
    }
  });
});
