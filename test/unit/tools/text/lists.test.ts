import assert from 'node:assert/strict';
import fc from 'fast-check';
import { shortenLineAround } from '../../../../src/tools/common/text/lineTexts';
import { sortByNearness } from '../../../../src/tools/common/search/nearness';
import { pageFooter, selectPage } from '../../../../src/tools/common/text/pages';
import { displayPath } from '../../../../src/tools/common/text/displayPath';

describe('lists for models', () => {
  it('have the nearest files first: the same, its folder, then by steps; what others wrote last', () => {
    const paths = ['/w/b/c/d/x.ts', '/w/node_modules/p/a.ts', '/w/a/deep/x.ts', '/w/a/z.ts', '/w/x.ts', '/w/a/me.ts'];
    assert.deepEqual(sortByNearness(paths, '/w/a/me.ts'), [
      '/w/a/me.ts',
      '/w/a/z.ts',
      '/w/a/deep/x.ts',
      '/w/x.ts',
      '/w/b/c/d/x.ts',
      '/w/node_modules/p/a.ts',
    ]);
    assert.deepEqual(sortByNearness(paths, undefined).slice(0, 2), ['/w/x.ts', '/w/a/me.ts']);
  });

  it('have the same order whatever the order in which things were found', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'out'), { minLength: 1, maxLength: 4 })
      .map((parts) => `/w/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), path, (paths, anchor) => {
        const sorted = sortByNearness(paths, anchor);
        assert.deepEqual(sortByNearness(paths.toReversed(), anchor), sorted);
        assert.deepEqual(sorted.toSorted(), paths.toSorted());
        if (paths.includes(anchor)) assert.equal(sorted[0], anchor);
      }),
    );
  });

  it('come in pages that hold everything once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 7 }), (all, perPage) => {
        const first = selectPage(all, 1, perPage);
        const pages = Array.from({ length: first.pageCount }, (_, index) => selectPage(all, index + 1, perPage));
        assert.deepEqual(
          pages.flatMap(({ items }) => items),
          all,
        );
        pages.forEach((page, index) => {
          assert.equal(
            page.remainingCount,
            pages.slice(index + 1).reduce((sum, { items }) => sum + items.length, 0),
          );
          assert.equal(pageFooter(page, 'rows').length, index + 1 < pages.length ? 1 : 0);
        });
        assert.throws(() => selectPage(all, first.pageCount + 1, perPage), /the last one is/);
      }),
    );
  });

  it('have the part of a long line that matters, and never half a character', () => {
    assert.equal(shortenLineAround('   short  ', 3), 'short');
    const long = `${'a'.repeat(500)}HERE${'b'.repeat(500)}`;
    assert.match(shortenLineAround(long, 500), /^…a{60}HEREb+…$/);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('𝒳', 'x', ' ', '\t'), { maxLength: 900 }), fc.nat(1_000), (letters, at) => {
        const cut = shortenLineAround(letters.join(''), at);
        assert.ok(cut.isWellFormed() && cut.length <= 202);
      }),
    );
  });

  it('name files in a form that tools accept', () => {
    const folders = [
      { name: 'w', path: '/w' },
      { name: 'other', path: '/other' },
    ];
    assert.equal(displayPath('/w/src/a.ts', { folders }), 'src/a.ts');
    assert.equal(displayPath('/w', { folders }), '.');
    assert.equal(displayPath('/other/a.ts', { folders }), '/other/a.ts');
    assert.equal(displayPath('/w/odd\\name', { folders }), 'odd\\name');
    assert.equal(displayPath('C:\\w\\src\\a.ts', { folders: [{ name: 'w', path: 'C:\\w' }] }), 'src/a.ts');
  });
});
