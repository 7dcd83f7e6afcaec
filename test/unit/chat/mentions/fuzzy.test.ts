import assert from 'node:assert/strict';
import { findBestPaths } from '../../../../src/chat/common/mentions/fuzzy';

const candidates = (...paths: string[]) => paths.map((relative) => ({ relative, lower: relative.toLowerCase() }));
const none = { count: 10, bonus: () => 0 };

describe('finding paths by some letters', () => {
  const best = (query: string, ...paths: string[]): string[] =>
    findBestPaths(query, candidates(...paths), none).map(({ relative }) => relative);

  it('prefers the name over its folders, and its beginning over its middle', () => {
    assert.deepEqual(best('page', 'page/other.ts', 'src/mypage.ts', 'src/page.ts'), [
      'src/page.ts',
      'src/mypage.ts',
      'page/other.ts',
    ]);
  });

  it('takes the first letters of words, as people type them', () => {
    assert.equal(best('cp', 'src/scope.ts', 'src/chatPage.ts')[0], 'src/chatPage.ts');
    assert.equal(best('ed-po', 'lib/endpoint.ts', 'src/editor-port.ts')[0], 'src/editor-port.ts');
  });

  it('goes by folders when the query has some, and is none the worse for spaces and case', () => {
    assert.deepEqual(best('chat/page', 'src/chat/page.ts', 'src/page.ts'), ['src/chat/page.ts']);
    assert.deepEqual(best('Chat Page', 'src/chatPage.ts'), ['src/chatPage.ts']);
  });

  it('finds nothing where a letter is missing or comes too early', () => {
    assert.deepEqual(best('xyz', 'src/zyx.ts'), []);
  });

  it('gives no more than are asked for, and lifts what has a bonus', () => {
    const files = candidates(...Array.from({ length: 500 }, (_, index) => `src/file${index}.ts`));
    const found = findBestPaths('file', files, {
      count: 5,
      bonus: ({ relative }) => (relative === 'src/file42.ts' ? 12 : 0),
    });
    assert.equal(found.length, 5);
    assert.equal(found[0]?.relative, 'src/file42.ts');
  });
});
