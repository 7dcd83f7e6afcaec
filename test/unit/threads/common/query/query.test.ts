import assert from 'node:assert/strict';
import { foldForSearch, foldWithPositions } from '../../../../../src/texts/common/fold';
import { matchDocument, scoreDocument } from '../../../../../src/texts/common/rank';
import { snippetOf } from '../../../../../src/texts/common/snippet';
import { findTerm } from '../../../../../src/texts/common/termMatch';
import { parseQuery } from '../../../../../src/texts/common/textQuery';
import { wordsOf } from '../../../../../src/texts/common/words';

const day = 24 * 3_600_000;

function finds(query: string, text: string): boolean {
  const { terms } = parseQuery(query);
  return terms.length > 0 && terms.every((term) => findTerm(foldForSearch(text), term) !== undefined);
}

describe('a query of threads', () => {
  it('folds case, accents, widths and final letters', () => {
    assert.equal(foldForSearch('Élan İstanbul ﬁ Ｗ ΣΟΦΟΣ'), 'elan istanbul fi w σοφοσ');
    assert.equal(foldForSearch('e\u0301'), 'e');
  });

  it('leads from folded text back to the original', () => {
    const folded = foldWithPositions('ﬁn é!');
    assert.equal(folded.text, 'fin e!');
    assert.deepEqual(
      [0, 1, 2, 4, 6].map((position) => folded.originOf(position)),
      [0, 0, 1, 3, 5],
    );
  });

  it('takes characters of scripts without spaces for words', () => {
    assert.deepEqual(wordsOf(foldForSearch('Foo_bar-2 検索x')), ['foo', 'bar', '2', '検', '索', 'x']);
  });

  it('finds whole words, and the beginning of the last one', () => {
    assert.ok(finds('fox qui', 'The quick fox'));
    assert.ok(!finds('qui fox', 'The quick fox'));
    assert.ok(!finds('ick', 'The quick fox'));
  });

  it('finds a phrase as it stands, whatever is between its words', () => {
    assert.ok(finds('"Quick fox"', 'the quick,\n  FOX'));
    assert.ok(!finds('"quick fo"', 'the quick fox'));
    assert.ok(finds('"quick fo', 'the quick fox'));
    assert.ok(!finds('"fox quick"', 'the quick fox'));
    assert.ok(finds('src/app.ts', 'see src/app.ts here'));
    assert.ok(!finds('src/app.ts', 'app src ts'));
    assert.ok(finds('"索検"', '検索検査'));
  });

  it('finds nothing for a query without words', () => {
    for (const query of ['', '  ', '"', '""', '—?!']) assert.deepEqual(parseQuery(query).terms, []);
  });

  it('finds a word too long to be indexed whole', () => {
    const hash = 'a1b2'.repeat(16);
    assert.ok(finds(`"${hash}"`, `commit ${hash} is bad`));
  });

  it('counts titles more than prompts, these more than answers, and new threads more than old ones', () => {
    const now = 1_000 * day;
    assert.ok(scoreDocument(['title'], now - 300 * day, now) > scoreDocument(['prompt'], now - 60 * day, now));
    assert.ok(scoreDocument(['prompt'], now, now) > scoreDocument(['answer'], now, now));
    assert.ok(scoreDocument(['answer'], now, now) > scoreDocument(['answer'], now - day, now));
    assert.equal(scoreDocument(['answer'], now + day, now), scoreDocument(['answer'], now, now));
    assert.ok(Number.isFinite(scoreDocument(['title'], 0, -5)));
  });

  it('wants all terms somewhere in the thread, and ranks its texts', () => {
    const texts = [
      { entryId: 'a', kind: 'answer', text: 'red and blue' },
      { entryId: 'p', kind: 'prompt', text: 'red' },
      { entryId: 'x', kind: 'answer', text: 'green' },
    ] as const;
    assert.equal(matchDocument(parseQuery('red violet'), 'Title', texts), undefined);
    const match = matchDocument(parseQuery('title red'), 'Title', texts);
    assert.deepEqual(match?.fields, ['title', 'prompt']);
    assert.deepEqual(
      match.texts.map(({ text }) => text.entryId),
      ['p', 'a'],
    );
  });
});

describe('a snippet', () => {
  const long = `${'before '.repeat(400)}the Naïve\n\tneedle 🧵 is here ${'after '.repeat(400)}`;

  it('shows a line around the match', () => {
    const text = snippetOf(long, parseQuery('"naive needle"'));
    assert.match(text, /^…before .*the Naïve needle 🧵 is here after.*…$/u);
    assert.ok(text.length >= 100 && text.length <= 170, text);
  });

  it('shows all of a short text', () => {
    assert.equal(snippetOf('one two one', parseQuery('one "one two"')), 'one two one');
  });

  it('shows the beginning when nothing matches', () => {
    assert.equal(snippetOf('short', parseQuery('nothing')), 'short');
    assert.equal(snippetOf('', parseQuery('nothing')), '');
  });

  it('never cuts a character in two', () => {
    const text = snippetOf('🧵'.repeat(500), parseQuery('x'));
    assert.ok(text.isWellFormed());
  });
});
