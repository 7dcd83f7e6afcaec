import * as vscode from 'vscode';
import { messageOf } from '../../../base/common/errors';
import type { Entry } from '../../../transcript/common/entries';
import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { ContentChange, Protection } from '../../../editor/common/protection/protection';
import type { Messages } from '../../../platform/vscode/messages';
import {
  ChatError,
  type Chat,
  type Chats,
  type DiffTexts,
  type ExportFormat,
  type RevertOptions,
} from '../../common/chatPorts';
import type { Dialogs } from '../dialogs';
import type { DiffViews } from './diffViews';
import { protectionIfWritable } from '../protectionIfWritable';
import type { VirtualDocuments } from './virtualDocuments';
import { exportFileName } from '../../../transcript/common/export/exportFileName';

/** In UTF-16 units of JSON; larger entries open in an editor. */
const maxEntryLength = 1024 * 1024;

const fileExtensions: Record<ExportFormat, string> = { markdown: 'md', html: 'html', json: 'json' };

/** Actions on a conversation and its file changes. Asks before anything is lost. */
export class ReviewActions {
  constructor(
    private readonly chats: Pick<Chats, 'rows' | 'delete' | 'export'>,
    private readonly diffViews: DiffViews,
    private readonly documents: VirtualDocuments,
    private readonly editorPort: Pick<EditorPort, 'readText' | 'protectionOf'>,
    private readonly dialogs: Dialogs,
    private readonly messages: Messages,
  ) {}

  async openDiff(texts: DiffTexts | undefined, what: string): Promise<void> {
    if (!texts) throw new Error('This change is no longer available.');
    await this.diffViews.showDiff(texts, what);
  }

  /** Shows what the conversation, or one turn of it, has changed in a file. @throws ChatError `notFound` */
  async openChange(chat: Chat, path: string, turn?: number): Promise<void> {
    const isTurn = turn !== undefined;
    const texts = isTurn ? await chat.turnTexts(path, turn) : { before: await chat.textBefore(path), after: undefined };
    if (texts?.before === undefined) {
      const start = isTurn ? 'this turn' : 'this conversation';
      throw new ChatError('notFound', `Backline did not record ${path} before ${start}, so the change can’t be shown.`);
    }
    const { before, after } = texts;
    if (after === undefined)
      await this.diffViews.compareWithCurrent(path, before, isTurn ? 'before turn' : 'before chat');
    else await this.diffViews.showDiff({ path, before, after }, 'before turn ↔ after turn');
  }

  /**
   * Reverts one file, or all. Asks before it reverts several files, protected ones, or later changes.
   * @throws ChatError, EditorError
   */
  async revertFiles(chat: Chat, path: string | undefined, turn?: number): Promise<void> {
    const changed = chat.view.changes.filter(({ state }) => state === 'applied' || state === 'changedSince');
    const paths = path === undefined ? changed.map((change) => change.path) : [path];
    if (paths.length === 0) throw new Error('There are no changes to undo.');
    const protections = await this.findProtections(chat, paths, turn);
    if (!(await this.confirmRevert(paths, protections, turn))) return;
    const failures: string[] = [];
    for (const one of paths) {
      const protectedFiles = protections.has(one) ? 'allow' : 'refuse';
      await this.revertFile(chat, one, { turn, protectedFiles }).catch((error: unknown) =>
        failures.push(messageOf(error)),
      );
    }
    if (failures.length > 0) throw new Error(failures.join('\n'));
  }

  /** Deletes a conversation if the user confirms, and returns whether they did. @throws ChatError */
  async deleteChat(sessionId: string): Promise<boolean> {
    const row = this.chats.rows.find(({ id }) => id === sessionId);
    const isBusy = row?.state === 'busy' || row?.state === 'waiting';
    const isConfirmed = await this.dialogs.confirm({
      message: `Delete “${row?.title ?? 'this conversation'}”?`,
      detail: `${isBusy ? 'The agent will be stopped. ' : ''}The conversation will be permanently deleted, also from the agent if it supports that. File changes are kept.`,
      action: 'Delete',
    });
    if (isConfirmed) await this.chats.delete(sessionId);
    return isConfirmed;
  }

  /** Writes the conversation to a file that the user chooses. @throws ChatError */
  async exportChat(sessionId: string, format: ExportFormat): Promise<void> {
    const title = this.chats.rows.find(({ id }) => id === sessionId)?.title ?? 'conversation';
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
    const extension = fileExtensions[format];
    const suggested = vscode.Uri.joinPath(folder, `${exportFileName(title, 'conversation')}.${extension}`);
    const file = await this.dialogs.chooseFile(suggested, { [extension.toUpperCase()]: [extension] });
    if (!file) return;
    const text = await this.chats.export(sessionId, format);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
    this.messages.info(`Exported conversation to ${vscode.workspace.asRelativePath(file)}.`, {
      label: 'Open',
      run: () => vscode.commands.executeCommand('vscode.open', file),
    });
  }

