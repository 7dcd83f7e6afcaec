import assert from 'node:assert/strict';
import { manifestTextsOf, screenTextsOf } from '../../../scripts/lib/screenTexts.mjs';

function textsOf(source: string, file = 'src/a.tsx'): string[] {
  return screenTextsOf(file, source).map(({ line, text }) => `${line}: ${text}`);
}

describe('npm run strings', () => {
  it('finds sentences and titles, with what is filled in', () => {
    const source = "const a = 'Open a folder to start.';\nconst b = `Cannot reach ${url}. Check the address.`;\n";
    assert.deepEqual(textsOf(source), ['1: Open a folder to start.', '2: Cannot reach ${url}. Check the address.']);
  });

  it('finds labels of one word, in JSX and in objects', () => {
    const source =
      "const a = <a title='Close' class='big one two'>Refresh</a>;\nconst b = { label: 'Deny', id: 'Deny' };\n";
    assert.deepEqual(textsOf(source), ['1: Close', '1: Refresh', '2: Deny']);
  });

  it('leaves out imports, types, names and what is logged', () => {
    const source = [
      "import a from 'A module of somebody';",
      "type B = 'One of two words';",
      "const c = 'content_block:start';",
      "log.warn('Could not read the file');",
      'this.log.debug(`Read ${count} files of it`);',
    ].join('\n');
    assert.deepEqual(textsOf(source), []);
  });

  it('lists the texts of the manifest by their lines', () => {
    assert.deepEqual(manifestTextsOf('package.nls.json', '{\n  "a": "One",\n  "b": "Two"\n}\n'), [
      { file: 'package.nls.json', line: 2, text: 'One' },
      { file: 'package.nls.json', line: 3, text: 'Two' },
    ]);
  });
});
