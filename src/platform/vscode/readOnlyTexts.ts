import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';

/**
 * Serves read-only texts that are on no disk to VS Code's own editors. The query of a URI says which text is meant; its
 * path only names it, so that editors colour it like a file of that name. Dispose the result to take them away.
 */
export function provideTexts(scheme: string, textOf: (query: string) => string | Promise<string>): Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: async ({ query }) => {
      try {
        return await textOf(query);
      } catch (error) {
        // Nobody hears an error of a provider: what cannot be shown says so in its own editor.
        return messageOf(error);
      }
    },
  });
}

/** `path` is absolute, or a name. */
export function textUri(scheme: string, path: string, query: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme, query });
}
