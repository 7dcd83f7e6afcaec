import * as vscode from 'vscode';
import { isEditorError, type EditorPort } from '../../editor/common/editorPort';
import { findRemoteUrl } from '../../platform/vscode/git/gitRepository';
import { codebaseNameOf } from '../common/ai/codebase';
import type { ContextClient } from '../common/contextClient';
import type { ActiveFileAndRepository } from '../common/ai/contextLookups';
import { ContextReader, type ReadableFile } from '../common/ai/contextReader';
import { isFileOrCell } from './editorPlaces';

/** Returns the active file and its repository, if providers may access them. */
export async function findActiveFileLocation(editor: Pick<EditorPort, 'resolve'>): Promise<ActiveFileAndRepository> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const path = uri && (await readablePath(uri, editor));
  const remote = path === undefined ? undefined : await findRemoteUrl(path).catch(() => undefined);
  return { uri: path === undefined ? undefined : uri?.toString(), codebase: remote && codebaseNameOf(remote) };
}

/** Reads files through the editor port, so only workspace files that are not excluded. */
export function createContextReader(
  client: ContextClient,
  editor: Pick<EditorPort, 'resolve' | 'stat'>,
): ContextReader {
  const mayRead = (uri: vscode.Uri): Promise<string | undefined> => readablePath(uri, editor);
  return new ContextReader({
    client,
    openFile: async (path) => {
      const uri = vscode.Uri.file(await editor.resolve(path));
      const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
      if (open) return readable(open);
      // This check is needed because VS Code's own error for a missing file is not suitable for users.
      const { type } = await editor.stat(path);
      if (type !== 'file') throw new Error(`${path} is not a file. Name a file in the workspace.`);
      return readable(await openText(uri, path));
    },
    activeFile: async () => {
      const document = vscode.window.activeTextEditor?.document;
      return document && (await mayRead(document.uri)) !== undefined ? readable(document) : undefined;
    },
    readablePath: async (uri) => {
      const parsed = vscode.Uri.parse(uri);
      return (await mayRead(parsed)) === undefined ? undefined : parsed.fsPath;
    },
  });
}

/** Returns the path of a URI. Undefined if it is not a local file, or if agents may not read it. */
async function readablePath(uri: vscode.Uri, editor: Pick<EditorPort, 'resolve'>): Promise<string | undefined> {
  if (!isFileOrCell(uri)) return undefined;
  try {
    return await editor.resolve(uri.fsPath);
  } catch (error) {
    if (isEditorError(error)) return undefined;
    throw error;
  }
}

async function openText(uri: vscode.Uri, path: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw new Error(`${path} cannot be opened as text. Name a text file.`, { cause: error });
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
