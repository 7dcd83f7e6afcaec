import assert from 'node:assert/strict';
import { placeCode } from '../../../../src/chat/common/codePlacement';
import { bestPaths } from '../../../../src/chat/common/mentions/fuzzy';

const candidates = (...paths: string[]) => paths.map((relative) => ({ relative, lower: relative.toLowerCase() }));
const none = { count: 10, bonus: () => 0 };

describe('finding paths by some letters', () => {
  const best = (query: string, ...paths: string[]): string[] =>
    bestPaths(query, candidates(...paths), none).map(({ relative }) => relative);

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
    const found = bestPaths('file', files, {
      count: 5,
      bonus: ({ relative }) => (relative === 'src/file42.ts' ? 12 : 0),
    });
    assert.equal(found.length, 5);
    assert.equal(found[0]?.relative, 'src/file42.ts');
  });
});

describe('where code of an answer goes', () => {
  const text = 'import a;\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n';

  it('is the whole of a file that is empty or not there', () => {
    assert.deepEqual(placeCode({ text: undefined, code: 'x', selection: undefined }), {
      text: 'x\n',
      placement: 'whole file',
    });
  });

  it('is what is selected', () => {
    const start = text.indexOf('  return 1;');
    const placed = placeCode({ text, code: '  return 3;', selection: { start, end: start + '  return 1;\n'.length } });
    assert.deepEqual(placed, { text: text.replace('return 1', 'return 3'), placement: 'selection' });
  });

  it('is the lines from its own first one to its last', () => {
    const code = 'function two() {\n  return 22;\n}';
    const placed = placeCode({ text, code, selection: { start: 0, end: 0 } });
    assert.deepEqual(placed, { text: text.replace('return 2;', 'return 22;'), placement: 'matching lines' });
  });

  it('is the line behind the cursor when nothing says more', () => {
    const placed = placeCode({ text, code: 'const c = 1;', selection: { start: 3, end: 3 } });
    assert.deepEqual(placed, { text: text.replace('import a;\n', 'import a;\nconst c = 1;\n'), placement: 'cursor' });
  });

  it('keeps the line endings of the file', () => {
    const crlf = text.replaceAll('\n', '\r\n');
    const placed = placeCode({ text: crlf, code: 'function two() {\n  return 22;\n}', selection: undefined });
    assert.equal(placed.text, crlf.replace('return 2;', 'return 22;'));
  });
});