  /**
   * Returns the whole entry. If it is too large for a page, opens it in an editor and returns the shown entry.
   * @throws ChatError `notFound`
   */
  async fullEntry(chat: Chat, entryId: string): Promise<Entry> {
    const entry = chat.fullEntries.whole(entryId);
    const shown = chat.transcript.get(entryId);
    if (!entry || !shown) throw new ChatError('notFound', 'This part of the conversation no longer exists.');
    if (JSON.stringify(entry).length <= maxEntryLength) return entry;
    await vscode.window.showTextDocument(this.documents.add('/Full output.txt', textOf(entry)), { preview: true });
    return shown;
  }

  private async revertFile(chat: Chat, path: string, options: RevertOptions): Promise<void> {
    const { turn } = options;
    try {
      await chat.revert(path, options);
    } catch (error) {
      if (!(error instanceof ChatError && error.code === 'changedSince')) throw error;
      const name = vscode.workspace.asRelativePath(path);
      const isConfirmed = await this.dialogs.confirm({
        message: `${name} was also changed after the ${turn === undefined ? 'agent’s changes' : 'turn'}. Undo the agent’s changes anyway?`,
        detail: `The file will be restored to its content before the ${turn === undefined ? 'conversation' : 'turn'}. Later changes will be lost. You can undo this in the editor.`,
        action: 'Undo',
      });
      if (isConfirmed) await chat.revert(path, { ...options, force: true });
    }
  }

  private async findProtections(
    chat: Chat,
    paths: readonly string[],
    turn: number | undefined,
  ): Promise<ReadonlyMap<string, Protection>> {
    const protections = new Map<string, Protection>();
    for (const path of paths) {
      const protection = await protectionIfWritable(
        this.editorPort,
        path,
        await this.contentChangeOf(chat, path, turn),
      );
      if (protection) protections.set(path, protection);
    }
    return protections;
  }

  private async contentChangeOf(chat: Chat, path: string, turn: number | undefined): Promise<ContentChange> {
    const after = turn === undefined ? await chat.textBefore(path) : (await chat.turnTexts(path, turn))?.before;
    try {
      return { before: (await this.editorPort.readText(path)).text, after: after ?? undefined };
    } catch (error) {
      if (!isEditorError(error)) throw error;
      return { before: undefined, after: after ?? undefined };
    }
  }

  /** Asks once for all files, protected ones first. A single file without protection needs no confirmation. */
  private async confirmRevert(
    paths: readonly string[],
    protections: ReadonlyMap<string, Protection>,
    turn: number | undefined,
  ): Promise<boolean> {
    const when = turn === undefined ? 'before the conversation' : 'before the turn';
    const [one = ''] = paths;
    if (paths.length === 1) {
      const protection = protections.get(one);
      if (!protection) return true;
      return await this.dialogs.confirm({
        message: `Undo the agent’s changes in ${vscode.workspace.asRelativePath(one)}? It is protected: ${protection.reason}.`,
        detail: `The file will be restored to its content ${when}.`,
        action: 'Undo',
      });
    }
    const guarded = [...protections].map(([path, { reason }]) => `${vscode.workspace.asRelativePath(path)}: ${reason}`);
    const others = paths.filter((path) => !protections.has(path)).map((path) => vscode.workspace.asRelativePath(path));
    const detail = [
      ...(guarded.length > 0 ? ['Protected files:', ...truncateNames(guarded), ''] : []),
      ...truncateNames(others),
    ];
    return await this.dialogs.confirm({
      message: `Undo the agent’s changes in ${paths.length} files?`,
      detail: detail.join('\n').trim(),
      action: 'Undo All',
    });
  }
}

const maxShownNames = 10;

function truncateNames(names: readonly string[]): string[] {
  const more = names.length > maxShownNames ? [`… and ${names.length - maxShownNames} more`] : [];
  return [...names.slice(0, maxShownNames), ...more];
}

function textOf(entry: Entry): string {
  if ('text' in entry && entry.text !== undefined) return entry.text;
  if (entry.kind !== 'tool') return JSON.stringify(entry, undefined, 2);
  const parts = entry.parts.map((part) => {
    if ('text' in part) return part.text;
    return part.type === 'terminal' ? part.output : JSON.stringify(part, undefined, 2);
  });
  return [entry.title, ...parts, ...(entry.error === undefined ? [] : [entry.error])].join('\n\n');
}
