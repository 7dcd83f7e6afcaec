import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commentHome, createPlacer, placeComment } from '../../../../src/comments/common/placeComment';

const textOf = (lines: readonly string[]): string => lines.join('\n');
const letters = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];

/** A line that no other resembles: its words come from the digits of its number. */
function uniqueLine(id: number): string {
  const words = Array.from(String(id * 7919 + 10_007), (digit) => letters[Number(digit) % letters.length] ?? '');
  return `${String.fromCodePoint(0x4e00 + (id % 500) * 20)}${id} ${words.join(String.fromCodePoint(0x3041 + (id % 80)))}`;
}

describe('the place of a comment', () => {
  const before = ['one', 'two', 'three', 'four', 'five'];
  const home = (start: number, end = start + 1) => commentHome(textOf(before), { start, end });

  it('is the same lines in the same text, and with other line endings', () => {
    assert.deepEqual(placeComment(home(2), textOf(before)), { kind: 'same', lines: { start: 2, end: 3 } });
    assert.deepEqual(placeComment(home(2), before.join('\r\n')), { kind: 'same', lines: { start: 2, end: 3 } });
  });

  it('follows lines that are added and removed above', () => {
    assert.deepEqual(placeComment(home(2), textOf(['zero', ...before])), {
      kind: 'same',
      lines: { start: 3, end: 4 },
    });
    assert.deepEqual(placeComment(home(2), textOf(before.slice(1))), { kind: 'same', lines: { start: 1, end: 2 } });
  });

  it('is not changed by lines that are added directly above or below', () => {
    const text = textOf(['one', 'two', 'new', 'three', 'new too', 'four', 'five']);
    assert.deepEqual(placeComment(home(2), text), { kind: 'same', lines: { start: 3, end: 4 } });
  });

  it('is what replaced the lines, with before and after', () => {
    assert.deepEqual(placeComment(home(1, 3), textOf(['one', 'two', 'THREE', 'more', 'four', 'five'])), {
      kind: 'changed',
      lines: { start: 1, end: 4 },
      before: 'two\nthree',
      after: 'two\nTHREE\nmore',
    });
  });

  it('is changed by a line that is added between its lines', () => {
    const place = placeComment(home(1, 3), textOf(['one', 'two', 'new', 'three', 'four', 'five']));
    assert.deepEqual(place, {
      kind: 'changed',
      lines: { start: 1, end: 4 },
      before: 'two\nthree',
      after: 'two\nnew\nthree',
    });
  });

  it('is gone when the lines are', () => {
    assert.deepEqual(placeComment(home(2), textOf(['one', 'two', 'four', 'five'])), { kind: 'gone' });
    assert.deepEqual(placeComment(home(2), ''), { kind: 'gone' });
  });

  it('is gone, and not the neighbour that was edited, when the lines are removed beside it', () => {
    const text = textOf(['one', 'const two = computeTheSecond();', 'const three = [];', 'four', 'five']);
    const edited = textOf(['one', 'const two = computeTheSecond(1);', 'four', 'five']);
    assert.deepEqual(placeComment(commentHome(text, { start: 2, end: 3 }), edited), { kind: 'gone' });
    assert.deepEqual(placeComment(commentHome(text, { start: 1, end: 2 }), edited), {
      kind: 'changed',
      lines: { start: 1, end: 2 },
      before: 'const two = computeTheSecond();',
      after: 'const two = computeTheSecond(1);',
    });
  });

  it('follows a long line that was moved, and a block of three lines', () => {
    const long = 'const answer = computeTheAnswer(question);';
    const text = textOf([long, 'a', 'b', 'c', 'd', 'e']);
    const moved = textOf(['a', 'b', 'c', 'd', 'e', 'x', long]);
    assert.deepEqual(placeComment(commentHome(text, { start: 0, end: 1 }), moved), {
      kind: 'same',
      lines: { start: 6, end: 7 },
    });
    const block = textOf(['p', 'q', 'r', 'a', 'b', 'c', 'd', 'e']);
    const movedBlock = textOf(['a', 'b', 'c', 'd', 'e', 'p', 'q', 'r']);
    assert.deepEqual(placeComment(commentHome(block, { start: 0, end: 3 }), movedBlock), {
      kind: 'same',
      lines: { start: 5, end: 8 },
    });
  });

  it('is gone when a short line, or one that is there twice, may stand elsewhere', () => {
    assert.equal(placeComment(commentHome('}\na\nb\nc', { start: 0, end: 1 }), 'a\nb\nc\n}').kind, 'gone');
    const twice = 'const answer = computeTheAnswer(question);';
    const text = textOf([twice, 'a', 'b', 'c']);
    const copied = textOf(['a', 'b', 'c', twice, 'd', twice]);
    assert.equal(placeComment(commentHome(text, { start: 0, end: 1 }), copied).kind, 'gone');
  });

  it('comes back with the text', () => {
    const other = placeComment(home(2), 'something\nelse');
    assert.equal(other.kind, 'gone');
    assert.equal(placeComment(home(2), textOf(['new', ...before])).kind, 'same');
  });

  describe('in a large text', () => {
    const large = Array.from({ length: 40_000 }, (_, at) => `${at}: a line of a large text`);
    const text = textOf(large);
    const largeHome = commentHome(text, { start: 20_000, end: 20_001 });

    it('stores only the lines and what is around them', () => {
      assert.equal(largeHome.isPart, true);
      assert.ok(largeHome.text.length < 1000);
      assert.deepEqual(placeComment(largeHome, text), { kind: 'same', lines: { start: 20_000, end: 20_001 } });
    });

    it('follows the lines, and names what replaced them', () => {
      const added = textOf(['new', ...large]);
      assert.deepEqual(placeComment(largeHome, added), { kind: 'same', lines: { start: 20_001, end: 20_002 } });
      const changed = textOf(large.with(20_000, 'another line'));
      assert.deepEqual(placeComment(largeHome, changed), {
        kind: 'changed',
        lines: { start: 20_000, end: 20_001 },
        before: '20000: a line of a large text',
        after: 'another line',
      });
      assert.equal(placeComment(largeHome, textOf(large.toSpliced(20_000, 1))).kind, 'gone');
    });
  });
});

