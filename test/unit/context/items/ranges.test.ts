import assert from 'node:assert/strict';
import type { ContextItem, ItemRange } from '../../../../src/context/common/items/contextItem';
import { itemsAt, searchItems } from '../../../../src/context/common/items/itemQueries';
import { ItemList } from '../../../../src/context/common/items/itemList';
import { fitItemsToDocument, isPositionBefore, measureLines } from '../../../../src/context/common/items/itemRanges';
import { shiftItems, type TextChange } from '../../../../src/context/common/items/itemShift';
import { itemListOf, packedOf, unpacked } from '../support/contextHarness';

const provider = { id: 'p', title: 'P' };

function rangeOf(text: string): ItemRange {
  const [startLine = 0, start = 0, endLine = 0, end = 0] = text.split(/[:-]/).map(Number);
  return { start: { line: startLine, character: start }, end: { line: endLine, character: end } };
}

function textOf({ start, end }: ItemRange): string {
  return `${start.line}:${start.character}-${end.line}:${end.character}`;
}

const itemAt = (range: string, title = range): ContextItem => ({ title, provider, range: rangeOf(range) });

describe('the ranges of items', () => {
  const text = 'one\ntwo\r\n\rfour';

  const place = (range: ItemRange): string | undefined => {
    const placedItems = fitItemsToDocument(packedOf({ title: 't', range }), measureLines(text));
    const placed = unpacked(placedItems)[0]?.range;
    if (!placed) return undefined;
    return textOf(placed) + (placedItems.notes.length > 0 ? ' cut' : '');
  };

  it('count lines that end in LF, CRLF and CR', () => {
    assert.deepEqual(measureLines(text).lengths, [3, 3, 0, 4]);
    assert.deepEqual(measureLines('a\n').lengths, [1, 0]);
  });

  it('stay as they are inside of the file', () => {
    assert.equal(place(rangeOf('0:0-3:4')), '0:0-3:4');
    assert.equal(place(rangeOf('1:3-1:3')), '1:3-1:3');
  });

  it('are cut where they reach out of it', () => {
    assert.equal(place(rangeOf('0:1-0:99')), '0:1-0:3 cut');
    assert.equal(place(rangeOf('0:9-2:0')), '0:3-2:0 cut');
    assert.equal(place(rangeOf('3:0-4:0')), '3:0-3:4 cut');
    assert.equal(place(rangeOf(`0:0-${2 ** 31}:0`)), '0:0-3:4 cut');
  });

  for (const [says, start, end] of [
    ['negative lines', { line: -1, character: 0 }, { line: 0, character: 1 }],
    ['negative characters', { line: 0, character: -1 }, { line: 0, character: 1 }],
    ['lines behind the end', { line: 4, character: 0 }, { line: 4, character: 1 }],
    ['huge positions', { line: 1e300, character: 0 }, { line: 1e300, character: 1 }],
    ['halves of characters', { line: 0, character: 0.5 }, { line: 0, character: 1 }],
    ['an end before the start', { line: 1, character: 2 }, { line: 1, character: 1 }],
  ] as const) {
    it(`lose their item for ${says}`, () => assert.equal(place({ start, end }), undefined));
  }

  it('are reported if they were adjusted', () => {
    const items = [
      { title: 'a', range: rangeOf('9:0-9:1') },
      { title: 'b', range: rangeOf('0:0-0:9') },
      { title: 'c' },
    ];
    const { notes } = fitItemsToDocument(packedOf(...items), measureLines(text));
    assert.deepEqual(
      notes.map((note) => note.slice(0, 8)),
      ['1 range ', '1 item w'],
    );
  });
});

describe('the ranges of items in a text with CRLF', () => {
  it('may hold the carriage return of their line, as providers count that split at LF', () => {
    const text = 'one\r\n\r\nthree\r\n';
    const ofLines = text.split('\n').map((line, index) => ({
      title: 'line',
      range: { start: { line: index, character: 0 }, end: { line: index, character: line.length } },
    }));
    const packed = fitItemsToDocument(packedOf(...ofLines), measureLines(text));
    assert.deepEqual(
      unpacked(packed).map(({ range }) => range && textOf(range)),
      ['0:0-0:3', '1:0-1:0', '2:0-2:5', '3:0-3:0'],
    );
    assert.deepEqual(packed.notes, []);
    const further = fitItemsToDocument(packedOf({ title: 't', range: rangeOf('0:0-0:5') }), measureLines(text));
    assert.match(further.notes.join(), /^1 range was shortened/);
  });
});

