import * as vscode from 'vscode';
import type { Entry } from '../../../transcript/common/entries';
import { canUndo } from '../../../transcript/common/shownChanges';
import { commandIds } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import { ChatError, type Chat, type Chats, type DiffTexts, type ExportFormat } from '../../common/chatPorts';
import { describeFileStates } from '../../common/restore/describeFileStates';
import type { Dialogs } from '../dialogs';
import type { DiffViews } from './diffViews';
import type { ShownFile } from './undoActions';
import type { VirtualDocuments } from './virtualDocuments';
import { exportFileName } from '../../../transcript/common/export/exportFileName';

/** Maximum length of an entry on a page, in UTF-16 units of JSON. Larger entries open in an editor. */
const maxEntryLength = 1024 * 1024;

const fileExtensions: Record<ExportFormat, string> = { markdown: 'md', html: 'html', json: 'json' };

/** Shows the changes of a conversation, and exports conversations. */
export class ConversationActions {
  constructor(
    private readonly chats: Pick<Chats, 'rows' | 'export'>,
    private readonly diffViews: DiffViews,
    private readonly documents: VirtualDocuments,
    private readonly dialogs: Dialogs,
    private readonly messages: Messages,
  ) {}

  async openDiff(texts: DiffTexts | undefined, label: string): Promise<void> {
    if (!texts) throw new Error('This change is no longer available.');
    await this.diffViews.showDiff(texts, label);
  }

  /** Shows what the conversation, or one turn of it, has changed in a file. @throws ChatError `notFound` */
  async openChange(chat: Chat, { path, renamedFrom = path }: ShownFile, turn?: number): Promise<void> {
    const isTurn = turn !== undefined;
    const before = isTurn
      ? (await chat.fileChanges.turnTexts(renamedFrom, turn))?.before
      : await chat.fileChanges.textBefore(renamedFrom);
    if (before === undefined) {
      const states = chat.fileChanges.statesOf(path, turn);
      if (states) {
        this.messages.info(
          `${vscode.workspace.asRelativePath(path)} has no text to compare: ${describeFileStates(states)}.`,
        );
        return;
      }
      const start = isTurn ? 'this turn' : 'this conversation';
      throw new ChatError('notFound', `Backline did not record ${path} before ${start}, so the change can’t be shown.`);
    }
    const after = isTurn ? (await chat.fileChanges.turnTexts(path, turn))?.after : undefined;
    if (after === undefined)
      await this.diffViews.compareWithCurrent(path, before, isTurn ? 'before turn' : 'before conversation');
    else await this.diffViews.showDiff({ path, before, after }, 'before turn ↔ after turn');
  }

  /** Shows the remaining changes of the conversation. */
  async openChanges({ fileChanges }: Chat): Promise<void> {
    const paths = fileChanges.list.filter(canUndo).map(({ path }) => path);
    if (paths.length === 0) throw new Error('These changes can’t be shown as text.');
    await vscode.commands.executeCommand(commandIds.reviewOpen, paths);
  }

  /** Exports the conversation to a file that the user chooses. @throws ChatError */
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
   * Returns the complete entry. If it is too large for a page, opens it in an editor and returns the shown entry.
   * @throws ChatError `notFound`
   */
  async getOrOpenFullEntry(chat: Chat, entryId: string): Promise<Entry> {
    const entry = chat.fullEntries.fullContent(entryId);
    const shown = chat.transcript.get(entryId);
    if (!entry || !shown) throw new ChatError('notFound', 'This part of the conversation no longer exists.');
    if (JSON.stringify(entry).length <= maxEntryLength) return entry;
    await this.openText('Full output', textOf(entry));
    return shown;
  }

  /** Opens a read-only document in an editor. */
  async openText(title: string, text: string): Promise<void> {
    const name = `/${exportFileName(title, 'text')}.txt`;
    await vscode.window.showTextDocument(this.documents.add(name, text), { preview: true });
  }
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
