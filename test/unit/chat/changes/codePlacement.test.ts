import assert from 'node:assert/strict';
import { insertCodeIntoText } from '../../../../src/chat/common/changes/codePlacement';

const at = (offset: number) => ({ start: offset, end: offset });
const text = 'import a;\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n';

describe('placeCode', () => {
  it('replaces the whole of an empty or missing file', () => {
    assert.equal(insertCodeIntoText({ text: undefined, code: 'x', selection: undefined }), 'x\n');
  });

  it('replaces the selection', () => {
    const start = text.indexOf('  return 1;');
    const placed = insertCodeIntoText({
      text,
      code: '  return 3;',
      selection: { start, end: start + '  return 1;\n'.length },
    });
    assert.equal(placed, text.replace('return 1', 'return 3'));
  });

  it('replaces the lines from the first to the last line of the code', () => {
    const code = 'function two() {\n  return 22;\n}';
    const placed = insertCodeIntoText({ text, code, selection: { start: 0, end: 0 } });
    assert.equal(placed, text.replace('return 2;', 'return 22;'));
  });

  it('inserts after the line of the cursor if nothing else is known', () => {
    const placed = insertCodeIntoText({ text, code: 'const c = 1;', selection: { start: 3, end: 3 } });
    assert.equal(placed, text.replace('import a;\n', 'import a;\nconst c = 1;\n'));
  });

  it('keeps the line endings of the file', () => {
    const crlf = text.replaceAll('\n', '\r\n');
    const placed = insertCodeIntoText({ text: crlf, code: 'function two() {\n  return 22;\n}', selection: undefined });
    assert.equal(placed, crlf.replace('return 2;', 'return 22;'));
  });
});

describe('placeCode: selection', () => {
  const select = (selected: string, code: string): string => {
    const start = text.indexOf(selected);
    const placed = insertCodeIntoText({ text, code, selection: { start, end: start + selected.length } });
    return placed;
  };

  it('ends with a line break only if the selection did', () => {
    assert.equal(select('  return 1;\n', '  return 3;'), text.replace('return 1', 'return 3'));
    assert.equal(select('return 1', 'return 3'), text.replace('return 1', 'return 3'));
    assert.equal(select('  return 1;\n', '  return 3;\n'), text.replace('return 1', 'return 3'));
  });
});

describe('placeCode: lines that match the first and last line of the code', () => {
  const code = 'function one() {\n  return 11;\n}';
  const found = text.replace('return 1;', 'return 11;');

  it('are found despite trailing whitespace and blank lines around the code', () => {
    const placed = insertCodeIntoText({ text, code: `\n\n${code.replace('{', '{  ')}\n \n`, selection: at(0) });
    assert.equal(placed, found.replace('one() {', 'one() {  '));
  });

  it('are not used if the first line occurs twice in the file', () => {
    const twice = `${text}\nfunction one() {\n  return 5;\n}\n`;
    const placed = insertCodeIntoText({ text: twice, code, selection: undefined });
    assert.equal(placed, `${twice}${code}\n`);
  });

  it('are not used if the first line is not in the file', () => {
    const three = 'function three() {\n  return 3;\n}';
    assert.equal(insertCodeIntoText({ text, code: three, selection: undefined }), `${text}${three}\n`);
  });

  it('are not used if the last line comes only before the first, or is the first', () => {
    const before = 'end\nbegin\nmiddle\n';
    const reversed = insertCodeIntoText({ text: before, code: 'begin\nx\nend', selection: undefined });
    assert.equal(reversed, `${before}begin\nx\nend\n`);
    const single = insertCodeIntoText({ text: 'rule\nx\n', code: 'rule\ny\nrule', selection: undefined });
    assert.equal(single, 'rule\nx\nrule\ny\nrule\n');
  });

  it('are not searched for code of one line or none, but for code of two lines', () => {
    const one = insertCodeIntoText({ text: 'a\nb\n', code: 'a', selection: undefined });
    assert.equal(one, 'a\nb\na\n');
    assert.equal(insertCodeIntoText({ text: 'a\nb\n', code: ' \n', selection: undefined }), 'a\nb\n \n');
    const two = insertCodeIntoText({ text: 'x\na\nb\n', code: 'a\nb', selection: undefined });
    assert.equal(two, 'x\na\nb\n');
  });

  it('are replaced whatever surrounds them', () => {
    for (const above of ['', 'x\n']) {
      for (const below of ['', 'y\n']) {
        const whole = `${above}\n \nbegin\n1\nend\n\n${below}`;
        const placed = insertCodeIntoText({ text: whole, code: 'begin\n2\nend', selection: at(0) });
        assert.equal(placed, whole.replace('1', '2'));
      }
    }
  });
});

describe('placeCode: cursor', () => {
  it('inserts after the line of the cursor, or at the end of the file without a selection', () => {
    const inFirst = insertCodeIntoText({ text: 'a\nb\n', code: 'c', selection: at(0) });
    assert.equal(inFirst, 'a\nc\nb\n');
    assert.equal(insertCodeIntoText({ text: 'a\nb\n', code: 'c', selection: undefined }), 'a\nb\nc\n');
  });

  it('adds a line break if the last line has none', () => {
    assert.equal(insertCodeIntoText({ text: 'a\nb', code: 'c', selection: at(3) }), 'a\nb\nc\n');
    assert.equal(insertCodeIntoText({ text: 'a\nb', code: 'c\n', selection: undefined }), 'a\nb\nc\n');
  });
});

describe('placeCode: whole file', () => {
  it('replaces a file that contains only whitespace, and ends the code with one line break', () => {
    for (const code of ['x', 'x\n']) {
      assert.equal(insertCodeIntoText({ text: ' \n\n', code, selection: at(1) }), 'x\n');
    }
  });
});
