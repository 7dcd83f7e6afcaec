import assert from 'node:assert/strict';
import { decodeHeads } from '../../../../../src/threads/node/files/headDecoder';
import { encodeHeads, mergeHeads, type StoredHead } from '../../../../../src/threads/node/files/headFile';
import { IndexFileError } from '../../../../../src/texts/node/files/indexFileError';
import { head } from '../../support/threadHead';

const stored = (path: string, title: string | null): StoredHead => ({
  file: { path, sizeBytes: 10, mtimeMs: 20.5 },
  head: title === null ? null : head(path, { title, path }),
});
const odd = '/home/kü "quoted"\\T-2\n.json';
const three = [stored('/a', 'One'), stored(odd, 'Two'), stored('/c', null)];
const titles = (content: Buffer): readonly (readonly [string, string | undefined])[] =>
  [...decodeHeads(content)].map(({ file, head: known }) => [file.path, known?.title]);

describe('the heads on disk', () => {
  it('come back as they were', () => assert.deepEqual([...decodeHeads(encodeHeads(three))], three));

  it('get new ones in the place of those of the same files, and more after them', () => {
    const merged = mergeHeads(encodeHeads(three), [stored(odd, 'Two again'), stored('/d', 'Four')], []);
    assert.deepEqual(titles(merged), [
      ['/a', 'One'],
      [odd, 'Two again'],
      ['/c', undefined],
      ['/d', 'Four'],
    ]);
  });

  it('lose those that are gone, and one that is gone and came back stays', () => {
    const merged = mergeHeads(encodeHeads(three), [stored('/a', 'Back')], ['/a', odd, '/unknown']);
    assert.deepEqual(titles(merged), [
      ['/c', undefined],
      ['/a', 'Back'],
    ]);
  });

  it('are the same as if all were written anew', () => {
    const next = [stored('/a', 'New'), ...three.slice(1)];
    assert.deepEqual(mergeHeads(encodeHeads(three), [stored('/a', 'New')], []), encodeHeads(next));
    assert.deepEqual(mergeHeads(encodeHeads([]), three, []), encodeHeads(three));
  });

  it('come back without the one whose line is not as it should be', () => {
    const odd = { ...stored('/b', 'Odd'), head: head('/b', { usage: { input: 2 ** 60 } }) };
    assert.deepEqual(titles(encodeHeads([...three.slice(0, 1), odd, ...three.slice(2)])), [
      ['/a', 'One'],
      ['/c', undefined],
    ]);
  });

  it('are not merged into a file that is damaged, of another version, or none', () => {
    const good = encodeHeads(three);
    const damaged = Buffer.from(good);
    damaged[damaged.length - 5] = 0x21;
    const newer = Buffer.from(good.toString().replace(/"version":\d+/, '"version":999'));
    for (const content of [damaged, newer, good.subarray(0, good.length - 3), Buffer.from(''), Buffer.from('{}\n')]) {
      assert.throws(() => mergeHeads(content, [], []), IndexFileError);
      assert.throws(() => [...decodeHeads(content)], IndexFileError);
    }
  });
});
