import assert from 'node:assert/strict';
import { placeCode } from '../../../src/chat/common/changes/codePlacement';

const at = (offset: number) => ({ start: offset, end: offset });
const text = 'import a;\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n';

describe('the place of code of an answer', () => {
  it('is the whole of a file that is empty or not there', () => {
    assert.equal(placeCode({ text: undefined, code: 'x', selection: undefined }), 'x\n');
  });

  it('is what is selected', () => {
    const start = text.indexOf('  return 1;');
    const placed = placeCode({ text, code: '  return 3;', selection: { start, end: start + '  return 1;\n'.length } });
    assert.equal(placed, text.replace('return 1', 'return 3'));
  });

  it('is the lines from its own first one to its last', () => {
    const code = 'function two() {\n  return 22;\n}';
    const placed = placeCode({ text, code, selection: { start: 0, end: 0 } });
    assert.equal(placed, text.replace('return 2;', 'return 22;'));
  });

  it('is the line behind the cursor when nothing says more', () => {
    const placed = placeCode({ text, code: 'const c = 1;', selection: { start: 3, end: 3 } });
    assert.equal(placed, text.replace('import a;\n', 'import a;\nconst c = 1;\n'));
  });

  it('keeps the line endings of the file', () => {
    const crlf = text.replaceAll('\n', '\r\n');
    const placed = placeCode({ text: crlf, code: 'function two() {\n  return 22;\n}', selection: undefined });
    assert.equal(placed, crlf.replace('return 2;', 'return 22;'));
  });
});

describe('the place of code of an answer: what is selected', () => {
  const select = (selected: string, code: string): string => {
    const start = text.indexOf(selected);
    const placed = placeCode({ text, code, selection: { start, end: start + selected.length } });
    return placed;
  };

  it('ends with a line break where the selection did, and only there', () => {
    assert.equal(select('  return 1;\n', '  return 3;'), text.replace('return 1', 'return 3'));
    assert.equal(select('return 1', 'return 3'), text.replace('return 1', 'return 3'));
    assert.equal(select('  return 1;\n', '  return 3;\n'), text.replace('return 1', 'return 3'));
  });
});

describe('the place of code of an answer: lines like its first and last', () => {
  const code = 'function one() {\n  return 11;\n}';
  const found = text.replace('return 1;', 'return 11;');

  it('are found whatever is behind them on the line, and blank lines around the code do not count', () => {
    const placed = placeCode({ text, code: `\n\n${code.replace('{', '{  ')}\n \n`, selection: at(0) });
    assert.equal(placed, found.replace('one() {', 'one() {  '));
  });

  it('are not taken when the first line stands in the file twice', () => {
    const twice = `${text}\nfunction one() {\n  return 5;\n}\n`;
    const placed = placeCode({ text: twice, code, selection: undefined });
    assert.equal(placed, `${twice}${code}\n`);
  });

  it('are not taken when the first line is not in the file', () => {
    const three = 'function three() {\n  return 3;\n}';
    assert.equal(placeCode({ text, code: three, selection: undefined }), `${text}${three}\n`);
  });

  it('are not taken when the last line comes only before the first, or is the first', () => {
    const before = 'end\nbegin\nmiddle\n';
    const reversed = placeCode({ text: before, code: 'begin\nx\nend', selection: undefined });
    assert.equal(reversed, `${before}begin\nx\nend\n`);
    const single = placeCode({ text: 'rule\nx\n', code: 'rule\ny\nrule', selection: undefined });
    assert.equal(single, 'rule\nx\nrule\ny\nrule\n');
  });

  it('are not looked for by code of one line or none, but by code of two', () => {
    const one = placeCode({ text: 'a\nb\n', code: 'a', selection: undefined });
    assert.equal(one, 'a\nb\na\n');
    assert.equal(placeCode({ text: 'a\nb\n', code: ' \n', selection: undefined }), 'a\nb\n \n');
    const two = placeCode({ text: 'x\na\nb\n', code: 'a\nb', selection: undefined });
    assert.equal(two, 'x\na\nb\n');
  });

  it('are replaced whatever is around them', () => {
    for (const above of ['', 'x\n']) {
      for (const below of ['', 'y\n']) {
        const whole = `${above}\n \nbegin\n1\nend\n\n${below}`;
        const placed = placeCode({ text: whole, code: 'begin\n2\nend', selection: at(0) });
        assert.equal(placed, whole.replace('1', '2'));
      }
    }
  });
});

describe('the place of code of an answer: the cursor', () => {
  it('is the line behind it, or the end of the file without a selection', () => {
    const inFirst = placeCode({ text: 'a\nb\n', code: 'c', selection: at(0) });
    assert.equal(inFirst, 'a\nc\nb\n');
    assert.equal(placeCode({ text: 'a\nb\n', code: 'c', selection: undefined }), 'a\nb\nc\n');
  });

  it('gets a line break of its own when the last line has none', () => {
    assert.equal(placeCode({ text: 'a\nb', code: 'c', selection: at(3) }), 'a\nb\nc\n');
    assert.equal(placeCode({ text: 'a\nb', code: 'c\n', selection: undefined }), 'a\nb\nc\n');
  });
});

describe('the place of code of an answer: the whole file', () => {
  it('is one that has blanks only, and the code ends with one line break', () => {
    for (const code of ['x', 'x\n']) {
      assert.equal(placeCode({ text: ' \n\n', code, selection: at(1) }), 'x\n');
    }
  });
});
