import assert from 'node:assert/strict';
import { LanguageTable } from '../../../../../src/amplifier/common/context/languageTable';

const contributes = (...languages: unknown[]) => ({ contributes: { languages } });

describe('the language of a file that VS Code has not loaded', () => {
  const table = new LanguageTable([
    contributes(
      { id: 'typescript', extensions: ['.ts', '.CTS'] },
      { id: 'declarations', extensions: ['.d.ts'] },
      { id: 'makefile', filenames: ['Makefile'], extensions: ['.mk'] },
    ),
    contributes({ id: 'other', extensions: ['.ts'] }),
  ]);

  for (const [path, language] of [
    ['/ws/a.ts', 'typescript'],
    ['/ws/a.test.cts', 'typescript'],
    ['/ws/a.d.ts', 'declarations'],
    ['C:\\ws\\A.TS', 'typescript'],
    ['/ws/Makefile', 'makefile'],
    ['/ws.ts/Makefile.txt', undefined],
    ['/ws/.ts', 'typescript'],
    ['/ws/none', undefined],
  ] as const) {
    it(`of ${path} is ${language ?? 'not known'}`, () => assert.equal(table.languageOf(path), language));
  }

  it('ignores invalid manifests', () => {
    const odd = [
      null,
      {},
      { contributes: { languages: 'x' } },
      contributes(null, { id: 1 }, { id: 'x', extensions: 1 }),
    ];
    assert.equal(new LanguageTable(odd).languageOf('/ws/a.ts'), undefined);
  });
});
