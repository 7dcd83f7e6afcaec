import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineAround } from '../../../src/tools/common/text/lineTexts';
import { byNearness } from '../../../src/tools/common/search/nearness';
import { moreBelow, pageOf } from '../../../src/tools/common/text/pages';
import { pathName } from '../../../src/tools/common/text/pathNames';

describe('lists for models', () => {
  it('have the nearest files first: the same, its folder, then by steps; what others wrote last', () => {
    const paths = ['/w/b/c/d/x.ts', '/w/node_modules/p/a.ts', '/w/a/deep/x.ts', '/w/a/z.ts', '/w/x.ts', '/w/a/me.ts'];
    assert.deepEqual(byNearness(paths, '/w/a/me.ts'), [
      '/w/a/me.ts',
      '/w/a/z.ts',
      '/w/a/deep/x.ts',
      '/w/x.ts',
      '/w/b/c/d/x.ts',
      '/w/node_modules/p/a.ts',
    ]);
    assert.deepEqual(byNearness(paths, undefined).slice(0, 2), ['/w/x.ts', '/w/a/me.ts']);
  });

  it('have the same order whatever the order in which things were found', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'out'), { minLength: 1, maxLength: 4 })
      .map((parts) => `/w/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), path, (paths, anchor) => {
        const sorted = byNearness(paths, anchor);
        assert.deepEqual(byNearness(paths.toReversed(), anchor), sorted);
        assert.deepEqual(sorted.toSorted(), paths.toSorted());
        if (paths.includes(anchor)) assert.equal(sorted[0], anchor);
      }),
    );
  });

  it('come in pages that hold everything once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 7 }), (all, perPage) => {
        const first = pageOf(all, 1, perPage);
        const pages = Array.from({ length: first.pages }, (_, index) => pageOf(all, index + 1, perPage));
        assert.deepEqual(
          pages.flatMap(({ items }) => items),
          all,
        );
        pages.forEach((page, index) => {
          assert.equal(
            page.left,
            pages.slice(index + 1).reduce((sum, { items }) => sum + items.length, 0),
          );
          assert.equal(moreBelow(page, 'rows').length, index + 1 < pages.length ? 1 : 0);
        });
        assert.throws(() => pageOf(all, first.pages + 1, perPage), /the last one is/);
      }),
    );
  });

  it('have the part of a long line that matters, and never half a character', () => {
    assert.equal(lineAround('   short  ', 3), 'short');
    const long = `${'a'.repeat(500)}HERE${'b'.repeat(500)}`;
    assert.match(lineAround(long, 500), /^…a{60}HEREb+…$/);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('𝒳', 'x', ' ', '\t'), { maxLength: 900 }), fc.nat(1_000), (letters, at) => {
        const cut = lineAround(letters.join(''), at);
        assert.ok(cut.isWellFormed() && cut.length <= 202);
      }),
    );
  });

  it('name files so that they can be asked for again', () => {
    const folders = [
      { name: 'w', path: '/w' },
      { name: 'other', path: '/other' },
    ];
    assert.equal(pathName('/w/src/a.ts', { folders }), 'src/a.ts');
    assert.equal(pathName('/w', { folders }), '.');
    assert.equal(pathName('/other/a.ts', { folders }), '/other/a.ts');
    assert.equal(pathName('/w/odd\\name', { folders }), 'odd\\name');
    assert.equal(pathName('C:\\w\\src\\a.ts', { folders: [{ name: 'w', path: 'C:\\w' }] }), 'src/a.ts');
  });
});
