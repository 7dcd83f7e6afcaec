import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';

/**
 * Languages for which VS Code's built-in extensions validate documents of any scheme, which would report false
 * problems. For each of them, package.json contributes a `backline-…` language that only has the same syntax
 * highlighting.
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
 * Provides read-only virtual documents. The query of a URI identifies the text, and the path determines its title and
 * language.
 * Disposing the result unregisters the provider.
 */
export function provideReadOnlyTexts(scheme: string, textOf: (query: string) => string | Promise<string>): Disposable {
  const store = new DisposableStore();
  store.add(vscode.workspace.onDidOpenTextDocument(onlyColour));
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: async ({ query }) => {
        try {
          return await textOf(query);
        } catch (error) {
          // VS Code hides errors of content providers, so the error is shown as the text.
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
      // The document was closed in the meantime.
    });
  }
}

/** Returns the URI of a document. `path` is an absolute path or a file name. */
export function readOnlyTextUri(scheme: string, path: string, query: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme, query });
}
