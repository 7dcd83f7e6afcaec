import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Entry } from '../../../src/transcript/common/entries';
import { TranscriptPatch } from '../../../src/transcript/common/patch';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';
import type { TranscriptFeed } from '../../../src/transcript/common/transcriptFeed';
import { TranscriptModel } from '../../../src/transcript/browser/list/transcriptModel';

const answer = (at: number, text = `text ${at}`): Entry => ({
  kind: 'answer',
  id: `a${at}`,
  turn: Math.floor(at / 3) + 1,
  text,
});
const answers = (from: number, to: number): Entry[] =>
  Array.from({ length: to - from }, (_, index) => answer(from + index));

describe('TranscriptFeed of a page that goes to an entry', () => {
  let document: TranscriptDocument;
  let feed: TranscriptFeed;
  let page: TranscriptModel;
  let sent = 0;

  function tellPage(): TranscriptPatch {
    const patch = TranscriptPatch.parse(feed.takePatch());
    for (const part of [patch.put, patch.older, patch.later]) sent += part?.length ?? 0;
    page.apply(patch);
    return patch;
  }

  function open(count: number): void {
    document = new TranscriptDocument((error) => {
      throw error;
    });
    document.replaceAll(answers(0, count));
    feed = document.createFeed(40);
    page = new TranscriptModel();
    tellPage();
    sent = 0;
  }

  /** What the page has is what the transcript has in this range, and the counts tell the rest. */
  function assertRange(start: number, end: number): void {
    assert.deepEqual(page.entries(), document.slice(start, end));
    assert.deepEqual([page.unloadedOlderCount, page.unloadedLaterCount], [start, document.topLevelCount - end]);
  }

  for (const count of [200, 1_000, 20_000]) {
    it(`sends a bounded number of entries around any of ${count}`, () => {
      for (const at of [0, 30, Math.floor(count / 2), count - 1]) {
        open(count);
        assert.equal(feed.showAround(`a${at}`), true);
        if (feed.hasChanges) tellPage();
        assert.ok(page.get(`a${at}`));
        assert.ok(sent <= 120, `${sent} entries sent for ${at}`);
        assertRange(page.unloadedOlderCount, page.unloadedOlderCount + page.size);
      }
    });
  }

  it('sends the start of the turn with the entry, unless that is far away', () => {
    open(1_000);
    const steps = (turn: number, from: number, to: number): Entry[] =>
      answers(from, to).map((entry) => ({ ...entry, turn }));
    document.replaceAll([...steps(1, 0, 300), ...steps(2, 300, 450), ...steps(3, 450, 1_000)]);
    feed.takePatch();
    feed.showAround('a440');
    assert.equal(feed.takePatch().before, 300);
    document.replaceAll([...steps(1, 0, 300), ...steps(2, 300, 450), ...steps(3, 450, 1_000)]);
    feed.restart(40);
    feed.showAround('a800');
    assert.equal(feed.takePatch().before, 780);
  });

  it('begins with a prompt that begins a turn, not with one that has joined it', () => {
    const steered: Entry = { kind: 'prompt', id: 's', turn: 2, text: 'Also', isSteered: true };
    const entries: Entry[] = [
      { kind: 'prompt', id: 'p1', turn: 1, text: 'One' },
      { kind: 'prompt', id: 'p2', turn: 2, text: 'Two' },
      { kind: 'answer', id: 'a2', turn: 2, text: 'Yes' },
      steered,
      { kind: 'answer', id: 'a3', turn: 2, text: 'Also' },
    ];
    const document = new TranscriptDocument(assert.ifError);
    for (const entry of entries) document.put(entry);
    assert.equal(document.turnAlignedStart(5, 2), 1);
    document.put({ ...steered, isSteered: undefined, turn: 3 });
    assert.equal(document.turnAlignedStart(5, 2), 3);
  });

  it('sends more in both directions, up to the ends', () => {
    open(200);
    feed.showAround('a99');
    assert.equal(tellPage().reset, true);
    assertRange(79, 139);
    feed.showOlder(50);
    feed.showLater(30);
    assert.equal(tellPage().reset, undefined);
    assertRange(29, 169);
    feed.showOlder(50);
    feed.showLater(50);
    tellPage();
    assertRange(0, 200);
    document.put(answer(200));
    tellPage();
    assertRange(0, 201);
  });

  it('extends the range of the page if the entry is adjacent', () => {
    open(200);
    feed.showAround('a150');
    const patch = tellPage();
    assert.equal(patch.reset, undefined);
    assertRange(130, 200);
  });

  it('returns false for a missing entry, and sends nothing', () => {
    open(200);
    assert.equal(feed.showAround('none'), false);
    assert.equal(feed.hasChanges, false);
  });

  it('counts entries added while the page is elsewhere, and sends them when the page goes there', () => {
    open(200);
    feed.showAround('a99');
    tellPage();
    document.put(answer(200));
    document.put(answer(99, 'changed'));
    assert.deepEqual(tellPage(), { put: [answer(99, 'changed')], before: 79, after: 62, unloadedAddedCount: 1 });
    feed.showLater(1_000);
    document.put(answer(201));
    const patch = tellPage();
    assert.deepEqual(patch.put, [answer(201)]);
    assertRange(79, 202);
  });

  it('returns to the end', () => {
    open(200);
    feed.showAround('a9');
    tellPage();
    feed.restart(40);
    tellPage();
    assertRange(160, 200);
    document.put(answer(200));
    tellPage();
    assertRange(160, 201);
  });

  it('keeps its range when entries are removed or found before it', () => {
    open(200);
    feed.showAround('a99');
    tellPage();
    for (const id of ['a3', 'a100', 'a190']) document.remove(id);
    tellPage();
    assertRange(78, 137);
    document.replaceAll([answer(-2), answer(-1), ...document.slice(0)]);
    tellPage();
    assertRange(80, 139);
  });

  it('sends an entry once that is loaded and changes before it is sent, with its current content', () => {
    open(200);
    feed.showAround('a99');
    tellPage();
    feed.showOlder(10);
    feed.showLater(10);
    document.append('a75', '!');
    document.put(answer(70, 'changed'));
    document.append('a140', '!');
    document.put(answer(141, 'changed'));
    document.remove('a145');
    const patch = tellPage();
    assert.deepEqual([patch.put, patch.append, patch.remove], [undefined, undefined, undefined]);
    assertRange(69, 148);
  });
});

