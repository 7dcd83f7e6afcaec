import * as path from 'node:path';
import * as vscode from 'vscode';
import { userMessageOf } from '../../base/common/errors';
import { countWithNoun } from '../../base/common/text/countWithNoun';
import type { Messages } from '../../platform/vscode/messages';
import { ChatError, type Chats } from '../common/chatPorts';
import type { ConversationRow, Draft } from '../common/chatView';
import type { SharedDraft } from '../common/conversation/sharedDraft';
import type { FolderMove } from '../common/conversations/conversationPlace';
import type { Dialogs } from './dialogs';

/** Absolute paths. A folder of a saved workspace is opened with that, as long as its file exists. */
interface WorkspaceToOpen {
  readonly folder: string;
  readonly workspaceFile?: string | undefined;
}

const openFolder = 'Open Folder';
const locateFolder = 'Locate Folder…';
const continueHere = 'Continue Here';

export interface PlaceActionsDeps {
  readonly chats: Pick<Chats, 'rows' | 'locateFolder' | 'openChats' | 'showInItsWindow'>;
  readonly dialogs: Dialogs;
  readonly messages: Pick<Messages, 'info' | 'error'>;
  /** Brings the window to the front that has this workspace, or opens one. It shows the conversation if one is set. */
  readonly openWorkspace: (workspace: WorkspaceToOpen, sessionId?: string) => Promise<void>;
  /** Stops showing a conversation, whose paths are about to change. */
  readonly closeChat: (sessionId: string) => void;
  readonly newDraft: Pick<SharedDraft, 'restoreWithdrawn'>;
  /** Gives `use` the drafts of the next conversation that were typed in a folder that has moved to here. Never rejects. */
  readonly takeMovedDrafts: (move: FolderMove, use: (draft: Draft) => void) => Promise<void>;
}

/** Leads to the folders of conversations that belong to another workspace. */
export class PlaceActions {
  /** Conversations of other folders that the user continues here. */
  private readonly confirmed = new Set<string>();

  constructor(private readonly deps: PlaceActionsDeps) {}

  /**
   * Asks where to open a conversation of another folder. Resolves to whether to open it in this window. One that another window
   * runs can be followed without a question.
   */
  async confirmOpenHere(sessionId: string): Promise<boolean> {
    const row = this.deps.chats.rows.find(({ id }) => id === sessionId);
    return row?.isInOtherWindow === true || (await this.confirmContinueHere(sessionId));
  }

  /** Asks, once for each conversation of another folder, whether to continue it in this window. */
  async confirmContinueHere(sessionId: string): Promise<boolean> {
    const row = this.deps.chats.rows.find(({ id }) => id === sessionId);
    const { folder, isGone, workspaceFile } = row?.elsewhere ?? {};
    if (!row || folder === undefined || this.confirmed.has(sessionId)) return true;
    const choice = await this.deps.dialogs.choose({
      message: `“${row.title}” worked in ${folder}${isGone ? ', which no longer exists' : ''}.`,
      detail: 'If you continue here, the agent works in the folder of this window.',
      actions: [isGone ? locateFolder : openFolder, continueHere],
    });
    if (choice === openFolder) await this.deps.openWorkspace({ folder, workspaceFile }, sessionId);
    if (choice === locateFolder) return await this.locateFolderOf(row, folder);
    if (choice === continueHere) this.confirmed.add(sessionId);
    return choice === continueHere;
  }

  /** Shows a conversation in the window that runs it, and brings that to the front if its folder is known. */
  async goToWindow(sessionId: string): Promise<void> {
    const { chats, messages } = this.deps;
    const { folder, workspaceFile } = chats.rows.find(({ id }) => id === sessionId)?.elsewhere ?? {};
    await chats.showInItsWindow(sessionId);
    if (folder !== undefined) await this.deps.openWorkspace({ folder, workspaceFile });
    else messages.info('The conversation is shown in its window now.');
  }

