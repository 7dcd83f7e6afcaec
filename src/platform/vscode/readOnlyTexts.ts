import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';

/**
 * VS Code's own extensions validate documents of these languages whatever their scheme, and would report problems in a text
 * that stands alone. package.json has a language for each with the same colours and nothing else. Other extensions
 * validate files only.
 */
const validatedLanguages: ReadonlySet<string> = new Set([
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
  'json',
  'jsonc',
  'css',
  'scss',
  'less',
  'html',
]);

/**
 * Serves read-only texts that are on no disk to VS Code's own editors. The query of a URI says which text is meant; its
 * path only names it, so that editors colour it like a file of that name. Dispose the result to take them away.
 */
export function provideTexts(scheme: string, textOf: (query: string) => string | Promise<string>): Disposable {
  const store = new DisposableStore();
  store.add(vscode.workspace.onDidOpenTextDocument(onlyColour));
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: async ({ query }) => {
        try {
          return await textOf(query);
        } catch (error) {
          // Nobody hears an error of a provider: what cannot be shown says so in its own editor.
          return messageOf(error);
        }
      },
    }),
  );
  for (const document of vscode.workspace.textDocuments) onlyColour(document);
  return store;

  function onlyColour(document: vscode.TextDocument): void {
    if (document.uri.scheme !== scheme || !validatedLanguages.has(document.languageId)) return;
    vscode.languages.setTextDocumentLanguage(document, `backline-${document.languageId}`).then(undefined, () => {
      // It was closed meanwhile.
    });
  }
}

/** `path` is absolute, or a name. */
export function textUri(scheme: string, path: string, query: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme, query });
}
