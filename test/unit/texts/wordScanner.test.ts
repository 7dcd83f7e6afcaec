import assert from 'node:assert/strict';
import fc from 'fast-check';
import { foldForSearch } from '../../../src/texts/common/fold';
import { wordsOf } from '../../../src/texts/common/words';
import { mayContainSequence, WordPairFilterBuilder } from '../../../src/texts/node/pairFilter';
import { copyWordInLowerCase, hashWord, WordScanner } from '../../../src/texts/node/wordScanner';
import { WordLookup } from '../../../src/texts/node/wordLookup';
import { WordTable } from '../../../src/texts/node/wordTable';

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        'src/app.ts',
        'naïve',
        'Straße',
        '検索',
        'ΣΟΦΟΣ',
        '\n',
        ' ',
        'x'.repeat(60),
        'Ab9_',
        'ﬁ',
        'e\u0301',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

function scanned(words: WordScanner, searched: string): readonly string[] {
  const bytes = Buffer.from(searched);
  words.scanWords(bytes, bytes.length === searched.length);
  return Array.from({ length: words.count }, (_, index) => {
    const to = Buffer.alloc(400);
    const [start = 0, end = 0] = [words.starts[index], words.ends[index]];
    const word = to.subarray(0, copyWordInLowerCase(words.bytes, start, end, to, 0));
    assert.deepEqual([words.firstHashes[index], words.secondHashes[index]], hashWord(word));
    return word.toString();
  });
}

describe('the words of a text, found in its bytes', () => {
  it('are those of the folded text', () => {
    const words = new WordScanner();
    fc.assert(
      fc.property(text, (searched) => {
        // Half of a character becomes another one in UTF-8.
        const whole = searched.toWellFormed();
        assert.deepEqual(scanned(words, whole), wordsOf(foldForSearch(whole)));
      }),
      { numRuns: 500 },
    );
  });

  it('may follow each other where they do', () => {
    const words = new WordScanner();
    const builder = new WordPairFilterBuilder();
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
        const all = texts.map((searched) => {
          const found = scanned(words, searched.toWellFormed());
          builder.addWordHashes(words.firstHashes, words.count);
          return found.map((word) => hashWord(Buffer.from(word))[0]);
        });
        const filter = builder.build();
        for (const hashes of all) assert.ok(mayContainSequence(filter, hashes));
      }),
    );
  });

  it('mostly may not where they do not, in long threads and in short ones', () => {
    const builder = new WordPairFilterBuilder();
    for (const count of [20, 1_000, 100_000]) {
      const hashes = Int32Array.from({ length: count }, (_, index) => hashWord(Buffer.from(`w${index}`))[0]);
      builder.addWordHashes(hashes, count);
      const filter = builder.build();
      const wrong = hashes.filter((hash, index) =>
        mayContainSequence(filter, [hash, hashes[(index + 7) % count] ?? 0]),
      ).length;
      assert.ok(wrong <= count * 0.15 + 3, `${wrong} of ${count}`);
      assert.ok(filter.length <= count * 4 + 8, `${filter.length} bytes for ${count} pairs`);
    }
  });
});

describe('the words of a segment', () => {
  it('lead to the threads that have them, each in its best field, also when they are copied', () => {
    const words = new WordScanner();
    const thread = fc.tuple(text, text);
    fc.assert(
      fc.property(fc.array(thread, { maxLength: 8 }), (threads) => {
        const table = new WordTable();
        const all = threads.map(([prompt, output], index) => {
          const said = scanned(words, prompt.toWellFormed());
          table.addScannedWords(words, index, 1);
          const work = scanned(words, output.toWellFormed());
          table.addScannedWords(words, index, 3);
          return { said, work };
        });
        const copied = new WordTable();
        copied.copyFrom(table.toWordIndex(), (index) => (index % 2 === 0 ? index / 2 : undefined));
        for (const word of new Set(all.flatMap(({ said, work }) => [...said, ...work]))) {
          for (const line of [`${word}\n`, String.fromCodePoint(word.codePointAt(0) ?? 0)]) {
            const has = (found: readonly string[]): boolean => found.some((one) => `${one}\n`.startsWith(line));
            const fields = all.map(({ said, work }) => (has(said) ? 2 : has(work) ? 4 : 0));
            assert.deepEqual(
              [...new WordLookup(line).bestFieldByDocument(table.toWordIndex(), all.length)],
              fields,
              line,
            );
            const even = fields.filter((_, index) => index % 2 === 0);
            assert.deepEqual(
              [...new WordLookup(line).bestFieldByDocument(copied.toWordIndex(), even.length)],
              even,
              line,
            );
          }
        }
      }),
    );
  });
});