/** One step of a writer. Positions are fractions of the text. */
type Step =
  | { readonly kind: 'insert'; readonly at: number; readonly count: number }
  | { readonly kind: 'remove'; readonly at: number; readonly count: number }
  | { readonly kind: 'edit'; readonly at: number }
  | { readonly kind: 'move'; readonly from: number; readonly to: number };

/** A line with the identity that a person sees in it: `id` stays, `version` grows with each edit. */
interface OracleLine {
  readonly id: number;
  readonly version: number;
  /** Whether it was taken from its place, and maybe put where others were replaced. */
  readonly isMoved?: boolean;
}

const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: fraction, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('remove' as const), at: fraction, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('edit' as const), at: fraction }),
  fc.record({ kind: fc.constant('move' as const), from: fraction, to: fraction }),
);

function apply(lines: readonly OracleLine[], change: Step, newId: () => number): OracleLine[] {
  const at = (share: number): number => Math.floor(share * lines.length);
  if (change.kind === 'insert') {
    const added = Array.from({ length: change.count }, () => ({ id: newId(), version: 0 }));
    return lines.toSpliced(at(change.at), 0, ...added);
  }
  if (change.kind === 'remove') return lines.toSpliced(at(change.at), change.count);
  if (change.kind === 'edit') {
    return lines.map((line, index) => (index === at(change.at) ? { ...line, version: line.version + 1 } : line));
  }
  const moved = lines[at(change.from)];
  return moved
    ? lines.toSpliced(at(change.from), 1).toSpliced(at(change.to), 0, { ...moved, isMoved: true })
    : [...lines];
}

const lineText = ({ id, version }: OracleLine): string =>
  `${uniqueLine(id)}${version === 0 ? '' : ` edited ${version}`}`;
const wholeText = (lines: readonly OracleLine[]): string => textOf(lines.map(lineText));

describe('the place of a comment, held against a person who knows each line', () => {
  it('is that line, or a version of it, or gone, whatever two writers do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 30 }),
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 12 }),
        (count, agent, user) => {
          let next = count;
          const newId = (): number => next++;
          const first: OracleLine[] = Array.from({ length: count }, (_, id) => ({ id, version: 0 }));
          // The writers take turns, as an agent and a user who edit one file at once do.
          const steps = [...agent.keys(), ...user.keys()].flatMap((at) => [agent[at] ?? [], user[at] ?? []].flat());
          const hasMoves = steps.some(({ kind }) => kind === 'move');
          const last = steps.reduce((lines: OracleLine[], change) => apply(lines, change, newId), first);
          const place = createPlacer({ text: wholeText(first), isPart: false }, wholeText(last));
          for (const [at, { id }] of first.entries()) {
            const found = place({ start: at, end: at + 1 });
            const now = last.findIndex((line) => line.id === id);
            const isUnchanged = last[now]?.version === 0;
            if (isUnchanged) {
              assert.deepEqual(found, { kind: 'same', lines: { start: now, end: now + 1 } });
            } else {
              assert.notEqual(found.kind, 'same');
              // A line that a person still knows is never given out as what became of another one. Without moves, also not an
              // edited one; with them, it may stand where another was, beside the line itself.
              const named = found.kind === 'changed' ? last.slice(found.lines.start, found.lines.end) : [];
              const others = named.filter((line) => line.id !== id && line.id < count);
              const strangers = others.filter(({ isMoved, version }) => !isMoved && (version === 0 || !hasMoves));
              assert.deepEqual(strangers, [], JSON.stringify(found));
            }
            // Another branch was checked out, and this one again.
            assert.equal(place({ start: at, end: at + 1 }).kind, found.kind);
          }
          const back = createPlacer({ text: wholeText(first), isPart: false }, wholeText(first));
          assert.deepEqual(back({ start: 0, end: 1 }), { kind: 'same', lines: { start: 0, end: 1 } });
        },
      ),
      { numRuns: 500 },
    );
  });
});
