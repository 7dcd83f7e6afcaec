import * as z from 'zod';
import { messageOf } from '../../../base/common/errors';
import { parseJson } from '../../../base/common/parseJson';
import type {
  FolderCheckpoint,
  RestoreChange,
  RestorePreview,
  RestoreOutcome,
  ResumeOutcome,
  SkippedFile,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import { isCheckpointError } from '../../../changes/common/checkpointError';
import { isInside } from '../../../editor/common/boundary';
import type { EntryOf } from '../../../transcript/common/entries';
import { ChatError, type Chat, type Chats, type ForkAgent } from '../chatPorts';
import type { RestorePoint } from './restorePorts';
import type { RemainingChange } from '../conversation/logRecord';
import type { Restore } from './restoreHistory';

type RestoreCheckpoints = Pick<WorkspaceCheckpoints, 'planRestore' | 'restore'>;

/** Stored with a running restore, to record the restore when it is interrupted and finished later. */
const StoredRequest = z.object({
  conversation: z.string(),
  turn: z.number(),
  entryId: z.string().optional(),
  fork: z.string().optional(),
});
type StoredRequest = z.infer<typeof StoredRequest>;

const noChanges: RestorePreview = { changes: [], leftOut: [], gitMoves: [] };

interface FileRestorerDeps {
  readonly chats: Pick<Chats, 'open' | 'fork' | 'delete'>;
  /** The checkpoints of the workspace folders. Undefined if they are turned off or there is no workspace. */
  readonly checkpoints: RestoreCheckpoints | undefined;
  readonly newId: () => string;
}

export interface RestoreRequest {
  readonly chat: Chat;
  readonly entryId: string;
  readonly point: RestorePoint;
  /**
   * The changes that checkpoints would restore. Undefined without checkpoints: turns since the prompt are then reverted
   * one by one.
   */
  readonly preview: RestorePreview | undefined;
  /** Absolute paths of the files to restore. */
  readonly paths: readonly string[];
  /** Files that the user has chosen but that cannot be restored. */
  readonly refused: readonly SkippedFile[];
  /** Whether the user has agreed to change protected files. */
  readonly canChange: (path: string) => boolean;
  /** Whether the conversation is restored, too. */
  readonly isFork: boolean;
}

export interface ChatRestoreResult {
  /** The conversation in which the user continues: the fork if there is one, and otherwise the original. */
  readonly chat: Chat;
  readonly restored: readonly string[];
  readonly skipped: readonly SkippedFile[];
}

/** Restores files, and updates the lists of changes in the conversations. */
export class FileRestorer {
  constructor(private readonly deps: FileRestorerDeps) {}

  /**
   * Restores only the conversation, or without a prompt continues it in another one, with `agent` in a new session. Its
   * changes stay with the original conversation. @throws ChatError
   */
  async fork(chat: Chat, entryId?: string, agent?: ForkAgent): Promise<Chat> {
    const fork = await this.deps.chats.fork(chat.id, entryId, agent);
    await fork.restores.replaceChanges(withoutChange(pathsOf(fork.restores.remainingChanges)));
    return fork;
  }

  /**
   * Restores files, and the conversation if requested. @throws CheckpointError, ChatError; nothing was restored then,
   * and no conversation was created
   */
  async restore(request: RestoreRequest, signal: AbortSignal): Promise<ChatRestoreResult> {
    const { chat, entryId, isFork, point, refused } = request;
    await chat.restores.claim();
    const earlier = chat.restores.remainingChanges;
    const fork = isFork ? await this.deps.chats.fork(chat.id, entryId) : undefined;
    const stored: StoredRequest = { conversation: chat.id, turn: point.turn, entryId, ...(fork && { fork: fork.id }) };
    const outcome = await this.restoreFiles(request, stored, signal).catch(async (error: unknown) => {
      if (fork) await this.deps.chats.delete(fork.id).catch(() => undefined);
      throw error;
    });
    const skipped = [...outcome.skipped, ...refused];
    const done = { ...outcome, skipped };
    if (fork) await this.recordInFork(request, fork, done);
    else await this.recordInPlace(chat, point, earlier, done);
    return { chat: fork ?? chat, restored: outcome.restored, skipped };
  }

  /**
   * Records a restore that was interrupted and has now been finished, so that it can be undone. Undefined if its
   * conversation is unknown.
   * @throws CheckpointError, ChatError
   */
  async recordFinished(outcome: ResumeOutcome, signal: AbortSignal): Promise<FinishedRestore | undefined> {
    const { data } = StoredRequest.safeParse(outcome.request === undefined ? undefined : parseJson(outcome.request));
    const chat = await this.findChat(data?.conversation);
    const prompt = chat && promptOf(chat, data);
    if (!chat || !prompt) return undefined;
    await chat.restores.claim();
    await chat.restores.tellRestored(outcome.restored, outcome.target);
    const point = await chat.restores.restorePointBefore(prompt.id);
    const fork = await this.findChat(data?.fork);
    const restoreId = fork
      ? await this.recordInFork(
          { chat, point, preview: await this.requireCheckpoints().planRestore(point.folders, signal) },
          fork,
          outcome,
        )
      : await this.recordInPlace(chat, point, chat.restores.remainingChanges, outcome);
    return restoreId === undefined ? undefined : { chat: fork ?? chat, restoreId };
  }

  /** Returns how undoing a restore would change the files now. @throws CheckpointError */
  async previewUndo(chat: Chat, restore: Restore, signal: AbortSignal): Promise<UndoPreview> {
    const { paths, target, undo } = restore;
    const wanted = new Set(paths);
    const texts = await chat.restores.compareTexts(restore);
    // Checkpoints have all bytes of a file, but no unsaved text.
    const unsaved = new Set(restore.texts?.flatMap(({ isUnsaved = false, path }) => (isUnsaved ? [path] : [])));
    const isWanted = ({ path }: { readonly path: string }): boolean => wanted.has(path) && !unsaved.has(path);
    const found = await this.planUndo(restore, signal);
    const preview = found ?? noChanges;
    const withText = new Set(restore.texts?.map(({ path }) => path));
    const lost = found ? [] : paths.filter((path) => !withText.has(path));
    const isKnown = target.length > 0 || undo.length === 0;
    const since = isKnown ? await this.planOrNothing(target, signal) : undefined;
    const changed = new Set(pathsOf(preview.changes.filter(isWanted)));
    const fromTexts = new Set(texts.differing.filter((path) => wanted.has(path) && !changed.has(path)));
    return {
      preview,
      fromTexts,
      lost: lost.map((path) => ({ path, reason: 'Its checkpoint was removed.' })),
      paths: [...changed, ...fromTexts],
      changedSince: since && [
        ...new Set([
          ...pathsOf(since.changes.filter(isWanted)),
          ...preview.changes.filter((file) => isWanted(file) && isUnknown(file, since)).map(({ path }) => path),
          ...texts.changedSince,
        ]),
      ],
    };
  }

  /** Undefined if the checkpoints are gone, and the restore has texts. @throws CheckpointError, ChatError if it has none */
  private async planUndo({ texts = [], undo }: Restore, signal: AbortSignal): Promise<RestorePreview | undefined> {
    if (undo.length === 0) return noChanges;
    try {
      return await this.requireCheckpoints().planRestore(undo, signal);
    } catch (error) {
      const isRemoved = isCheckpointError(error) && error.code === 'unknownCheckpoint';
      if (texts.length === 0 || !(isRemoved || error instanceof ChatError)) throw error;
      return undefined;
    }
  }

  private async planOrNothing(
    target: readonly FolderCheckpoint[],
    signal: AbortSignal,
  ): Promise<RestorePreview | undefined> {
    if (target.length === 0) return noChanges;
    return await this.deps.checkpoints?.planRestore(target, signal).catch(() => undefined);
  }

  /** Undoes a restore, also in the other conversation of a fork. @throws CheckpointError, ChatError */
  async undo(chat: Chat, restore: Restore, files: UndoFiles, signal: AbortSignal): Promise<ChatRestoreResult> {
    const { id, paths } = restore;
    const origin = restore.origin === undefined ? chat : await this.findChat(restore.origin);
    const fork = restore.origin === undefined ? await this.findChat(restore.fork) : chat;
    const outcome = await this.saveLaterEdits(origin ?? chat, restore, files, () =>
      this.undoFiles(chat, origin ?? chat, restore, files, signal),
    );
    const skipped = [...outcome.skipped, ...files.refused, ...files.lost];
    const left = new Set([...pathsOf(skipped), ...files.left]);
    const previous = (origin?.restores.get(id) ?? restore).previous.filter(({ path }) => !left.has(path));
    // A restore that was only partly undone can be undone again.
    const isWhole = left.size === 0;
    const record = async (one: Chat, replaced: readonly RemainingChange[]): Promise<void> =>
      isWhole ? one.restores.recordUndone(id, replaced) : one.restores.replaceChanges(replaced);
    if (fork && fork !== origin) {
      await record(fork, withoutChange([...paths, ...pathsOf(previous)].filter((path) => !left.has(path))));
    }
    if (origin) await record(origin, previous);
    return { chat: origin ?? chat, restored: outcome.restored, skipped };
  }

  private async undoFiles(
    chat: Chat,
    owner: Chat,
    restore: Restore,
    { fromTexts, paths, preview }: UndoFiles,
    signal: AbortSignal,
  ): Promise<Pick<RestoreOutcome, 'restored' | 'skipped'>> {
    const fromCheckpoint = paths.filter((path) => !fromTexts.has(path));
    const outcome =
      fromCheckpoint.length > 0
        ? await this.restoreFromPreview(owner, preview, fromCheckpoint, 'Undo of a restore', signal)
        : { restored: [], skipped: [] };
    const texts = paths.filter((path) => fromTexts.has(path));
    await chat.restores.restoreTexts(restore, new Set(texts));
    return { ...outcome, restored: [...outcome.restored, ...texts] };
  }

  /** Saves what was changed since the restore and is overwritten by `undo`, so that it can be brought back, too. */
  private async saveLaterEdits<Outcome extends Pick<RestoreOutcome, 'restored'>>(
    chat: Chat,
    restore: Restore,
    { changedSince, paths }: UndoFiles,
    undo: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { id, turn } = restore;
    // Others may have changed a file while the user was asked. A file that a checkpoint restores is skipped then.
    const now = (await chat.restores.compareTexts(restore)).changedSince;
    const isEdited = (path: string): boolean => changedSince?.includes(path) !== false || now.includes(path);
    const edited = paths.filter(isEdited);
    if (edited.length === 0) return await undo();
    const undoId = await chat.restores.beginUndo(edited, turn, id);
    let done: readonly string[] = edited;
    try {
      const outcome = await undo();
      const restored = new Set(outcome.restored);
      done = edited.filter((path) => restored.has(path));
      return outcome;
    } finally {
      await chat.restores.endUndo(undoId, done);
    }
  }

  private async restoreFiles(
    request: RestoreRequest,
    stored: StoredRequest,
    signal: AbortSignal,
  ): Promise<RestoreOutcome> {
    const { chat, paths, point, preview } = request;
    if (paths.length === 0) return { restored: [], skipped: [], undo: [] };
    const label = `Restore to prompt ${point.turn}`;
    if (preview) return await this.restoreFromPreview(chat, preview, paths, label, signal, JSON.stringify(stored));
    return { ...(await revertTurns(request)), undo: [] };
  }

  private async restoreFromPreview(
    owner: Chat,
    ...restore: Parameters<RestoreCheckpoints['restore']>
  ): Promise<RestoreOutcome> {
    const [preview, paths] = restore;
    const wanted = new Set(paths);
    const files = preview.changes.filter(({ path }) => wanted.has(path));
    return await owner.restores.tellOthers(files, () => this.requireCheckpoints().restore(...restore));
  }

  /** Records the restore in the same conversation. Returns its id, or undefined if there is nothing to undo. */
  private async recordInPlace(
    chat: Chat,
    point: RestorePoint,
    earlier: readonly RemainingChange[],
    { restored, skipped, undo }: RestoreOutcome,
  ): Promise<string | undefined> {
    // If turns were reverted, their changes are already recorded.
    if (undo.length === 0 || restored.length === 0) return undefined;
    const wanted = new Set(restored);
    const restore = this.newRestore(point, { restored, skipped, undo });
    await chat.restores.recordRestore({
      ...restore,
      replaced: statesOf(point.remainingChanges, wanted),
      previous: statesOf(earlier, wanted),
    });
    return restore.id;
  }

  /** Records the restore in a fork, which reviews the changes before the prompt. The original reviews the others. */
  private async recordInFork(
    { chat, point, preview }: Pick<RestoreRequest, 'chat' | 'point' | 'preview'>,
    fork: Chat,
    { restored, skipped, undo }: RestoreOutcome,
  ): Promise<string | undefined> {
    const done = new Set(restored);
    const differing = preview ? preview.changes.map(({ path }) => path) : [...point.writtenPaths];
    const kept = new Set([...differing, ...pathsOf(skipped)].filter((path) => !done.has(path)));
    const moved = chat.restores.remainingChanges.filter(({ path }) => !kept.has(path));
    const left = withoutChange(pathsOf(fork.restores.remainingChanges).filter((path) => kept.has(path)));
    if (undo.length === 0 || restored.length === 0) {
      await chat.restores.replaceChanges(withoutChange(pathsOf(moved)));
      await fork.restores.replaceChanges(left);
      return undefined;
    }
    const restore = this.newRestore(point, { restored, skipped, undo });
    const replaced = withoutChange(pathsOf(moved));
    await chat.restores.recordRestore({ ...restore, fork: fork.id, replaced, previous: moved });
    await fork.restores.recordRestore({ ...restore, origin: chat.id, replaced: left, previous: [] });
    return restore.id;
  }

  private newRestore(
    { folders, isInTurn, turn }: RestorePoint,
    { restored, skipped, undo }: RestoreOutcome,
  ): Omit<Restore, 'previous'> {
    const copy = (some: readonly FolderCheckpoint[]): FolderCheckpoint[] => some.map((one) => ({ ...one }));
    const moment = { turn, ...(isInTurn && { isInTurn }), target: copy(folders) };
    return { id: this.deps.newId(), ...moment, undo: copy(undo), paths: [...restored], skipped: [...skipped] };
  }

  private async findChat(id: string | undefined): Promise<Chat | undefined> {
    return id === undefined ? undefined : await this.deps.chats.open(id).catch(() => undefined);
  }

  private requireCheckpoints(): RestoreCheckpoints {
    const { checkpoints } = this.deps;
    if (!checkpoints) throw new ChatError('notFound', 'There are no checkpoints in this window.');
    return checkpoints;
  }
}

/** Whether the file is there now, and a rule hides whether it was changed since the restore. */
function isUnknown({ change, path }: RestoreChange, { leftOut }: RestorePreview): boolean {
  return change !== 'created' && leftOut.some((place) => path === place || isInside(path, place, false));
}

interface FinishedRestore {
  /** The conversation in which the user continues. */
  readonly chat: Chat;
  readonly restoreId: string;
}

interface UndoPreview {
  readonly preview: RestorePreview;
  /** The files that differ. */
  readonly paths: readonly string[];
  /** Those of them that are restored from stored texts, because no checkpoint has what was in them. */
  readonly fromTexts: ReadonlySet<string>;
  /** Files that can no longer be restored. */
  readonly lost: readonly SkippedFile[];
  /** Files that were changed after the restore. Undefined if this is no longer known. */
  readonly changedSince: readonly string[] | undefined;
}

interface UndoFiles extends UndoPreview, Pick<RestoreRequest, 'refused'> {
  /** Files that the user has chosen to leave unchanged. */
  readonly left: readonly string[];
}

/** Reverts the turns since the prompt, newest first. For each file, stops at the first turn that cannot be reverted. */
async function revertTurns({ canChange, chat, paths, point }: RestoreRequest): Promise<Omit<RestoreOutcome, 'undo'>> {
  const wanted = new Set(paths);
  const restored = new Set<string>();
  const reasonByPath = new Map<string, string>();
  for (const [turn, changed] of point.pathsByTurn) {
    for (const path of changed) {
      if (!wanted.has(path) || reasonByPath.has(path)) continue;
      try {
        await chat.revert(path, { turn, protectedFiles: canChange(path) ? 'allow' : 'refuse' });
        restored.add(path);
      } catch (error) {
        reasonByPath.set(path, messageOf(error));
        restored.delete(path);
      }
    }
  }
  return {
    restored: [...restored],
    skipped: [...reasonByPath].map(([path, reason]) => ({ path, reason })),
  };
}

function promptOf({ transcript }: Chat, stored: StoredRequest | undefined): EntryOf<'prompt'> | undefined {
  for (const entry of transcript.entries('prompt'))
    if (entry.turn === stored?.turn && entry.id === (stored.entryId ?? entry.id)) return entry;
  return undefined;
}

function statesOf(states: readonly RemainingChange[], paths: ReadonlySet<string>): RemainingChange[] {
  const known = new Map(states.map((state) => [state.path, state]));
  return [...paths].map((path) => known.get(path) ?? { path });
}

function pathsOf(files: readonly { readonly path: string }[]): string[] {
  return files.map(({ path }) => path);
}

function withoutChange(paths: readonly string[]): RemainingChange[] {
  return [...new Set(paths)].map((path) => ({ path }));
}
