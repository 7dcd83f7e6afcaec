import assert from 'node:assert/strict';
import { EditorError } from '../../../../src/editor/common/editorPort';
import {
  innermostFolder,
  isPathTypableInTerminal,
  formatMention,
  explainUnmentionableFile,
} from '../../../../src/amp/common/ampMention';
import type { Range } from '../../../../src/editor/common/editorPort';

const range = (startLine: number, startCharacter: number, endLine: number, endCharacter: number): Range => ({
  start: { line: startLine, character: startCharacter },
  end: { line: endLine, character: endCharacter },
});

describe('a mention', () => {
  const lines: [string, Range, string][] = [
    ['nothing for a cursor', range(11, 4, 11, 4), '@src/a.ts'],
    ['one line', range(11, 4, 11, 9), '@src/a.ts#L12'],
    ['several lines', range(11, 4, 44, 1), '@src/a.ts#L12-45'],
    ['whole lines, without the one where the cursor ended up', range(11, 0, 45, 0), '@src/a.ts#L12-45'],
    ['a whole line', range(11, 0, 12, 0), '@src/a.ts#L12'],
  ];
  for (const [what, selection, expected] of lines) {
    it(`names ${what}`, () => assert.equal(formatMention('/ws/src/a.ts', selection, '/ws'), expected));
  }

  const cursor = range(0, 0, 0, 0);

  it('is relative to the folder, with or without a slash at its end', () => {
    assert.equal(formatMention('/a.ts', cursor, '/'), '@a.ts');
    assert.equal(formatMention('/ws/ä b.ts', cursor, '/ws/'), '@"ä b.ts"');
  });

  it('shows where a name with white space or quotes ends', () => {
    assert.equal(formatMention('/ws/my songs/a.ts', range(1, 0, 1, 2), '/ws'), '@"my songs/a.ts"#L2');
    assert.equal(formatMention('/ws/"a".ts', cursor, '/ws'), '@"\\"a\\".ts"');
  });

  it('uses / on Windows, and keeps a \\ that belongs to a name elsewhere', () => {
    assert.equal(formatMention('C:\\ws\\src\\a.ts', cursor, 'C:\\ws'), '@src/a.ts');
    assert.equal(formatMention('/ws/a\\b.ts', cursor, '/ws'), '@a\\b.ts');
  });

  it('names a file of another folder in full', () => {
    assert.equal(formatMention('/ws2/a.ts', cursor, '/ws'), '@/ws2/a.ts');
    assert.equal(formatMention('/ws/a.ts', cursor, undefined), '@/ws/a.ts');
  });
});

describe('a path to type', () => {
  it('has no character that a terminal treats as a key', () => {
    assert.ok(isPathTypableInTerminal('/ws/ä b(1)\\😀.ts'));
    for (const character of ['\n', '\r', '\t', '\x1b', '\x03', '\x7f', '\x9b', '\u2028'])
      assert.ok(!isPathTypableInTerminal(`/ws/a${character}b.ts`), JSON.stringify(character));
  });
});

describe('the closest folder', () => {
  it('is the innermost one that has the file', () => {
    assert.equal(innermostFolder('/ws/web/a.ts', ['/ws', '/ws/web', '/ws/we']), '/ws/web');
    assert.equal(innermostFolder('/other/a.ts', ['/ws']), undefined);
  });
});

describe('why a file is not offered to Amp', () => {
  it('reports which of the reasons it is', () => {
    const why = (code: 'excluded' | 'outsideWorkspace' | 'io'): string =>
      explainUnmentionableFile('.env', new EditorError(code, 'It cannot be resolved.'));
    assert.match(why('excluded'), /^\.env is excluded by the setting backline\.exclude/u);
    assert.match(why('outsideWorkspace'), /^\.env is outside the workspace folders/u);
    assert.equal(why('io'), 'It cannot be resolved.');
    assert.match(explainUnmentionableFile('a.ts', undefined), /not the active editor/u);
  });
});
