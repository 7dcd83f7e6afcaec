import assert from 'node:assert/strict';
import { findBestPaths } from '../../../../src/chat/common/mentions/fuzzy';

const candidates = (...paths: string[]) => paths.map((relative) => ({ relative, lower: relative.toLowerCase() }));
const none = { count: 10, bonus: () => 0 };

describe('findBestPaths', () => {
  const best = (query: string, ...paths: string[]): string[] =>
    findBestPaths(query, candidates(...paths), none).map(({ relative }) => relative);

  it('prefers the file name over its folders, and the start of the name over its middle', () => {
    assert.deepEqual(best('page', 'page/other.ts', 'src/mypage.ts', 'src/page.ts'), [
      'src/page.ts',
      'src/mypage.ts',
      'page/other.ts',
    ]);
  });

  it('matches the first letters of words', () => {
    assert.equal(best('cp', 'src/scope.ts', 'src/chatPage.ts')[0], 'src/chatPage.ts');
    assert.equal(best('ed-po', 'lib/endpoint.ts', 'src/editor-port.ts')[0], 'src/editor-port.ts');
  });

  it('matches folders if the query contains any, and ignores whitespace and case', () => {
    assert.deepEqual(best('chat/page', 'src/chat/page.ts', 'src/page.ts'), ['src/chat/page.ts']);
    assert.deepEqual(best('Chat Page', 'src/chatPage.ts'), ['src/chatPage.ts']);
  });

  it('finds nothing if a letter is missing or comes too early', () => {
    assert.deepEqual(best('xyz', 'src/zyx.ts'), []);
  });

  it('returns at most the requested number, and prefers paths with a bonus', () => {
    const files = candidates(...Array.from({ length: 500 }, (_, index) => `src/file${index}.ts`));
    const found = findBestPaths('file', files, {
      count: 5,
      bonus: ({ relative }) => (relative === 'src/file42.ts' ? 12 : 0),
    });
    assert.equal(found.length, 5);
    assert.equal(found[0]?.relative, 'src/file42.ts');
  });
});