describe('TranscriptFeed of a page whose reader moves far', () => {
  function openAtEnd(count: number): { document: TranscriptDocument; feed: TranscriptFeed; page: TranscriptModel } {
    const document = new TranscriptDocument((error) => {
      throw error;
    });
    document.replaceAll(answers(0, count));
    const feed = document.createFeed(40);
    const page = new TranscriptModel();
    page.apply(feed.takePatch());
    return { document, feed, page };
  }
  const idsAround = (page: TranscriptModel): readonly (string | undefined)[] => [
    page.entries()[0]?.id,
    page.entries().at(-1)?.id,
  ];

  it('keeps a limited number of entries, and those next to the reader', () => {
    const { feed, page } = openAtEnd(2_000);
    for (let step = 0; step < 60 && page.unloadedOlderCount > 0; step++) {
      const first = page.entries()[0]?.id ?? '';
      feed.showOlder(40);
      page.apply(feed.takePatch());
      const at = page.entries().findIndex(({ id }) => id === first);
      assert.ok(at >= 40 && page.size - at >= Math.min(40 + 40 * step, 200), `${at} of ${page.size}`);
      assert.ok(page.size <= 400, `${page.size}`);
    }
    assert.deepEqual(idsAround(page), ['a0', 'a399']);
    for (let step = 0; step < 60 && page.unloadedLaterCount > 0; step++) {
      const last = page.entries().at(-1)?.id ?? '';
      feed.showLater(40);
      page.apply(feed.takePatch());
      const at = page.entries().findIndex(({ id }) => id === last);
      assert.ok(at >= 200, `${at} of ${page.size}`);
      assert.ok(page.size <= 800, `${page.size}`);
    }
    assert.equal(page.unloadedLaterCount, 0);
  });

  it('keeps all entries if the page needs them', () => {
    const { feed, page } = openAtEnd(1_000);
    for (let step = 0; step < 20; step++) feed.showOlder(40, true);
    page.apply(feed.takePatch());
    assert.deepEqual(idsAround(page), ['a160', 'a999']);
  });

  it('keeps the last entries while the reader follows the end', () => {
    const { document, feed, page } = openAtEnd(100);
    for (const entry of answers(100, 1_500)) document.put(entry);
    page.apply(feed.takePatch());
    assert.equal(page.entries().length, 1_440);
    assert.equal(feed.unloadFarFrom('a1490'), true);
    page.apply(feed.takePatch());
    assert.ok(page.size <= 720, `${page.size}`);
    assert.equal(page.unloadedOlderCount + page.size, 1_500);
    assert.equal(page.unloadedLaterCount, 0);
  });

  it('does not count unloaded entries as new', () => {
    const { document, feed, page } = openAtEnd(1_000);
    let newCount = 0;
    page.onDidChange(({ unloadedAddedCount }) => (newCount += unloadedAddedCount));
    for (let step = 0; step < 12; step++) {
      feed.showOlder(40);
      page.apply(feed.takePatch());
    }
    assert.ok(page.unloadedLaterCount > 0);
    assert.equal(newCount, 0);
    for (const entry of answers(1_000, 1_003)) document.put(entry);
    feed.showOlder(40);
    page.apply(feed.takePatch());
    assert.equal(newCount, 3);
  });

  it('keeps the steps of a call with it, wherever they are, and no others', () => {
    const { document, feed, page } = openAtEnd(0);
    const stepOf = (parent: string, id: string): Entry => ({ kind: 'answer', id, turn: 1, text: id, parent });
    for (const entry of answers(0, 1_000)) document.put(entry);
    for (const parent of ['a10', 'a700', 'a990']) document.put(stepOf(parent, `step of ${parent}`));
    document.put(stepOf('step of a990', 'step of the step'));
    feed.restart(40);
    page.apply(feed.takePatch());
    assert.deepEqual(
      [page.childIdsOf('a990'), page.childIdsOf('step of a990')],
      [['step of a990'], ['step of the step']],
    );
    assert.deepEqual([page.size, page.topLevelCount, page.unloadedOlderCount], [42, 40, 960]);
    feed.showAround('step of the step');
    assert.equal(feed.hasChanges, false);
    feed.showAround('step of a10');
    page.apply(feed.takePatch());
    assert.deepEqual(page.childIdsOf('a10'), ['step of a10']);
    assert.equal(page.get('step of a990'), undefined);
    document.put(stepOf('a990', 'not loaded'));
    assert.equal(feed.hasChanges, false);
    document.put(stepOf('a10', 'loaded'));
    document.append('step of a10', '!');
    page.apply(feed.takePatch());
    assert.deepEqual(page.childIdsOf('a10'), ['step of a10', 'loaded']);
    document.remove('a10');
    page.apply(feed.takePatch());
    assert.deepEqual([page.get('loaded'), document.topLevelIndexOf('loaded')], [undefined, document.topLevelCount - 1]);
  });

  it('sends few entries when the calls of steps are found that came first', () => {
    const { document, feed, page } = openAtEnd(0);
    const steps = answers(900, 1_000).map((entry): Entry => ({ ...entry, parent: 'a890' }));
    document.replaceAll(steps.slice(-40));
    feed.restart(40);
    page.apply(feed.takePatch());
    assert.equal(page.topLevelCount, 40);
    document.replaceAll([...answers(0, 895), ...steps]);
    page.apply(feed.takePatch());
    assert.deepEqual([page.unloadedOlderCount, page.topLevelCount, page.size], [890, 5, 105]);
  });

  it('keeps its place when steps become top-level entries', () => {
    const { document, feed, page } = openAtEnd(1_000);
    for (const at of [1, 2, 3]) document.put({ ...answer(2_000 + at), parent: 'a5' });
    feed.showAround('a500');
    page.apply(feed.takePatch());
    const [first] = page.entries();
    document.remove('a5');
    page.apply(feed.takePatch());
    assert.deepEqual(page.entries()[0], first);
    assert.equal(page.unloadedOlderCount + page.topLevelCount + page.unloadedLaterCount, document.topLevelCount);
  });

  it('reports prompts, ends and notices that are added elsewhere', () => {
    const { document, feed, page } = openAtEnd(1_000);
    feed.showAround('a100');
    page.apply(feed.takePatch());
    const seen: unknown[] = [];
    page.onDidChange(({ addedElsewhere, unloadedAddedCount }) =>
      seen.push([unloadedAddedCount, addedElsewhere.map(({ id }) => id)]),
    );
    document.put({ kind: 'prompt', id: 'p', turn: 9, text: 'Go on' });
    document.put(answer(1_000));
    document.append('a1000', '!');
    page.apply(feed.takePatch());
    document.append('a1000', '!');
    assert.equal(feed.hasChanges, false);
    document.put({ kind: 'end', id: 'e', turn: 9, outcome: 'completed' });
    page.apply(feed.takePatch());
    assert.deepEqual(seen, [
      [2, ['p']],
      [1, ['e']],
    ]);
  });

  /** The ids of the top-level entries in order, and of the steps of each. */
  const treeOf = (page: TranscriptModel): unknown =>
    page.turns
      .flatMap(({ entryIds }) => entryIds)
      .map((id) => [page.get(id), [...page.entries()].filter(({ id: other }) => rootIdOf(page, other) === id).length]);
  function rootIdOf(page: TranscriptModel, id: string): string {
    const parent = page.get(id)?.parent;
    return parent === undefined || !page.get(parent) ? id : rootIdOf(page, parent);
  }

  it('gives the page what the transcript has in its range, whatever happens in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const { document, feed, page } = openAtEnd(900);
        let next = 900;
        for (const { kind, at } of steps) {
          const known = document.slice(at, at + 1)[0];
          const id = known?.id ?? 'none';
          if (kind === 'older' || kind === 'later') feed.load({ kind, count: 1 + (at % 300), keepsAll: at % 5 === 0 });
          else if (kind === 'around' || kind === 'unloadFar') feed.load({ kind, entryId: id });
          else if (kind === 'latest') feed.load({ kind });
          else if (kind === 'add') for (let more = at; more > 0; more--) document.put(answer(next++));
          else if (kind === 'addOrphan') document.put({ ...answer(next++), parent: `late${at % 4}` });
          else if (kind === 'prependParent')
            document.replaceAll([
              { ...answer(next++), id: `late${at % 4}` },
              ...document.slice(0).filter(({ id: other }) => other !== `late${at % 4}`),
            ]);
          else if (kind === 'addStep') document.put({ ...answer(next++), parent: id });
          else if (kind === 'change' && known) document.put({ ...known, turn: 1 });
          else if (kind === 'append') document.append(id, '!');
          else if (kind === 'remove') document.remove(id);
          else if (kind === 'prepend') document.replaceAll([answer(10_000 + next++), ...document.slice(0)]);
          else if (feed.hasChanges) {
            page.apply(TranscriptPatch.parse(feed.takePatch()));
            const { unloadedOlderCount: start, topLevelCount, unloadedLaterCount: after } = page;
            const whole = new TranscriptModel();
            whole.apply({ reset: true, put: document.sliceTopLevel(start, start + topLevelCount), before: 0 });
            assert.deepEqual(treeOf(page), treeOf(whole));
            assert.equal(start + topLevelCount + after, document.topLevelCount);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  const step = fc.record({
    kind: fc.constantFrom(
      ...(['older', 'later', 'around', 'latest', 'unloadFar', 'add', 'addStep', 'addOrphan'] as const),
      ...(['change', 'append', 'remove', 'prepend', 'prependParent', 'tell', 'tell', 'tell'] as const),
    ),
    at: fc.nat({ max: 950 }),
  });
});

describe('TranscriptModel of a part of a transcript', () => {
  it('does not treat entries loaded at its end as new', () => {
    const page = new TranscriptModel();
    page.apply({ reset: true, put: answers(0, 10), before: 0, after: 20 });
    const changes: unknown[] = [];
    page.onDidChange(({ addedEntries: added, laterCount, unloadedAddedCount: addedBeyond }) =>
      changes.push([added.length, laterCount, addedBeyond]),
    );
    page.apply({ later: answers(10, 15), before: 0, after: 15 });
    page.apply({ before: 0, after: 17, unloadedAddedCount: 2 });
    page.apply({ later: answers(15, 32), put: [answer(32)], before: 0 });
    assert.deepEqual(changes, [
      [0, 5, 0],
      [0, 0, 2],
      [1, 17, 0],
    ]);
    assert.equal(page.size, 33);
  });
});
