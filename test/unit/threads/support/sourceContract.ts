import assert from 'node:assert/strict';
import { ThreadError, type ThreadSource } from '../../../../src/threads/common/threadPorts';
import { until } from '../../../support/eventually';
import { fixtureText, normalId, slowId, thread } from './threadFolder';

/** A source with a store of its own that the test can change. */
export interface SourceHarness {
  readonly source: ThreadSource;
  /** Adds a thread, or replaces it. */
  put(id: string, document: unknown): Promise<void>;
  /** Time passes, so that a source that asks asks again. */
  pass(): void;
  /** Nothing of what was there can be read any more. */
  breakStore(): Promise<void>;
  /** What the store itself says of the thread to go on with, for sources that can know. */
  setCurrent?(id: string): Promise<void>;
  close(): Promise<void>;
}

/** What every source of threads does. `open` makes one with an empty store. */
export function sourceContract(name: string, open: () => Promise<SourceHarness>): void {
  describe(`${name}, as every source of threads`, () => {
    let harness: SourceHarness;
    let source: ThreadSource;
    const refused = (error: unknown): boolean => error instanceof ThreadError && error.message !== '';

    beforeEach(async () => {
      harness = await open();
      source = harness.source;
    });
    afterEach(() => harness.close());

    const putBoth = async (): Promise<void> => {
      await harness.put(normalId, await fixtureText('01-normal.thread.json'));
      await harness.put(slowId, thread(slowId, 2, { created: 1_800_000_000_000, title: 'Later' }));
    };

    it('lists nothing of an empty store, without a fault', async () => {
      assert.deepEqual(await source.list(), []);
      assert.notEqual(source.state.kind, 'failed');
    });

    it('refuses to read what it does not have', async () => {
      await assert.rejects(source.read('T-not-there'), refused);
      await assert.rejects(source.read('../../etc/passwd'), refused);
    });

    it('lists its threads, newest first, with titles and folders', async () => {
      await putBoth();
      harness.pass();
      const heads = await source.list();
      assert.deepEqual(
        heads.map(({ id, title }) => [id, title]),
        [
          [slowId, 'Later'],
          [normalId, 'Tax in the cart'],
        ],
      );
      assert.deepEqual(heads[1]?.folders, ['/home/kim/shop']);
      assert.ok(heads.every((head) => head.source === source.kind && head.problem === undefined));
    });

    it('reads a thread whole, and its blocks raw', async () => {
      await putBoth();
      harness.pass();
      await source.list();
      const { head, entries, facts } = await source.read(normalId);
      assert.equal(head.id, normalId);
      assert.equal(head.source, source.kind);
      assert.equal(entries.length, 13);
      assert.ok(facts.some(({ label, value }) => label === 'Branch' && value === 'main'));
      assert.ok((await source.rawJson(normalId, 'm1.1'))?.includes('"absolutePath"'));
      assert.equal(await source.rawJson(normalId, 'nothing'), undefined);
    });

    it('tells who follows a thread that it has grown, and leaves what has not changed as it was', async () => {
      await putBoth();
      harness.pass();
      await source.list();
      const before = await source.read(slowId);
      let told = 0;
      const subscription = source.subscribe(slowId, () => told++);
      await harness.put(slowId, thread(slowId, 4));
      await until('being told', () => {
        harness.pass();
        return told > 0;
      });
      const after = await source.read(slowId);
      subscription.dispose();
      assert.equal(after.head.messageCount, 4);
      for (const [index, entry] of before.entries.entries()) assert.equal(after.entries[index], entry);
    });

    it('tells of changes of the list', async () => {
      await source.list();
      let told = 0;
      const subscription = source.onDidChange(() => told++);
      await harness.put(normalId, thread(normalId, 2));
      const isListed = async (): Promise<boolean> => {
        harness.pass();
        return (await source.list()).length === 1;
      };
      await until('the list with the thread', isListed);
      await until('being told', () => told > 0);
      subscription.dispose();
    });

    it('knows the current thread, or says that it does not', async () => {
      assert.equal(await source.currentThreadId?.(), undefined);
      await harness.setCurrent?.(normalId);
      assert.equal(await source.currentThreadId?.(), harness.setCurrent ? normalId : undefined);
    });

    it('survives a broken store: the list comes, and a thread is refused in words', async () => {
      await putBoth();
      harness.pass();
      await source.list();
      await harness.breakStore();
      harness.pass();
      await source.list();
      await assert.rejects(source.read(slowId), refused);
    });

    it('can be cancelled', async () => {
      await putBoth();
      harness.pass();
      await source.list();
      await assert.rejects(source.read(slowId, AbortSignal.abort()), refused);
    });
  });
}
