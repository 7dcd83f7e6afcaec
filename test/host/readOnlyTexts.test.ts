import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DisposableStore } from '../../src/base/common/disposable';
import { provideReadOnlyTexts, readOnlyTextUri } from '../../src/platform/vscode/readOnlyTexts';
import { eventually, until } from '../support/eventually';
import { closeAll } from './support/workspace';

/** Each has an error that VS Code's own extensions report. */
const faulty = new Map([
  ['a.ts', 'export const a: string = ;\n'],
  ['b.tsx', 'export const b: string = ;\n'],
  ['c.js', 'export const c = ;\n'],
  ['d.jsx', 'export const d = ;\n'],
  ['e.json', '{ "a": }\n'],
  ['f.jsonc', '{ "a": }\n'],
  ['g.css', 'a { color: }\n} {\n'],
  ['h.scss', 'a { color: }\n} {\n'],
  ['i.less', 'a { color: }\n} {\n'],
  ['j.html', '<script>const a = ;</script>\n'],
]);

describe('a text that is on no disk', () => {
  const ours = 'backline-texts-test';
  const plain = 'backline-plain-test';
  let store: DisposableStore;
  const textOf = (name: string): string => faulty.get(name) ?? '';

  beforeEach(() => {
    store = new DisposableStore();
    store.add(provideReadOnlyTexts(ours, textOf));
    store.add(
      vscode.workspace.registerTextDocumentContentProvider(plain, {
        provideTextDocumentContent: ({ query }) => textOf(query),
      }),
    );
  });
  afterEach(async () => {
    await closeAll();
    store.dispose();
  });

  for (const name of faulty.keys()) {
    it(`has a language but no problems: ${name}`, async () => {
      const uri = readOnlyTextUri(ours, `/texts/${name}`, name);
      await vscode.window.showTextDocument(uri, { preview: false });
      // Without the rule of the scheme it is validated.
      const other = readOnlyTextUri(plain, `/texts/${name}`, name);
      const { document } = await vscode.window.showTextDocument(other, { preview: false });
      await until('problems of the other text', () => vscode.languages.getDiagnostics(other).length > 0);
      await eventually('no problems', () => assert.deepEqual(vscode.languages.getDiagnostics(uri), []));
      const { languageId } = await vscode.workspace.openTextDocument(uri);
      assert.equal(languageId, `backline-${document.languageId}`);
      assert.ok((await vscode.languages.getLanguages()).includes(languageId), 'package.json has its colours');
    });
  }
});