  /** Opens the folder of a conversation in a window of its own, and shows the conversation there. @throws ChatError `notFound` */
  async openInNewWindow(sessionId: string): Promise<void> {
    const {
      folder,
      isGone = false,
      workspaceFile,
    } = this.deps.chats.rows.find(({ id }) => id === sessionId)?.elsewhere ?? {};
    if (folder === undefined || isGone)
      throw new ChatError('notFound', 'The folder of this conversation was not found.');
    await this.deps.openWorkspace({ folder, workspaceFile }, sessionId);
  }

  /** Asks for a folder of conversations, and for the place to which it was moved. */
  async locateAnyFolder(): Promise<void> {
    const rows = this.deps.chats.rows.filter(({ elsewhere }) => elsewhere?.folder !== undefined);
    const byFolder = Map.groupBy(rows, ({ elsewhere }) => elsewhere?.folder ?? '');
    const items = [...byFolder].map(([folder, [row, ...others]]) => ({
      label: path.basename(folder),
      description: row?.elsewhere?.isGone === true ? 'not found' : '',
      detail: `${folder} – ${countWithNoun(others.length + 1, 'conversation')}`,
      folder,
      row,
    }));
    if (items.length === 0) {
      this.deps.messages.info('All your conversations belong to the folders of this window.');
      return;
    }
    const goneFirst = items.toSorted((a, b) => Number(a.description === '') - Number(b.description === ''));
    const placeHolder = 'Select the folder that was moved or renamed';
    const picked = await vscode.window.showQuickPick(goneFirst, { placeHolder, matchOnDetail: true });
    if (picked?.row) await this.locateFolderOf(picked.row, picked.folder);
  }

  /** Asks where the folder of a conversation is now. */
  async locateFolder(sessionId: string): Promise<void> {
    const row = this.deps.chats.rows.find(({ id }) => id === sessionId);
    const folder = row?.elsewhere?.folder;
    if (row && folder !== undefined) await this.locateFolderOf(row, folder);
  }

  /** Resolves to whether the conversation belongs to this window then. */
  private async locateFolderOf({ id }: ConversationRow, from: string): Promise<boolean> {
    const { chats, closeChat, dialogs, messages, newDraft, takeMovedDrafts } = this.deps;
    const to = await dialogs.chooseFolder(`Locate ${path.basename(from)}`);
    if (to === undefined || to === from) return false;
    const ids = new Set(chats.rows.flatMap((row) => (row.elsewhere?.folder === from ? row.id : [])));
    const closeChats = (): void => {
      for (const chat of chats.openChats) if (ids.has(chat.id)) closeChat(chat.id);
    };
    closeChats();
    const takeBack = await chats.locateFolder(from, to);
    await takeMovedDrafts({ from, to }, (draft) => newDraft.restoreWithdrawn(draft));
    const isHere = !chats.rows.find((row) => row.id === id)?.elsewhere;
    const undo = async (): Promise<void> => {
      closeChats();
      await takeBack().catch((error: unknown) => messages.error(userMessageOf(error)));
    };
    messages.info(
      `The conversations of ${from} now belong to ${to}.`,
      { label: 'Undo', run: undo },
      ...(isHere ? [] : [{ label: openFolder, run: () => this.deps.openWorkspace({ folder: to }, id) }]),
    );
    return isHere;
  }
}

/** VS Code brings the window to the front that has this workspace, if there is one. */
export async function openInNewWindow({ folder, workspaceFile }: WorkspaceToOpen): Promise<void> {
  const file = workspaceFile === undefined ? undefined : vscode.Uri.file(workspaceFile);
  const found =
    file &&
    (await vscode.workspace.fs.stat(file).then(
      () => file,
      () => undefined,
    ));
  await vscode.commands.executeCommand('vscode.openFolder', found ?? vscode.Uri.file(folder), { forceNewWindow: true });
}