describe('items during edits', () => {
  const change = (range: string, text: string): TextChange => ({ range: rangeOf(range), text });
  const shifted = (range: string, ...changes: TextChange[]): string | undefined => {
    const [item] = unpacked(shiftItems(packedOf({ title: 't', range: rangeOf(range) }), changes));
    const found = item?.range;
    return found && textOf(found);
  };

  it('move down when a line comes before them', () => {
    assert.equal(shifted('2:1-2:5', change('0:0-0:0', 'new\n')), '3:1-3:5');
  });

  it('move within their line', () => {
    assert.equal(shifted('2:4-2:8', change('2:0-2:2', 'abcd')), '2:6-2:10');
    assert.equal(shifted('2:4-3:1', change('1:3-2:2', '')), '1:5-2:1');
    assert.equal(shifted('2:4-2:8', change('2:1-2:1', 'a\nbc')), '3:5-3:9');
  });

  it('stay when the edit is behind them', () => {
    assert.equal(shifted('2:1-2:5', change('2:6-9:0', '')), '2:1-2:5');
    assert.equal(shifted('2:1-2:5', change('3:0-3:0', 'x\n')), '2:1-2:5');
  });

  it('grow with what is typed inside of them, not with what is typed at their borders', () => {
    assert.equal(shifted('2:1-2:5', change('2:3-2:3', 'xy')), '2:1-2:7');
    assert.equal(shifted('2:1-2:5', change('2:1-2:1', 'xy')), '2:3-2:7');
    assert.equal(shifted('2:1-2:5', change('2:5-2:5', 'xy')), '2:1-2:5');
  });

  it('shrink when a part of them is replaced', () => {
    assert.equal(shifted('2:1-2:5', change('2:0-2:3', 'z')), '2:1-2:3');
    assert.equal(shifted('2:1-2:5', change('2:3-2:9', '')), '2:1-2:3');
  });

  it('go when all of them is replaced', () => {
    assert.equal(shifted('2:1-2:5', change('2:0-2:9', 'other')), undefined);
    assert.equal(shifted('2:1-2:5', change('2:1-2:5', 'other')), undefined);
  });

  it('follow several changes of one edit, in any order', () => {
    const first = change('0:0-0:0', 'a\n');
    const second = change('2:0-2:0', '  ');
    assert.equal(shifted('2:1-2:5', first, second), '3:3-3:7');
    assert.equal(shifted('2:1-2:5', second, first), '3:3-3:7');
  });

  it('stay where they are without a range', () => {
    const items = [{ title: 'w', hover: { text: 'about it' } }];
    assert.deepEqual(unpacked(shiftItems(packedOf(...items), [change('0:0-9:9', '')])), items);
  });
});

describe('questions to a list of items', () => {
  const whole: ContextItem = { title: 'About the file', provider, aiContent: 'Owned by Alice' };
  const items = [itemAt('0:0-9:0', 'large'), itemAt('1:0-1:9', 'line'), itemAt('1:2-1:4', 'word'), whole];

  it('find what is at a position, the smallest first, the end included', () => {
    const at = (line: number, character: number): string[] =>
      itemsAt(itemListOf(items), { line, character }).map(({ title }) => title);
    assert.deepEqual(at(1, 3), ['word', 'line', 'large']);
    assert.deepEqual(at(1, 4), ['word', 'line', 'large']);
    assert.deepEqual(at(1, 5), ['line', 'large']);
    assert.deepEqual(at(9, 1), []);
  });

  it('find what is about the whole file', () => assert.deepEqual(itemListOf(items).wholeFileItems(), [whole]));

  it('leave the list as it was given', () => assert.deepEqual([...itemListOf(items)], items));

  it('find words in any text, titles first', () => {
    const titled = itemAt('0:0-0:1', 'alice owned this');
    assert.deepEqual(searchItems([...items, titled], 'ALICE  owned'), [titled, whole]);
    assert.deepEqual(searchItems(items, 'bob'), []);
  });
});

describe('the items at a place', () => {
  it('are found among thousands, whatever their order, as by looking at each', () => {
    const rangeNumber = (index: number): ContextItem => {
      const line = (index * 7_919) % 4_000;
      const item = itemAt(`${line}:${index % 9}-${line + (index % 50)}:${index % 5}`, `${index}`);
      return index % 11 === 0 ? { title: item.title, provider } : item;
    };
    const items = Array.from({ length: 3_000 }, (_, index) => rangeNumber(index));
    const list = new ItemList([{ provider, packed: packedOf(...items) }]);
    for (const place of ['0:0-0:0', '17:3-17:3', '1999:4-2001:0', '3999:0-3999:9', '4049:0-4049:0', '5000:0-5000:0']) {
      const { start, end } = rangeOf(place);
      const expected = items.filter(
        ({ range }) => range && !isPositionBefore(range.end, start) && !isPositionBefore(end, range.start),
      );
      assert.deepEqual(
        list.itemsTouching({ start, end }).map(({ title }) => title),
        expected.map(({ title }) => title),
        place,
      );
    }
    assert.equal(list.itemsTouching(rangeOf('17:3-17:3')).length > 0, true);
  });
});
