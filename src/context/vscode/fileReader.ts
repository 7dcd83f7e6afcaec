import * as vscode from 'vscode';
import { isEditorError, type EditorPort } from '../../editor/common/editorPort';
import { remoteUrlOf } from '../../platform/vscode/gitRepository';
import { codebaseOf } from '../common/codebase';
import type { ContextClient } from '../common/contextClient';
import type { LookupPlace } from '../common/contextLookups';
import { ContextReader, type ReadableFile } from '../common/contextReader';
import { isOfFile } from './places';

/** Where the user is, by a file that providers may know of. */
export async function lookupPlace(editor: Pick<EditorPort, 'resolve'>): Promise<LookupPlace> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const path = uri && (await readablePath(uri, editor));
  const remote = path === undefined ? undefined : await remoteUrlOf(path).catch(() => undefined);
  return { uri: path === undefined ? undefined : uri?.toString(), codebase: remote && codebaseOf(remote) };
}

/** What AI reads goes through the editor port's boundary: only files of the workspace, and none that is excluded. */
export function fileReader(client: ContextClient, editor: Pick<EditorPort, 'resolve'>): ContextReader {
  const mayRead = (uri: vscode.Uri): Promise<string | undefined> => readablePath(uri, editor);
  return new ContextReader({
    client,
    open: async (path) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(await editor.resolve(path)));
      return readable(document);
    },
    active: async () => {
      const document = vscode.window.activeTextEditor?.document;
      return document && (await mayRead(document.uri)) !== undefined ? readable(document) : undefined;
    },
    pathOf: async (uri) => {
      const parsed = vscode.Uri.parse(uri);
      return (await mayRead(parsed)) === undefined ? undefined : parsed.fsPath;
    },
  });
}

/** Undefined for what is no file of this disk, or none for agents. */
async function readablePath(uri: vscode.Uri, editor: Pick<EditorPort, 'resolve'>): Promise<string | undefined> {
  if (!isOfFile(uri)) return undefined;
  try {
    return await editor.resolve(uri.fsPath);
  } catch (error) {
    if (isEditorError(error)) return undefined;
    throw error;
  }
}

function readable(document: vscode.TextDocument): ReadableFile {
  const { uri, version } = document;
  return {
    path: uri.fsPath,
    name: uri.path.split('/').at(-1) ?? uri.path,
    document: { uri: uri.toString(), version, getText: () => document.getText() },
  };
}
