import * as vscode from 'vscode';
import { unifyLineEndings } from '../../../editor/common/text/lineEndings';
import { computeMinimalEdit } from '../../../editor/common/text/textEdits';
import { maxFileBytes, type FileText } from '../../common/changes/fileTexts';
import type { DiskText } from '../../common/unsaved/diskState';

/** Replaces unsaved text with the file on disk. The user can undo this in VS Code. @throws Error if it fails */
export async function revertToDiskText(document: vscode.TextDocument): Promise<void> {
  await showDocument(document);
  await revertActive(document);
  if (document.isDirty) throw new Error(`VS Code could not read ${nameOf(document)} again. Run “File: Revert File”.`);
}

/**
 * Makes unsaved text an edit of the file that is on disk now, so that VS Code saves it without asking which one is
 * newer. Undoing the edit gives the text on disk.
 * @throws Error if it fails; the text is then in a new untitled editor
 */
export async function keepUnsavedText(document: vscode.TextDocument): Promise<void> {
  const text = document.getText();
  const editor = await showDocument(document);
  const { selections } = editor;
  await revertActive(document);
  const edit = computeMinimalEdit(document.getText(), text);
  if (edit) {
    const range = new vscode.Range(document.positionAt(edit.start), document.positionAt(edit.end));
    const change = new vscode.WorkspaceEdit();
    change.set(document.uri, [
      [new vscode.TextEdit(range, edit.newText), { needsConfirmation: false, label: 'Keep Mine' }],
    ]);
    const isApplied = await vscode.workspace.applyEdit(change);
    if (!isApplied || document.getText() !== text) {
      await showCopy(document, text);
      throw new Error(`Your text for ${nameOf(document)} could not be restored. It is in a new untitled editor.`);
    }
  }
  editor.selections = selections;
}

/**
 * Deletes the file of unsaved text. The result is where the user finds the text: in VS Code’s local history, because
 * the file is saved before, or else in a new untitled editor. @throws Error if it fails
 */
export async function deleteFileAndKeepText(document: vscode.TextDocument): Promise<'localHistory' | 'untitledEditor'> {
  const place = (await isInLocalHistory(document)) ? 'localHistory' : 'untitledEditor';
  if (place === 'untitledEditor') await showCopy(document, document.getText());
  if (!(await document.save())) throw new Error(`${nameOf(document)} could not be saved before its deletion.`);
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(document.uri, { ignoreIfNotExists: true });
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(`VS Code could not delete ${nameOf(document)}.`);
  return place;
}

/** Whether VS Code adds the saved text of a document to its local history. */
async function isInLocalHistory(document: vscode.TextDocument): Promise<boolean> {
  const { encoding, uri } = document;
  const settings = vscode.workspace.getConfiguration('workbench.localHistory', uri);
  const { byteLength } = await vscode.workspace.encode(document.getText(), { encoding });
  if (!settings.get<boolean>('enabled', true) || byteLength > settings.get('maxFileSize', 256) * 1024) return false;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const isExcluded = (glob: string): boolean =>
    [glob, ...(folder ? [new vscode.RelativePattern(folder, glob)] : [])].some(
      (pattern) => vscode.languages.match({ pattern }, document) > 0,
    );
  return !Object.entries(settings.get<Readonly<Record<string, boolean>>>('exclude', {})).some(
    ([glob, isOn]) => isOn && isExcluded(glob),
  );
}

async function showCopy({ languageId }: vscode.TextDocument, text: string): Promise<void> {
  const copy = await vscode.workspace.openTextDocument({ content: text, language: languageId });
  await vscode.window.showTextDocument(copy, { preview: false });
}

type TextOnDisk = Pick<vscode.TextDocument, 'uri'> & Partial<Pick<vscode.TextDocument, 'encoding'>>;

/** Returns the text on disk. Null if the file does not exist. @throws Error if the file cannot be read */
export async function readDiskText({ encoding, uri }: TextOnDisk): Promise<DiskText> {
  try {
    const bytes = await vscode.workspace.fs.readFile(uri);
    const { decode } = vscode.workspace;
    return unifyLineEndings(await (encoding === undefined ? decode(bytes, { uri }) : decode(bytes, { encoding })));
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return null;
    throw error;
  }
}

/** Reads and decodes a file like its editor. Undefined if too large or not text. @throws Error if unreadable */
export async function readUsableDiskText(path: string): Promise<FileText> {
  const uri = vscode.Uri.file(path);
  const document = vscode.workspace.textDocuments.find(({ uri: one }) => one.toString() === uri.toString());
  const bytes = await vscode.workspace.fs.stat(uri).then(
    ({ size }) => size,
    () => 0,
  );
  if (bytes > maxFileBytes) return undefined;
  const text = await readDiskText(document ?? { uri });
  // Such a text may contain bytes that are invalid in its encoding.
  return text?.includes('\ufffd') === true ? undefined : text;
}

async function showDocument(document: vscode.TextDocument): Promise<vscode.TextEditor> {
  const key = document.uri.toString();
  const group = vscode.window.tabGroups.all.find(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key),
  );
  return await vscode.window.showTextDocument(document, {
    preview: false,
    ...(group && { viewColumn: group.viewColumn }),
  });
}

/** Reverts the active editor, which must show this document. @throws Error if the user has switched editors */
async function revertActive(document: vscode.TextDocument): Promise<void> {
  if (vscode.window.activeTextEditor?.document !== document) {
    throw new Error(`Another editor is active. Go to ${nameOf(document)} and try again.`);
  }
  await vscode.commands.executeCommand('workbench.action.files.revert');
}

function nameOf(document: vscode.TextDocument): string {
  return `“${vscode.workspace.asRelativePath(document.uri)}”`;
}
