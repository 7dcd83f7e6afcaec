import * as vscode from 'vscode';
import { pause, withDeadline, type Clock } from '../../../base/common/async';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { messageOf } from '../../../base/common/errors';
import { truncateList } from '../../../base/common/lists';
import { isCheckpointError } from '../../../changes/common/checkpointError';
import { gitMoveLabel, gitMoveText } from '../../../changes/common/gitHead';
import type { RestorePreview, WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { Messages } from '../../../platform/vscode/messages';
import { ChatError, type Chat, type Chats, type ForkAgent } from '../../common/chatPorts';
import { nameOfMoment } from '../../common/restore/restoreHistory';
import type { RestorePoint } from '../../common/restore/restorePorts';
import type { FileRestorer, RestoreRequest, ChatRestoreResult } from '../../common/restore/fileRestorer';
import {
  restoreCountLabel,
  isPickedByDefault,
  restoreRowLabel,
  restoreRows,
  revertibleRows,
  type RestoreRow,
} from '../../common/restore/restoreRows';
import type { Dialogs } from '../dialogs';
import type { DiffViews } from './diffViews';
import type { FileRestorePreparer } from './fileRestorePreparer';
import type { InterruptedRestores } from './interruptedRestores';
import { pickFiles, pickScope } from './restorePicks';
import { describeSkippedFiles } from './describeSkippedFiles';

interface RestoreActionsDeps {
  readonly chats: Pick<Chats, 'open' | 'openChats' | 'rows'>;
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'planRestore' | 'textAfterRestore'> | undefined;
  readonly restorer: FileRestorer;
  readonly files: FileRestorePreparer;
  readonly interrupted: InterruptedRestores;
  readonly diffViews: Pick<DiffViews, 'compareWithCurrent'>;
  readonly dialogs: Pick<Dialogs, 'confirm' | 'choose'>;
  readonly messages: Messages;
  readonly clock: Clock;
}

/** The effect of a restore on files. */
interface FilePlan {
  /** The changes that the checkpoints would restore. Undefined without a checkpoint. */
  readonly preview: RestorePreview | undefined;
  /** The files that can be restored; undefined if no files can be. */
  readonly rows: readonly RestoreRow[] | undefined;
  /** Why files cannot be restored, or which ones cannot. */
  readonly note: string | undefined;
}

interface ChosenFiles {
  readonly paths: readonly string[];
  /** Whether the conversation is restored, too. */
  readonly isFork: boolean;
}

type Prompt = Pick<RestoreRequest, 'chat' | 'entryId' | 'point'>;

/** Shows the conversation in which the user continues after a restore. */
export type ShowChat = (chat: Chat) => void;

/** Time limit for the end of a stopped turn, because an agent may not respond. */
const stopTimeoutMs = 15_000;
const settleTimeoutMs = 60_000;
/** Time after which the user is told what is going on. */
const silentMs = 300;
const maxNames = 10;
const turnsNote = 'This prompt has no checkpoint, so changes made by shell commands can’t be undone.';

/** Restores conversations and files to the state before a prompt. Asks for confirmation before anything changes. */
export class RestoreActions {
  constructor(private readonly deps: RestoreActionsDeps) {}

  /** Asks what to restore and which files, then restores it. @throws ChatError, CheckpointError */
  async restoreTo(chat: Chat, entryId: string, show: ShowChat): Promise<void> {
    const point = await this.stopAndFindPoint(chat, entryId);
    if (!point) return;
    const plan = await this.planFiles(chat, point);
    const gitNote = gitNoteOf(plan);
    const scope = await pickScope({ turn: point.turn, rows: plan.rows, note: plan.note, gitNote });
    if (scope === undefined) return;
    if (scope === 'conversation') {
      show(await this.deps.restorer.fork(chat, entryId));
      return;
    }
    const paths = await pickFiles({
      title: `Restore to Prompt ${point.turn}: Files`,
      rows: plan.rows ?? [],
      leftOut: plan.preview?.leftOut ?? [],
      notes: [...new Set(plan.preview?.gitMoves.map(gitMoveLabel))],
      openDiff: (path) =>
        this.openDiff(chat, point, plan, path).catch((error: unknown) => this.deps.messages.error(messageOf(error))),
    });
    if (!paths || (paths.length === 0 && scope === 'files')) return;
    await this.restoreFiles({ chat, entryId, point }, plan, { paths, isFork: scope === 'both' }, show);
  }

  /** Restores the state before a prompt, and puts the prompt into the composer. @throws ChatError, CheckpointError */
  async editAndResend(chat: Chat, entryId: string, show: ShowChat): Promise<void> {
    const point = await this.stopAndFindPoint(chat, entryId);
    if (!point) return;
    const plan = await this.planFiles(chat, point);
    const rows = (plan.rows ?? []).filter(isPickedByDefault);
    const uncertain = (plan.rows ?? []).filter(({ author }) => author === 'command').length;
    const left =
      uncertain === 0
        ? undefined
        : `${countWithNoun(uncertain, 'file')} changed while a command ran and ${uncertain === 1 ? 'stays as it is' : 'stay as they are'}. To choose files, use Restore to Here.`;
    const notes = [plan.note, left, gitNoteOf(plan)].filter((note) => note !== undefined).join('\n');
    const restoresFiles = rows.length > 0 && (await this.askWhetherToRestoreFiles(rows, notes));
    if (restoresFiles === undefined) return;
    if (!restoresFiles) {
      show(await this.deps.restorer.fork(chat, entryId));
      if (rows.length === 0 && left !== undefined) this.deps.messages.info(left);
    } else {
      const paths = rows.map(({ path }) => path);
      await this.restoreFiles({ chat, entryId, point }, plan, { paths, isFork: true }, show);
    }
  }

  /** Undoes a restore of files. @throws ChatError, CheckpointError */
  async undo(chat: Chat, restoreId: string, show: ShowChat): Promise<void> {
    if (!(await this.ensureReadyToRestore(chat))) return;
    const { files, restorer } = this.deps;
    const restore = chat.restores.get(restoreId);
    if (!restore) throw new ChatError('notFound', 'This restore was already undone.');
    const { signal } = new AbortController();
    const found = await restorer.previewUndo(chat, restore, signal).catch((error: unknown) => {
      if (!isRemoved(error)) throw error;
      throw new Error('This restore can no longer be undone because its checkpoint was removed.', { cause: error });
    });
    const allUnsaved = await files.findUnsaved();
    const unsaved = restore.paths.filter((path) => allUnsaved.has(path));
    const left = await this.chooseFilesToLeave(found.changedSince ?? found.paths, unsaved);
    if (!left) return;
    const isLeft = new Set(left);
    const chosen = restore.paths.filter((path) => !isLeft.has(path));
    if (!(await files.confirmProtected(chosen, found.preview))) return;
    const { hasSaved, refused } = await files.saveUnsaved(chosen);
    const present = hasSaved ? await restorer.previewUndo(chat, restore, signal) : found;
    const isRefused = new Set(refused.map(({ path }) => path));
    const paths = present.paths.filter((path) => !isRefused.has(path) && !isLeft.has(path));
    await this.run('Undoing a restore', chat, show, () =>
      restorer.undo(chat, restore, { ...present, paths, refused, left }, signal),
    );
  }

  /** Undoes a restore of files in a conversation that may be closed. @throws ChatError, CheckpointError */
  async undoIn(sessionId: string, restoreId: string, show: ShowChat): Promise<void> {
    const chat = await this.deps.chats.open(sessionId);
    const holder = chat.keepOpen();
    try {
      await this.undo(chat, restoreId, show);
    } finally {
      holder.dispose();
    }
  }

  /** Continues the conversation in another one, from its present state. @throws ChatError */
  async forkNow(chat: Chat, show: ShowChat): Promise<void> {
    if (chat.sentPromptTexts.length === 0) throw new Error('This conversation has no prompts yet.');
    show(await this.withProgress('Forking the conversation', () => this.deps.restorer.fork(chat)));
  }

  /** Continues the conversation in another one, in a new session of `agent`. The last prompt is its draft. @throws ChatError */
  async continueWith(chat: Chat, agent: ForkAgent, show: ShowChat): Promise<void> {
    show(await this.withProgress('Continuing the conversation', () => this.deps.restorer.fork(chat, undefined, agent)));
  }

  /** Lets the user choose a prompt and restores the state before it. @throws ChatError, CheckpointError */
  async pickPromptAndRestore(chat: Chat, show: ShowChat): Promise<void> {
    const prompts = [...chat.transcript.entries('prompt')];
    const items = prompts.toReversed().map(({ id, text, turn }) => ({
      label: text.trim().split('\n', 1)[0] ?? '',
      description: `Prompt ${turn}`,
      id,
    }));
    if (items.length === 0) throw new Error('This conversation has no prompts yet.');
    const picked = await vscode.window.showQuickPick(items, {
      title: 'Restore to Prompt',
      placeHolder: 'Select a prompt to restore the state before it.',
    });
    if (picked) await this.restoreTo(chat, picked.id, show);
  }

  /** Undefined if the user does not want to continue, or if the prompt went back to the composer when the agent was stopped. */
  private async stopAndFindPoint(chat: Chat, entryId: string): Promise<RestorePoint | undefined> {
    const wasThere = chat.transcript.get(entryId) !== undefined;
    if (!(await this.ensureReadyToRestore(chat))) return undefined;
    if (!wasThere || chat.transcript.get(entryId)) return await chat.restores.restorePointBefore(entryId);
    this.deps.messages.info('The agent was stopped before it read this prompt, which is in the input box again.');
    return undefined;
  }

  /** Prepares a restore. Returns false if the user does not want to continue. @throws ChatError `readonly` */
  private async ensureReadyToRestore(chat: Chat): Promise<boolean> {
    const { clock, dialogs, interrupted } = this.deps;
    const { isBusy, status, statusText } = chat.view;
    this.requireIdle((other) => other.id !== chat.id);
    if (status === 'readonly') throw new ChatError('readonly', statusText ?? 'This conversation is read-only.');
    if (!(await interrupted.finishOrUndo())) return false;
    if (isBusy) {
      const isConfirmed = await dialogs.confirm({
        message: 'The agent is still working.',
        detail: 'It must be stopped before you can restore.',
        action: 'Stop Agent',
      });
      if (!isConfirmed) return false;
    }
    if (isWorking(chat)) {
      await this.withProgress('Waiting for the agent to stop', () =>
        withDeadline(clock, 'Stopping the agent', stopTimeoutMs, () => chat.stop()),
      );
    }
    await this.withProgress('Waiting until the turn’s changes are recorded', () =>
      withDeadline(clock, 'Recording the turn’s changes', settleTimeoutMs, () => chat.restores.whenTurnRecorded()),
    );
    await chat.restores.claim();
    return true;
  }

  private async planFiles(chat: Chat, point: RestorePoint): Promise<FilePlan> {
    const { checkpoints, files } = this.deps;
    const pathsWith = async (textBefore: (path: string) => Promise<string | null | undefined>) => ({
      byAgent: point.writtenPaths,
      byCommand: point.pathsByCommand,
      edited: await chat.restores.pathsEditedByOthers(point, textBefore),
      byOtherConversations: await this.pathsOfOthers(chat, point),
      unsaved: await files.findUnsaved(),
    });
    if (!vscode.workspace.isTrusted) {
      const note = 'Files can’t be restored, because you do not trust this workspace.';
      return { preview: undefined, rows: undefined, note };
    }
    if (!checkpoints || point.folders.length === 0) {
      const rows = revertibleRows(point.pathsByTurn, await pathsWith(() => Promise.resolve(undefined)));
      return { preview: undefined, rows, note: turnsNote };
    }
    try {
      const preview = await this.withProgress('Comparing files', () =>
        checkpoints.planRestore(point.folders, new AbortController().signal),
      );
      const restored = new Set(preview.changes.map(({ path }) => path));
      const paths = await this.withProgress('Comparing files', () =>
        pathsWith(async (path) => (restored.has(path) ? await checkpoints.textAfterRestore(preview, path) : undefined)),
      );
      return { preview, rows: restoreRows(preview.changes, paths), note: undefined };
    } catch (error) {
      if (!isRemoved(error)) throw error;
      const note = 'The checkpoint for this prompt was removed, so files can’t be restored.';
      return { preview: undefined, rows: undefined, note };
    }
  }

  /** Returns the titles of other conversations by the paths that they have changed. Open ones may have done so earlier. */
  private async pathsOfOthers(chat: Chat, point: RestorePoint): Promise<ReadonlyMap<string, string>> {
    const { chats } = this.deps;
    const titles = new Map(chats.rows.map(({ id, title }) => [id, title]));
    const open = chats.openChats.flatMap(({ fileChanges, id, view }) =>
      id === chat.id ? [] : fileChanges.list.map(({ path }) => [path, view.title] as const),
    );
    const written = [...(await chat.restores.pathsOfOthersSince(point))].map(
      ([path, id]) => [path, titles.get(id) ?? 'another conversation'] as const,
    );
    return new Map([...open, ...written]);
  }

  private async restoreFiles(prompt: Prompt, plan: FilePlan, chosen: ChosenFiles, show: ShowChat): Promise<void> {
    const { checkpoints, files, restorer } = this.deps;
    const { folders } = prompt.point;
    if (!plan.preview && !(await this.confirmRestoreWithoutCheckpoint(chosen.paths.length))) return;
    const confirmed = await files.confirmProtected(chosen.paths, plan.preview);
    if (!confirmed) return;
    const { hasSaved, refused } = await files.saveUnsaved(chosen.paths);
    const isRefused = new Set(refused.map(({ path }) => path));
    const { signal } = new AbortController();
    const preview = hasSaved && plan.preview ? await checkpoints?.planRestore(folders, signal) : plan.preview;
    const request = {
      ...prompt,
      isFork: chosen.isFork,
      preview,
      paths: chosen.paths.filter((path) => !isRefused.has(path)),
      refused,
      canChange: (path: string) => confirmed.has(path),
    };
    await this.run('Restoring files', prompt.chat, show, () => restorer.restore(request, signal));
  }

  private async run(title: string, chat: Chat, show: ShowChat, work: () => Promise<ChatRestoreResult>): Promise<void> {
    const { interrupted, messages } = this.deps;
    // Checked again, because a prompt may have been sent in the meantime.
    this.requireIdle(() => true);
    try {
      const { chat: next, skipped } = await this.withProgress(title, work);
      if (next.id !== chat.id) show(next);
      if (skipped.length > 0) messages.error(describeSkippedFiles(skipped));
    } catch (error) {
      // For example, if the disk is full, only some files were restored.
      if (isCheckpointError(error)) await interrupted.notify();
      throw error;
    }
  }

  /**
   * Checks that no turn is running, because files that change during a turn count as changes of its agent. @throws
   * ChatError if one of these conversations has a running turn
   */
  private requireIdle(isAffected: (chat: Chat) => boolean): void {
    const working = this.deps.chats.openChats.find((chat) => isAffected(chat) && isWorking(chat));
    if (!working) return;
    throw new ChatError('busy', `The agent is working in “${working.view.title}”. Stop it, or wait until it is done.`);
  }

  private async openDiff(chat: Chat, point: RestorePoint, { preview }: FilePlan, path: string): Promise<void> {
    const { checkpoints, diffViews, messages } = this.deps;
    const before = preview
      ? await checkpoints?.textAfterRestore(preview, path)
      : (await chat.fileChanges.turnTexts(path, point.turn))?.before;
    if (before === undefined) messages.info('This file has no text that can be compared.');
    else await diffViews.compareWithCurrent(path, before, nameOfMoment(point));
  }

  /** Asks whether to restore the files. Undefined if the user closes the dialog. */
  private async askWhetherToRestoreFiles(rows: readonly RestoreRow[], notes: string): Promise<boolean | undefined> {
    const [restore, keep] = ['Restore Files', 'Keep Files'];
    const names = rows.map((row) => {
      const label = restoreRowLabel(row);
      return `${vscode.workspace.asRelativePath(row.path)}${label === '' ? '' : ` (${label})`}`;
    });
    const answer = await this.deps.dialogs.choose({
      message: 'Restore files, too?',
      detail: [
        `Changed since this prompt: ${restoreCountLabel(rows)}`,
        ...truncateList(names, maxNames),
        ...(notes === '' ? [] : ['', notes]),
      ].join('\n'),
      actions: [restore, keep],
    });
    return answer === undefined ? undefined : answer === restore;
  }

  private async confirmRestoreWithoutCheckpoint(fileCount: number): Promise<boolean> {
    if (fileCount === 0) return true;
    return await this.deps.dialogs.confirm({
      message: `Restore ${countWithNoun(fileCount, 'file')} without a checkpoint?`,
      detail: 'The changes of each turn will be undone, except those by shell commands. Undo Restore is not available.',
      action: 'Restore',
    });
  }

  /** Asks about files changed after a restore. Returns those to leave unchanged. Undefined if cancelled. */
  private async chooseFilesToLeave(
    changedSince: readonly string[],
    unsaved: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const changed = [...new Set([...changedSince, ...unsaved])];
    if (changed.length === 0) return [];
    const names = changed.map((path) => vscode.workspace.asRelativePath(path));
    const [leave, undo] = ['Leave These Files', 'Undo in All Files'];
    const answer = await this.deps.dialogs.choose({
      message: `${countWithNoun(changed.length, 'file')} ${changed.length === 1 ? 'was' : 'were'} changed after the restore.`,
      detail: [
        `“${undo}” overwrites these changes. You can revert this with Undo Restore.`,
        '',
        ...truncateList(names, maxNames),
      ].join('\n'),
      actions: [leave, undo],
    });
    if (answer === undefined) return undefined;
    return answer === leave ? changed : [];
  }

  /** Says what is going on, if it takes so long that the user would ask. */
  private async withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
    const running = work();
    const isQuick = await Promise.race([
      running.then(
        () => true,
        () => true,
      ),
      pause(this.deps.clock, silentMs).then(() => false),
    ]);
    if (isQuick) return await running;
    return await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => running);
  }
}

function gitNoteOf({ preview }: FilePlan): string | undefined {
  const texts = new Set(preview?.gitMoves.map(gitMoveText));
  return texts.size === 0 ? undefined : [...texts].join(' ');
}

function isWorking({ view }: Chat): boolean {
  return view.isBusy === true || view.status === 'busy' || view.status === 'stopping' || view.status === 'starting';
}

function isRemoved(error: unknown): boolean {
  return isCheckpointError(error) && error.code === 'unknownCheckpoint';
}
