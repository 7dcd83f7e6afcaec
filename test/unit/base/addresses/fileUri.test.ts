import * as assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { decodePercentEscapes, toFileUri } from '../../../../src/base/common/addresses/fileUri';

describe('toFileUri', () => {
  const table: [path: string, uri: string][] = [
    ['/a/b.ts', 'file:///a/b.ts'],
    ['/with space/ä ö/#1?.ts', 'file:///with%20space/%C3%A4%20%C3%B6/%231%3F.ts'],
    ['/100%/a:b;c', 'file:///100%25/a%3Ab%3Bc'],
    ['/back\\slash', 'file:///back%5Cslash'],
    ['/', 'file:///'],
    ['C:\\Users\\me\\a b.ts', 'file:///C:/Users/me/a%20b.ts'],
    ['c:/mixed\\slashes.ts', 'file:///c:/mixed/slashes.ts'],
    ['\\\\server\\share\\dir\\f.ts', 'file://server/share/dir/f.ts'],
    ['/lone\ud800surrogate', 'file:///lone%EF%BF%BDsurrogate'],
  ];
  for (const [path, uri] of table) {
    it(`writes ${JSON.stringify(path)} as ${uri}`, () => {
      assert.equal(toFileUri(path), uri);
      assert.doesNotThrow(() => new URL(uri));
    });
  }

  it('is read back as the same path, whatever the name', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/[/\0]|^\.\.?$/u.test(name));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        const path = `/${segments.join('/')}`;
        assert.equal(fileURLToPath(toFileUri(path), { windows: false }), path);
      }),
    );
  });
});

describe('decodePercentEscapes', () => {
  it('takes percent signs as escapes', () => assert.equal(decodePercentEscapes('a%20b%C3%A4'), 'a bä'));
  it('leaves a text with a stray percent sign as it is', () =>
    assert.equal(decodePercentEscapes('100% a%20b'), '100% a%20b'));
});
