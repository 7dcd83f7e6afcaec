import * as vscode from 'vscode';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { truncateList } from '../../../base/common/lists';
import { gitMoveText, type GitMove } from '../../../changes/common/gitHead';
import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { TextBeforeAndAfter, Protection } from '../../../editor/common/protection/protection';
import { commandIds } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import { canUndo, hasNoTexts, inUndoOrder } from '../../../transcript/common/shownChanges';
import { ChatError, type Chat, type RevertOptions } from '../../common/chatPorts';
import {
  isConflict,
  undoInFiles,
  undoUnlessEdited,
  type RestoredFile,
  type Undone,
} from '../../common/restore/undoChanges';
import type { Dialogs } from '../dialogs';
import { protectionIfWritable } from '../protectionIfWritable';
import type { DiffViews } from './diffViews';

/** A file as it is shown to the user. `renamedFrom` is the former path of a renamed file. */
export interface ShownFile {
  readonly path: string;
  readonly renamedFrom?: string | undefined;
}

interface UndoActionsDeps {
  readonly diffViews: DiffViews;
  readonly editorPort: Pick<EditorPort, 'readText' | 'protectionOf'>;
  readonly dialogs: Dialogs;
  readonly messages: Pick<Messages, 'info'>;
  /** Whether a visible page shows the conversation, in which each undo is an entry with Undo Restore. */
  readonly isShown: (sessionId: string) => boolean;
  /** Undoes a restore of a conversation, which may have been closed, and then shows the conversation. */
  readonly undoRestore: (sessionId: string, restoreId: string) => Promise<void>;
}

const maxNames = 10;

/** Undoes file changes of conversations. Asks for confirmation before anything is lost. */
export class UndoActions {
  constructor(private readonly deps: UndoActionsDeps) {}

  /** Undoes the changes of the conversation, or of one turn, in a file. Returns false if the user cancels. @throws ChatError, EditorError */
  async undoFile(chat: Chat, { path, renamedFrom }: ShownFile, turn?: number): Promise<boolean> {
    const paths = renamedFrom === undefined ? [path] : [path, renamedFrom];
    const protections = await this.findProtections(chat, paths, turn);
    const [name, protection] = [...protections][0] ?? [];
    if (name !== undefined && protection && !(await this.confirmProtected(name, protection))) return false;
    let isDone = true;
    await this.runUndo(chat, paths, turn, async (one, undoId) => {
      const options = { turn, undoId, protectedFiles: protections.has(one) ? 'allow' : 'refuse' } as const;
      const undone = await this.undoOrAsk(chat, one, options);
      if (!undone) isDone = false;
      return undone;
    });
    return isDone;
  }

  /**
   * Undoes all changes of the conversation if the user confirms. Keeps later edits of the same lines and informs the
   * user about them. Returns false if the user cancels. @throws ChatError, EditorError
   */
  async undoAll(chat: Chat): Promise<boolean> {
    const paths = inUndoOrder(chat.fileChanges.list.filter(canUndo)).map((change) => change.path);
    const [only] = paths;
    if (only === undefined) throw new ChatError('notFound', 'There are no changes to undo.');
    if (paths.length === 1) {
      return await this.undoFile(chat, { path: only });
    }
    const protections = await this.findProtections(chat, paths, undefined);
    const isByCommand = (path: string): boolean =>
      chat.fileChanges.list.some((change) => change.path === path && change.author === 'command');
    const gitMoves = await chat.restores.gitMovesSinceChanges(paths);
    if (!(await this.confirmAll(paths, protections, paths.filter(isByCommand).length, gitMoves))) return false;
    const left: string[] = [];
    await this.runUndo(chat, paths, undefined, async (path, undoId) => {
      const protectedFiles = protections.has(path) ? 'allow' : 'refuse';
      const { isPartial, undone } = await undoUnlessEdited(chat, path, { protectedFiles, undoId });
      if (isPartial) left.push(vscode.workspace.asRelativePath(path));
      return undone;
    });
    if (left.length === 0) return true;
    this.deps.messages.info(
      `Some changes remain in ${countWithNoun(left.length, 'file')}, because they were edited later: ${truncateList(left, maxNames).join(', ')}.`,
      { label: 'Review', run: () => vscode.commands.executeCommand(commandIds.reviewOpen) },
    );
    return true;
  }

  /** Undoes the changes of several files, and offers to bring them back. Throws all errors at the end. */
  private async runUndo(
    chat: Chat,
    paths: readonly string[],
    turn: number | undefined,
    undo: (path: string, undoId: string) => Promise<Undone | undefined>,
  ): Promise<void> {
    const { failures, restored } = await undoInFiles(chat, paths, turn, undo);
    this.offerUndoRestore(chat, restored);
    if (failures.length === 0) return;
    throw new Error(
      failures.map(({ path, reason }) => `${vscode.workspace.asRelativePath(path)}: ${reason}`).join('\n'),
    );
  }

  /**
   * Offers Undo Restore, which also works after the files were closed and after VS Code was restarted. Where the conversation
   * is shown, its entry offers it, and a notification would cover the prompt.
   */
  private offerUndoRestore({ id }: Chat, restores: readonly RestoredFile[]): void {
    const [first] = restores;
    if (!first || this.deps.isShown(id)) return;
    const name =
      restores.length === 1 ? vscode.workspace.asRelativePath(first.path) : countWithNoun(restores.length, 'file');
    this.deps.messages.info(`Changes in ${name} were undone.`, {
      label: 'Undo Restore',
      run: async () => {
        for (const restoreId of new Set(restores.map((one) => one.restoreId)))
          await this.deps.undoRestore(id, restoreId);
      },
    });
  }

