import { isCheckpointError } from '../../../changes/common/checkpointError';
import { isSameState } from '../../../changes/common/restorePlan';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type {
  ChangedFile,
  CurrentFileState,
  FolderCheckpoint,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import type { NoTextDiffReason, FileChange } from '../../../transcript/common/entries';
import { hasNoTexts } from '../../../transcript/common/shownChanges';
import { checkpointFor } from '../restore/checkpointFor';
import { ChatError, type FileStatesBeforeAndAfter } from '../chatPorts';
import type { LogRecord, NewRecord, RecordOf } from '../conversation/logRecord';
import type { FileTextId } from './fileTexts';
import { withUnixLineEndings } from './reportedFileChanges';
import type { ConversationClaims } from '../writes/fileTextClaims';
import type { UndoWrites } from '../writes/undoWrites';

/** The change that one turn has made to a file. */
interface StateChange extends Omit<ChangedFile, 'path'> {
  readonly turn: number;
  readonly kind: NoTextDiffReason | undefined;
  readonly isMixed: boolean;
}

/** A file that was restored to its state before a turn. */
export interface FileStateRestore {
  readonly turn: number;
  readonly target: FolderCheckpoint;
  /** The state of the folder immediately before the restore. */
  readonly undo: FolderCheckpoint;
}

interface StateChangesPorts {
  /** The checkpoints of the workspace folders. Undefined if they are turned off or there is no workspace. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  readonly claims: Pick<ConversationClaims, 'claim'>;
  readonly undoWrites: Pick<UndoWrites, 'ofStates'>;
  readonly record: (record: NewRecord) => void;
}

/**
 * Changes in a conversation that a text diff cannot show: binary and large files, symbolic links, file modes, line endings
 * and names. The checkpoints of the turns can undo them.
 */
export class NonTextChanges {
  /** Changes that the user has neither kept nor undone, one per turn, oldest first. */
  private readonly undecidedChangesByPath = new Map<string, readonly StateChange[]>();
  private readonly changesByTurn = new Map<number, Map<string, StateChange>>();
  /** Changes that an undo has taken back, by the id of the undo. */
  private readonly undoneById = new Map<string, ReadonlyMap<string, readonly StateChange[]>>();
  private readonly currentStateByPath = new Map<string, CurrentFileState>();
  /** The refresh that has set or removed the state of a file. */
  private readonly refreshNumberByPath = new Map<string, number>();
  private lastRefreshNumber = 0;

  constructor(private readonly ports: StateChangesPorts) {}

  get paths(): string[] {
    return [...this.undecidedChangesByPath.keys()];
  }

  /** Adds properties that a text diff cannot show to the changes of the conversation. */
  mergeWithTextChanges(changes: readonly FileChange[]): FileChange[] {
    return merged(changes, this.undecidedChangesByPath, this.currentStateByPath);
  }

  /** Adds properties that a text diff cannot show to the changes of a turn. */
  mergeWithTextChangesOfTurn(turn: number, changes: readonly FileChange[]): FileChange[] {
    const ofTurn = [...(this.changesByTurn.get(turn) ?? [])].map(([path, change]) => [path, [change]] as const);
    return merged(changes, new Map(ofTurn), this.currentStateByPath);
  }

  /** Whether the file has no texts that could be restored. */
  isWithoutTexts(path: string, turn?: number): boolean {
    return hasNoTexts(kindOf(this.changesOf(path, turn)));
  }

  hasChanges(path: string, turn?: number): boolean {
    return this.changesOf(path, turn).length > 0;
  }

  statesOf(path: string, turn: number | undefined): FileStatesBeforeAndAfter | undefined {
    const changes = this.changesOf(path, turn);
    const [first] = changes;
    return first && { before: first.before, after: changes.at(-1)?.after };
  }

  applyRecord(record: LogRecord): void {
    if (record.type === 'stateChanged') this.addRecord(record);
    else if (record.type === 'turnReverted') this.removeTurn(record.turn, record.path);
    else if (record.type === 'fileDecided') this.forget(record.path);
    else if (record.type === 'restored' && record.undid !== undefined) this.rememberForUndo(record.id, record.paths);
    else if (record.type === 'restoreUndone') this.bringBack(record.id);
  }

  /** Remembers the changes of these files. Call before they are undone. */
  rememberForUndo(id: string, paths: readonly string[]): void {
    const entries = [...this.undecidedChangesByPath].filter(([path]) => paths.includes(path));
    if (entries.length > 0) this.undoneById.set(id, new Map(entries));
  }

  /** Brings back the changes that were remembered for an undo. Call when it was undone. */
  bringBack(id: string): void {
    for (const [path, changes] of this.undoneById.get(id) ?? []) this.undecidedChangesByPath.set(path, changes);
    this.undoneById.delete(id);
  }

  /** `readAfter`: the moment of claims before the file was read. */
  record(
    turn: number,
    file: ChangedFile,
    kind: NoTextDiffReason | undefined,
    isMixed: boolean,
    readAfter?: number,
  ): void {
    const { after, before, checkpoint, path, renamedFrom } = file;
    if (hasNoTexts(kind)) this.ports.claims.claim(path, stateId(after), readAfter);
    const { folder, id } = checkpoint;
    const optional = withoutUndefined({ kind, renamedFrom, before, after, ...(isMixed && { isMixed }) });
    const record = { type: 'stateChanged', turn, path, folder, checkpoint: id, ...optional } as const;
    this.ports.record(record);
    this.addRecord(record);
  }

  /**
   * Reads the current states of all changed files, or of these. A refresh that ends after a later one changes nothing of
   * the files that both have read. Never rejects.
   */
  async refresh(paths?: ReadonlySet<string>): Promise<void> {
    const { checkpoints } = this.ports;
    if (!checkpoints || this.undecidedChangesByPath.size + this.changesByTurn.size === 0) return;
    const files = new Map<string, FolderCheckpoint>();
    for (const [path, [change]] of this.undecidedChangesByPath) if (change) files.set(path, change.checkpoint);
    for (const changes of this.changesByTurn.values()) {
      for (const [path, { checkpoint }] of changes) files.set(path, checkpoint);
    }
    const wanted = [...files].flatMap(([path, checkpoint]) =>
      paths?.has(path) === false ? [] : [{ path, checkpoint }],
    );
    const refresh = ++this.lastRefreshNumber;
    // Without states, changes appear as edited later, which is safe.
    const none: ReadonlyMap<string, CurrentFileState> = new Map();
    const states = wanted.length === 0 ? none : await checkpoints.currentStates(wanted).catch(() => none);
    for (const path of new Set([...this.currentStateByPath.keys(), ...wanted.map((file) => file.path)])) {
      const isNewer = (this.refreshNumberByPath.get(path) ?? 0) > refresh;
      if (isNewer || paths?.has(path) === false) continue;
      this.refreshNumberByPath.set(path, refresh);
      if (states.has(path)) this.currentStateByPath.set(path, states.get(path));
      else this.currentStateByPath.delete(path);
    }
  }

  /** Removes the changes to a file after the user has decided about them. Returns whether there were any. */
  forget(path: string): boolean {
    return this.undecidedChangesByPath.delete(path);
  }

  removeTurn(turn: number, path: string): void {
    this.changesByTurn.get(turn)?.delete(path);
    const left = (this.undecidedChangesByPath.get(path) ?? []).filter((change) => change.turn !== turn);
    if (left.length === 0) this.undecidedChangesByPath.delete(path);
    else this.undecidedChangesByPath.set(path, left);
  }

  /**
   * Restores a file that has no texts. Undefined if the file already has its earlier state.
   * @throws ChatError `notFound`, `changedSince` unless `force`; CheckpointError
   */
  async restore(path: string, turn: number | undefined, force: boolean): Promise<FileStateRestore | undefined> {
    const changes = this.changesOf(path, turn);
    const [first] = changes;
    if (!first) throw new ChatError('notFound', 'There are no known changes to this file.');
    const now = await this.currentState(path, first.checkpoint);
    if (now === 'other') {
      throw new ChatError(
        'notFound',
        'Another item has the name of this file, or the file can’t be read. Move it and try again.',
      );
    }
    const left = upTo(changes, now);
    if (!force && (isMixed(left) || (left.length > 0 && !isSameState(now, left.at(-1)?.after)))) {
      const when = turn === undefined ? 'conversation' : 'turn';
      throw new ChatError(
        'changedSince',
        `The file was changed after this ${when}. Undoing would lose those changes, too.`,
      );
    }
    return await this.restoreState(path, first, now, first.before);
  }

  /** Whether the file is unchanged since the agent's last change. Never rejects. */
  async isUnchangedSinceAgent(path: string, turn?: number): Promise<boolean> {
    const changes = this.changesOf(path, turn);
    const [first] = changes;
    if (!first) return false;
    const now = await this.currentState(path, first.checkpoint).catch(() => 'other' as const);
    const left = upTo(changes, now);
    return now !== 'other' && !isMixed(left) && isSameState(now, left.at(-1)?.after);
  }

  /**
   * Restores properties of the file that `text` does not contain, after `text` was restored. `isExact`: the file has
   * not changed since the agent's last change. Undefined if it already has its earlier state. @throws CheckpointError
   */
  async restoreNonTextParts(
    path: string,
    turn: number | undefined,
    text: string,
    isExact: boolean,
  ): Promise<FileStateRestore | undefined> {
    const [first] = this.changesOf(path, turn);
    const { checkpoints } = this.ports;
    if (!first?.before || !checkpoints) return undefined;
    const now = await this.currentState(path, first.checkpoint);
    if (now === undefined || now === 'other' || isSameState(now, first.before)) return undefined;
    const earlier = isExact ? (await checkpoints.textsBefore([{ path, ...first }])).get(path) : undefined;
    const isWhole = typeof earlier === 'string' && withUnixLineEndings(earlier) === withUnixLineEndings(text);
    const after = isWhole ? first.before : { ...now, kind: first.before.kind };
    return await this.restoreState(path, first, now, after);
  }

  /**
   * Deletes a file that others have edited. Takes a checkpoint before, because nothing else stores these edits. @throws
   * ChatError if no checkpoint can be taken
   */
  async deleteAfterCheckpoint(path: string, turn: number, deleteFile: () => Promise<void>): Promise<FileStateRestore> {
    const undo = await this.takeCheckpoint(path, 'undo');
    // The checkpoint does not contain the file if it is excluded or too large.
    const stored = undo && (await this.ports.checkpoints?.stateAt({ path, checkpoint: undo }));
    if (!stored) {
      const message =
        'The file was edited later and Backline can’t back it up, so it was not deleted. Delete it manually if you no longer need it.';
      throw new ChatError('storage', message);
    }
    await deleteFile();
    return { turn, target: (await this.takeCheckpoint(path)) ?? undo, undo };
  }

  private async takeCheckpoint(path: string, series?: string): Promise<FolderCheckpoint | undefined> {
    const { checkpoints } = this.ports;
    const options = { files: [path], series };
    const taken = await checkpoints?.take('Before undo of a change', new AbortController().signal, options);
    return checkpointFor(path, taken?.folders ?? []);
  }

  private changesOf(path: string, turn: number | undefined): readonly StateChange[] {
    if (turn === undefined) return this.undecidedChangesByPath.get(path) ?? [];
    const change = this.changesByTurn.get(turn)?.get(path);
    return change ? [change] : [];
  }

  private async currentState(path: string, checkpoint: FolderCheckpoint): Promise<CurrentFileState> {
    return (await this.ports.checkpoints?.currentStates([{ path, checkpoint }]))?.get(path);
  }

  private async restoreState(
    path: string,
    { checkpoint, turn }: StateChange,
    before: StateChange['before'],
    after: StateChange['after'],
  ): Promise<FileStateRestore | undefined> {
    const { checkpoints } = this.ports;
    if (isSameState(before, after)) return undefined;
    if (!checkpoints) {
      throw new ChatError(
        'notFound',
        'Checkpoints are turned off. Turn on backline.checkpoints.enabled to undo this change.',
      );
    }
    try {
      const undo = await this.ports.undoWrites.ofStates([{ path, after }], () =>
        checkpoints.restoreFile({ checkpoint, step: { path, before, after } }),
      );
      return { turn, target: checkpoint, undo };
    } catch (error) {
      if (!isCheckpointError(error)) throw error;
      if (error.code === 'changedMeanwhile') throw new ChatError('changedSince', error.message);
      if (error.code !== 'unknownCheckpoint') throw error;
      const message =
        'The checkpoint with the earlier file was deleted because of its age or size. Use Git history or a backup.';
      throw new ChatError('notFound', message);
    }
  }

  private addRecord(record: Omit<RecordOf<'stateChanged'>, 'at'>): void {
    const { folder, checkpoint, renamedFrom, isMixed: mixed = false, kind, path, turn } = record;
    const { after, before } = { before: undefined, after: undefined, ...record };
    const renamed = withoutUndefined({ renamedFrom });
    const change = { turn, kind, ...renamed, checkpoint: { folder, id: checkpoint }, before, after, isMixed: mixed };
    const earlier = upTo(
      (this.undecidedChangesByPath.get(path) ?? []).filter((one) => one.turn !== turn),
      before,
    );
    this.undecidedChangesByPath.set(path, [...earlier, change]);
    const ofTurn = this.changesByTurn.get(turn) ?? new Map<string, StateChange>();
    this.changesByTurn.set(turn, ofTurn.set(path, change));
  }
}

/** Returns the changes up to this state of the file. Restoring a checkpoint has undone the later ones. */
function upTo(changes: readonly StateChange[], state: CurrentFileState): readonly StateChange[] {
  if (state === 'other') return changes;
  const last = changes.findLastIndex(({ after }) => isSameState(after, state));
  if (last !== -1) return changes.slice(0, last + 1);
  return isSameState(changes[0]?.before, state) ? [] : changes;
}

function isMixed(changes: readonly StateChange[]): boolean {
  return changes.some((change, at) => {
    const next = changes[at + 1];
    return change.isMixed || (next !== undefined && !isSameState(change.after, next.before));
  });
}

/** Returns the kind of the combined changes. A kind without texts takes precedence. */
function kindOf(changes: readonly StateChange[]): NoTextDiffReason | undefined {
  const kinds = changes.flatMap(({ kind }) => kind ?? []);
  return kinds.findLast(hasNoTexts) ?? kinds.at(-1);
}

function merged(
  texts: readonly FileChange[],
  states: ReadonlyMap<string, readonly StateChange[]>,
  stateByPath: ReadonlyMap<string, CurrentFileState>,
): FileChange[] {
  if (states.size === 0) return [...texts];
  const textByPath = new Map(texts.map((change) => [change.path, change]));
  const changes: FileChange[] = [];
  for (const text of texts) {
    const known = states.get(text.path);
    if (!known) changes.push(text);
    else if (!hasNoTexts(kindOf(known))) changes.push({ ...text, ...shownBeside(text, known) });
  }
  for (const [path, known] of states) {
    const now = stateByPath.has(path) ? stateByPath.get(path) : 'other';
    const change = hasNoTexts(kindOf(known)) || !textByPath.has(path) ? changeOf(path, known, now) : undefined;
    if (change) changes.push(change);
  }
  return changes;
}

/** Returns the properties of a change that are shown in addition to its text. */
function shownBeside({ change }: FileChange, known: readonly StateChange[]): Pick<FileChange, 'kind' | 'renamedFrom'> {
  const kind = change === 'modified' ? kindOf(known) : undefined;
  const last = known.findLast((one) => one.renamedFrom !== undefined);
  return withoutUndefined({ kind, renamedFrom: change === 'created' ? last?.renamedFrom : undefined });
}

/** Returns the part of the change that is still in the file, without its text. */
function changeOf(path: string, all: readonly StateChange[], now: CurrentFileState): FileChange | undefined {
  const known = upTo(all, now);
  const [first] = known;
  const kind = kindOf(known);
  const last = known.at(-1);
  if (!first || !last || kind === undefined || (now !== 'other' && isSameState(now, first.before))) return undefined;
  const counts = { added: 0, removed: 0 };
  const isLeft = now !== 'other' && isSameState(now, last.after);
  if (hasNoTexts(kind)) {
    const change = first.before === undefined ? 'created' : now === undefined ? 'deleted' : 'modified';
    const state = isLeft && !isMixed(known) ? 'applied' : 'changedSince';
    return { path, kind, ...withoutUndefined({ renamedFrom: last.renamedFrom }), change, ...counts, state };
  }
  if (now === undefined || now === 'other' || !first.before) return undefined;
  const isThere = kind === 'mode' ? now.kind !== first.before.kind : isLeft;
  return isThere ? { path, kind, change: 'modified', ...counts, state: 'applied' } : undefined;
}

/** Returns the id of a state, for claims. Null if there is no file, as for texts. */
export function stateId(state: StateChange['after']): FileTextId {
  return state ? `state ${state.kind} ${state.object}` : null;
}
