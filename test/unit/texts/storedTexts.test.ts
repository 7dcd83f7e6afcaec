import assert from 'node:assert/strict';
import { foldForSearch } from '../../../src/texts/common/fold';
import { findTerm } from '../../../src/texts/common/termMatch';
import { parseQuery } from '../../../src/texts/common/textQuery';
import { GrowableBuffer } from '../../../src/texts/node/growableBuffer';
import { IndexFileError } from '../../../src/texts/node/files/indexFileError';
import { encodeTexts, StoredTexts } from '../../../src/texts/node/storedTexts';
import { WordScanner } from '../../../src/texts/node/wordScanner';

function stored(...texts: readonly string[]): StoredTexts {
  return new StoredTexts(encoded(texts));
}

function encoded(texts: readonly string[]): Buffer {
  const scan = new WordScanner();
  const searched = texts.map((text, index) => ({ entryId: `m${index}`, kind: kinds[index % 3] ?? 'prompt', text }));
  const arena = new GrowableBuffer();
  encodeTexts(searched, arena, (bytes, isAscii) => {
    scan.scanWords(bytes, isAscii);
    return scan.hiddenWords;
  });
  return Buffer.from(arena.content);
}

const kinds = ['prompt', 'output', 'answer'] as const;

/** Each query is one term. */
const mayHave = (texts: StoredTexts, ...queries: readonly string[]): readonly number[] => [
  ...texts.possibleTermMasks(queries.flatMap((query) => parseQuery(query).terms)),
];

describe('the stored texts of a thread', () => {
  it('come back as they were, those that are wanted', () => {
    const texts = stored('Élan “vital”\n', '', '検索 🧵', 'last');
    assert.deepEqual(
      texts.readTexts((index) => index !== 1),
      [
        { entryId: 'm0', kind: 'prompt', text: 'Élan “vital”\n' },
        { entryId: 'm2', kind: 'answer', text: '検索 🧵' },
        { entryId: 'm3', kind: 'prompt', text: 'last' },
      ],
    );
    assert.deepEqual(
      stored().readTexts(() => true),
      [],
    );
  });

  it('report which of them may have a term, by the beginnings of words', () => {
    const texts = stored('A Needle', 'needles and pins', 'pineedle', '', 'pins');
    assert.deepEqual(mayHave(texts, 'needle', 'pins', '"and pins"'), [1, 7, 0, 0, 2]);
  });

  it('have a phrase only as it stands, if they are ASCII', () => {
    const texts = stored('open THE\n  door', 'the door, open', 'open, the', 'door', 'open the doors', 'open the doo');
    assert.deepEqual(mayHave(texts, '"open the door"', '"the door'), [3, 2, 0, 0, 2, 0]);
    assert.deepEqual(mayHave(stored('door the – open', 'dóor the open', 'the open'), '"open the door"'), [1, 1, 0]);
  });

  it('do not take the end of one for the beginning of the next', () => {
    assert.deepEqual(mayHave(stored('un', 'do', 'it'), 'undo'), [0, 0, 0]);
    assert.deepEqual(mayHave(stored('un', 'do', 'it'), 'do'), [0, 1, 0]);
  });

  // What a search finds must not be lost for the sake of speed, whatever folding makes of a text.
  const awkward = [
    'naïve Straße',
    'e\u0301lan vi\u0301tal',
    'ﬁne ﬁabв',
    'Ｗide１２',
    '300\u212a and İstanbul',
    'xnaive naïve',
    'déjà-vu—foo_bar',
    '検索x 検査 ΣΟΦΟΣ σοφος',
    'абвfoo фооfoo',
    '½ cup, x² – “quoted”',
    '🧵thread\u200djoin a\u00adb',
  ];
  for (const text of awkward) {
    it(`lose nothing that a search finds in ${JSON.stringify(text)}`, () => {
      const folded = foldForSearch(text);
      const texts = stored('before', text, 'after');
      for (let start = 0; start < folded.length; start++) {
        for (let end = start + 1; end <= folded.length; end++) {
          const { terms } = parseQuery(folded.slice(start, end));
          for (const term of terms.filter((one) => findTerm(folded, one) !== undefined))
            assert.equal(texts.possibleTermMasks([term])[1], 1, JSON.stringify(term));
        }
      }
    });
  }

  it('are no texts when they are cut off or something else', () => {
    const good = encoded(['some', 'texts']);
    for (const content of [Buffer.alloc(0), good.subarray(0, good.length - 1), Buffer.alloc(100, 0x7f)])
      assert.throws(() => new StoredTexts(content), IndexFileError);
    for (const ids of ['"m0 \n"m1"', '"m0"  "m1"']) {
      const damaged = Buffer.from(good.toString('latin1').replace('"m0"\n"m1"', ids), 'latin1');
      assert.throws(() => new StoredTexts(damaged).readTexts(() => true), IndexFileError);
    }
  });
});