  private async undoOrAsk(chat: Chat, path: string, options: RevertOptions): Promise<Undone | undefined> {
    try {
      return { restoreId: await chat.revert(path, options) };
    } catch (error) {
      if (!isConflict(error)) throw error;
      return await this.resolveConflict(chat, path, options);
    }
  }

  /**
   * Lets the user choose between undoing only changes that can be separated from later edits, and undoing everything.
   * Undefined if the user cancels.
   */
  private async resolveConflict(chat: Chat, path: string, options: RevertOptions): Promise<Undone | undefined> {
    const { turn } = options;
    const name = vscode.workspace.asRelativePath(path);
    const isConversation = turn === undefined;
    const { separable, total } = isConversation
      ? await chat.fileChanges.countUneditedChanges(path)
      : { separable: 0, total: 0 };
    const before = isConversation
      ? await chat.fileChanges.textBefore(path)
      : (await chat.fileChanges.turnTexts(path, turn))?.before;
    const kind = chat.fileChanges.list.find((change) => change.path === path)?.kind;
    if (hasNoTexts(kind) || before === undefined) return await this.undoIfLossConfirmed(chat, path, options);
    const gentle = separable > 0 ? `Undo ${separable} of ${countWithNoun(total, 'Change')}` : 'Compare';
    const everything = 'Undo Everything';
    const start = isConversation ? 'the agent’s changes' : 'the turn';
    const chosen = await this.deps.dialogs.choose({
      message: `${name} has later edits in the lines that the agent changed.`,
      detail: [
        separable > 0
          ? `“${gentle}” keeps the lines with later edits and opens a diff with the text before ${start}.`
          : `“Compare” changes nothing. It opens a diff with the text before ${start}.`,
        `“${everything}” also removes the later edits. You can revert this with Undo Restore.`,
      ].join('\n\n'),
      actions: [gentle, everything],
    });
    if (chosen === everything) return { restoreId: await chat.revert(path, { ...options, force: true }) };
    if (chosen !== gentle) return undefined;
    if (separable > 0) await chat.fileChanges.undoUneditedChanges(path, options);
    await this.deps.diffViews.compareWithCurrent(path, before, `before ${isConversation ? 'conversation' : 'turn'}`);
    this.deps.messages.info(
      `${separable > 0 ? countWithNoun(total - separable, 'change') : 'The changes'} in ${name} could not be undone because the same lines were edited later. Copy what you need from the left side of the diff.`,
    );
    return {};
  }

  private async undoIfLossConfirmed(chat: Chat, path: string, options: RevertOptions): Promise<Undone | undefined> {
    const start = options.turn === undefined ? 'the agent’s changes' : 'the turn';
    const isConfirmed = await this.deps.dialogs.confirm({
      message: `${vscode.workspace.asRelativePath(path)} was changed after ${start}.`,
      detail: 'This is not a text file, so its later changes are undone, too. Undo Restore brings them back.',
      action: 'Undo Everything',
    });
    return isConfirmed ? { restoreId: await chat.revert(path, { ...options, force: true }) } : undefined;
  }

  private async findProtections(
    chat: Chat,
    paths: readonly string[],
    turn: number | undefined,
  ): Promise<ReadonlyMap<string, Protection>> {
    const protections = new Map<string, Protection>();
    for (const path of paths) {
      const change = await this.contentChangeOf(chat, path, turn);
      const protection = await protectionIfWritable(this.deps.editorPort, path, change);
      if (protection) protections.set(path, protection);
    }
    return protections;
  }

  private async contentChangeOf(chat: Chat, path: string, turn: number | undefined): Promise<TextBeforeAndAfter> {
    const after =
      turn === undefined
        ? await chat.fileChanges.textBefore(path)
        : (await chat.fileChanges.turnTexts(path, turn))?.before;
    try {
      return { before: (await this.deps.editorPort.readText(path)).text, after: after ?? undefined };
    } catch (error) {
      if (!isEditorError(error)) throw error;
      return { before: undefined, after: after ?? undefined };
    }
  }

  private async confirmProtected(path: string, protection: Protection): Promise<boolean> {
    return await this.deps.dialogs.confirm({
      message: `Undo the agent’s changes in ${vscode.workspace.asRelativePath(path)}? It is protected: ${protection.reason}.`,
      action: 'Undo',
    });
  }

  /** Asks for confirmation. Protected files are listed first. */
  private async confirmAll(
    paths: readonly string[],
    protections: ReadonlyMap<string, Protection>,
    countByCommand: number,
    gitMoves: readonly GitMove[],
  ): Promise<boolean> {
    const guarded = [...protections].map(([path, { reason }]) => `${vscode.workspace.asRelativePath(path)}: ${reason}`);
    const others = paths.filter((path) => !protections.has(path)).map((path) => vscode.workspace.asRelativePath(path));
    const detail = [
      countByCommand === 0
        ? 'Your own edits stay.'
        : `${countWithNoun(countByCommand, 'file')} changed while a command ran. What you or other programs changed in them at that time is undone, too.`,
      ...new Set(gitMoves.map(gitMoveText)),
      '',
      ...(guarded.length > 0 ? ['Protected files:', ...truncateList(guarded, maxNames), ''] : []),
      ...truncateList(others, maxNames),
    ];
    return await this.deps.dialogs.confirm({
      message: `Undo the agent’s changes in ${paths.length} files?`,
      detail: detail.join('\n').trim(),
      action: 'Undo All',
    });
  }
}
