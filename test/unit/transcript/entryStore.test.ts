import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Entry } from '../../../src/transcript/common/entries';
import { EntryStore, type SpooledText, type TextSpool } from '../../../src/transcript/common/entryStore';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';

class FakeSpool implements TextSpool {
  readonly texts: string[] = [];
  canWrite = true;
  canRead = true;
  attempts = 0;

  write(text: string): SpooledText | undefined {
    this.attempts++;
    if (!this.canWrite) return undefined;
    this.texts.push(text);
    return { offset: this.texts.length - 1, length: text.length };
  }

  read({ offset }: SpooledText): string {
    if (!this.canRead) throw new Error('no disk');
    return this.texts[offset] ?? '';
  }

  dispose(): void {
    this.canRead = false;
  }
}

const maxUnits = 4_000;

function answer(id: string, length: number, turn = 1): Entry {
  return { kind: 'answer', id, turn, at: 5, text: `${id} é\ud800 `.repeat(length).slice(0, length) };
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), id: fc.nat(30), length: fc.nat(1_500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: fc.nat(30), length: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), id: fc.nat(30), length: fc.nat(1) }) },
);

describe('The entries of a transcript', () => {
  it('are the same wherever they are, and no more than the limit is in memory', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const spool = new FakeSpool();
        const store = new EntryStore(spool, maxUnits);
        const model = new Map<string, Entry>();
        for (const { id: number, kind, length } of steps) {
          const id = `e${number}`;
          if (kind === 'set') {
            store.set(id, answer(id, length, number));
            model.set(id, answer(id, length, number));
          } else if (kind === 'delete') assert.equal(store.delete(id), model.delete(id));
          assert.ok(store.unitsInMemory <= maxUnits);
          assert.deepEqual(store.get(id), model.get(id));
        }
        for (const number of Array(31).keys()) {
          const known = model.get(`e${number}`);
          assert.deepEqual(store.get(`e${number}`), known);
          const outline = known && { id: known.id, kind: known.kind, turn: known.turn, at: known.at };
          assert.deepEqual(store.outline(`e${number}`), outline);
        }
      }),
    );
  });

  it('leave memory when they were not changed for long', () => {
    const spool = new FakeSpool();
    const store = new EntryStore(spool, maxUnits);
    for (const number of Array(100).keys()) store.set(`e${number}`, answer(`e${number}`, 1_000));
    assert.equal(spool.texts.length, 97);
    assert.deepEqual(store.get('e0'), answer('e0', 1_000));
  });

  it('stay in memory while the disk is full', () => {
    const spool = new FakeSpool();
    spool.canWrite = false;
    const store = new EntryStore(spool, maxUnits);
    for (const number of Array(100).keys()) store.set(`e${number}`, answer(`e${number}`, 1_000));
    assert.deepEqual(store.get('e0'), answer('e0', 1_000));
    // Each attempt would serialize a whole entry for nothing.
    assert.equal(spool.attempts, 1);
  });

  it('say so in their place if they can’t be read', () => {
    const spool = new FakeSpool();
    const store = new EntryStore(spool, maxUnits);
    for (const number of Array(10).keys()) store.set(`e${number}`, answer(`e${number}`, 1_000));
    spool.canRead = false;
    const read = store.get('e0');
    assert.equal(read?.kind, 'notice');
    assert.deepEqual([read.id, read.turn, read.level], ['e0', 1, 'error']);
    assert.deepEqual(store.get('e9'), answer('e9', 1_000));
  });

  it('are read one at a time from the end, and only those of a kind or a turn', () => {
    const spool = new FakeSpool();
    let reads = 0;
    const read = spool.read.bind(spool);
    spool.read = (text) => {
      reads++;
      return read(text);
    };
    const document = new TranscriptDocument(assert.ifError, spool);
    const long = 200_000;
    for (let turn = 1; turn <= 6; turn++) {
      document.put({ kind: 'prompt', id: `p${turn}`, turn, text: 'Go' });
      document.put(answer(`a${turn}`, long, turn));
    }
    assert.equal(spool.texts.length, 4);
    assert.equal(document.newestFirst(11).next().value?.id, 'p6');
    assert.equal([...document.entries('prompt')].length, 6);
    assert.deepEqual(document.topLevelOutlines(0, 2), [
      { id: 'p1', kind: 'prompt', turn: 1 },
      { id: 'a1', kind: 'answer', turn: 1, at: 5 },
    ]);
    assert.equal(document.idsOfTopLevel(0).length, 12);
    assert.equal(reads, 0);
    assert.deepEqual(document.entriesOfTurn(2), [
      { kind: 'prompt', id: 'p2', turn: 2, text: 'Go' },
      answer('a2', long, 2),
    ]);
    assert.equal(reads, 1);
    assert.deepEqual(document.topLevelIds(), document.idsOfTopLevel(0));
    assert.equal(document.kindOf('a1'), 'answer');
    assert.equal(reads, 1);
    const feed = document.createFeed(2);
    assert.deepEqual(
      feed.takePatch().put?.map(({ id }) => id),
      ['p6', 'a6'],
    );
    feed.showOlder(100);
    assert.equal(feed.takePatch().older?.length, 10);
  });
});
