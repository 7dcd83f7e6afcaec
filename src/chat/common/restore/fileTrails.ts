import { isSameState } from '../../../changes/common/restorePlan';
import type { ChangedFile, CurrentFileState, FolderCheckpoint } from '../../../changes/common/workspaceCheckpoints';
import type { FileTextId } from '../changes/fileTexts';
import type { LogRecord, RecordOf } from '../conversation/logRecord';
import { checkpointFor } from './checkpointFor';

/** What the records since a prompt say about the text of a file. */
export interface FileTrail {
  /** The text before the agent's first change since the prompt. Undefined if unknown. */
  readonly first: FileTextId;
  /** The text that the agent, or an undo of its change, has left. Undefined if unknown. */
  readonly last: FileTextId;
  /** Whether others have changed the file between the changes of the agent. */
  readonly isEdited: boolean;
  /** All texts that the agent has found or left, and those that an undo has left. */
  readonly known: ReadonlySet<FileTextId>;
  /** The state before the first change. Undefined if that change had texts. */
  readonly firstState?: StateOfTrail | undefined;
  /** The state that the last change has left. Undefined if that change had texts, or if the state is unknown. */
  readonly lastState?: StateOfTrail | undefined;
  /** The checkpoint with what a restore, or an undo, has left as the last change. */
  readonly lastCheckpoint?: FolderCheckpoint | undefined;
}

/** A state of a file that a text diff cannot show. */
interface StateOfTrail extends Pick<ChangedFile, 'checkpoint'> {
  readonly turn: number;
  readonly state: ChangedFile['before'];
}

/** A file at one moment. */
export interface FileMoment {
  readonly text: FileTextId;
  /** Undefined if unknown. */
  readonly state: { readonly value: CurrentFileState } | undefined;
  /** Whether the text is unsaved, so that the state is not about it. */
  readonly isDirty?: boolean;
}

/**
 * Returns the trail of each file that the agent has changed since a prompt, also of those that the user has already kept or
 * undone.
 */
export function fileTrails(
  recordsBefore: readonly LogRecord[],
  recordsSince: readonly LogRecord[],
): ReadonlyMap<string, FileTrail> {
  const reader = new TrailReader();
  for (const record of recordsBefore) reader.read(record);
  reader.startAtPrompt();
  for (const record of recordsSince) reader.read(record);
  return reader.trails;
}

/**
 * Whether the file has, or has had, contents of somebody else since the prompt. `before` is the file at the prompt, and `left` its
 * state in the last checkpoint of the trail.
 */
export function isEditedByOthers(
  trail: FileTrail,
  now: FileMoment,
  before: FileMoment,
  left: FileMoment['state'],
): boolean {
  const { first, firstState, isEdited, known, last, lastState } = trail;
  if (isEdited || (before.text !== undefined && first !== undefined && before.text !== first)) return true;
  if (firstState && before.state && !isState(before.state.value, firstState.state)) return true;
  if (left && left.value !== 'other' && now.state) {
    return !isState(now.state.value, left.value) || (now.isDirty === true && !known.has(now.text));
  }
  if (lastState) return now.state !== undefined && !isState(now.state.value, lastState.state);
  const text = hasText(now) ? now.text : undefined;
  // Something without a text, such as a link, is in the place of what was left.
  if (text === undefined) return last !== undefined;
  return last === undefined ? !known.has(text) : text !== last;
}

/** Whether the text is that of the file itself. Reading follows links, and finds nothing behind some of them. */
function hasText({ state, text }: FileMoment): boolean {
  const value = state?.value;
  if (text === null) return value === undefined;
  return value === undefined || value === 'other' || value.kind !== 'symlink';
}

function isState(current: CurrentFileState, state: ChangedFile['before']): boolean {
  return current !== 'other' && isSameState(current, state);
}

class TrailReader {
  readonly trails = new Map<string, FileTrail>();
  private readonly lastByPath = new Map<string, FileTextId>();
  private readonly snapshotByPath = new Map<string, FileTextId>();
  private readonly mixedPaths = new Set<string>();
  /** All texts that the agent, or an undo, has found or left until now, also before the prompt. */
  private readonly knownByPath = new Map<string, Set<FileTextId>>();
  /** The files of each restore, with their trails before it. Without trails if the restore was before the prompt. */
  private readonly restoredById = new Map<string, ReadonlyMap<string, FileTrail | undefined>>();
  /** By the id of an undo, its files of which no other record tells what it has left. */
  private readonly unknownByUndo = new Map<string, Set<string>>();

  /** Call when all records before the prompt were read. */
  startAtPrompt(): void {
    this.trails.clear();
    for (const [id, trails] of this.restoredById) {
      this.restoredById.set(id, new Map([...trails.keys()].map((path) => [path, undefined])));
    }
  }

  read(record: LogRecord): void {
    if (record.type === 'snapshot') this.snapshotByPath.set(record.path, record.text);
    else if (record.type === 'written') {
      const { after, base, isDoubtful = false, isMixed = false, path } = record;
      const found = base ?? this.snapshotByPath.get(path);
      this.snapshotByPath.delete(path);
      // Without a base, only the agent's own text was replaced, unless others have written at the same time.
      const isNewlyMixed = isMixed && base === undefined && !this.mixedPaths.has(path);
      if (isMixed) this.mixedPaths.add(path);
      this.addStep(path, base === null ? null : found, after, isDoubtful || isNewlyMixed);
    } else if (record.type === 'rebased') this.addStep(record.path, record.after, record.after);
    else if (record.type === 'stateChanged') this.addState(record);
    else if (record.type === 'fileDecided') {
      this.mixedPaths.delete(record.path);
      if (record.decision === 'reverted') this.addStep(record.path, record.found, record.left);
    } else if (record.type === 'hunkUndone' || record.type === 'turnReverted') {
      this.addStep(record.path, record.found, record.after);
    } else if (record.type === 'restored') {
      this.restoredById.set(record.id, new Map(record.paths.map((path) => [path, this.trails.get(path)])));
      // An undo of changes has not undone anything yet. It records what it undoes in a file, unless the file has no text.
      if (record.undid !== undefined) this.unknownByUndo.set(record.id, new Set(record.paths));
      else this.addRestored(record.paths, record.target);
    } else if (record.type === 'undoDone') {
      const unknown = this.unknownByUndo.get(record.id);
      this.unknownByUndo.delete(record.id);
      this.addRestored(
        record.paths.filter((path) => unknown?.has(path) === true),
        record.target,
      );
    } else if (record.type === 'restoreUndone') {
      this.unknownByUndo.delete(record.id);
      for (const [path, trail] of this.restoredById.get(record.id) ?? []) this.addUndoneRestore(path, trail);
    }
  }

  /** Adds what a restore to these checkpoints has left. */
  private addRestored(paths: readonly string[], target: readonly FolderCheckpoint[]): void {
    for (const path of paths) {
      this.addStep(path, undefined, undefined);
      const trail = this.trails.get(path);
      const lastCheckpoint = checkpointFor(path, target);
      if (trail && lastCheckpoint) this.trails.set(path, { ...trail, lastCheckpoint });
    }
  }

  /** The file is as it was before a restore, also with what others had changed by then. */
  private addUndoneRestore(path: string, before: FileTrail | undefined): void {
    this.addStep(path, undefined, undefined);
    const now = this.trails.get(path);
    if (!before || !now) return;
    this.trails.set(path, { ...before, isEdited: before.isEdited || now.isEdited, known: now.known });
    this.lastByPath.set(path, before.last);
  }

  private addStep(path: string, found: FileTextId, left: FileTextId, isMixed = false): void {
    for (const paths of this.unknownByUndo.values()) paths.delete(path);
    const trail = this.trails.get(path);
    const previous = this.lastByPath.get(path);
    const base = found === undefined ? previous : found;
    const everKnown = this.knownByPath.get(path) ?? new Set();
    const isAfterUnknown = previous === undefined && this.lastByPath.has(path);
    const isChangedBetween =
      trail !== undefined && base !== undefined && (isAfterUnknown ? !everKnown.has(base) : base !== previous);
    this.knownByPath.set(path, everKnown.add(base).add(left));
    this.trails.set(path, {
      first: trail ? trail.first : base,
      last: left,
      isEdited: isMixed || isChangedBetween || (trail?.isEdited ?? false),
      known: new Set([...(trail?.known ?? []), base, left].filter((text) => text !== undefined)),
      firstState: trail?.firstState,
    });
    this.lastByPath.set(path, left);
  }

  private addState({ path, ...record }: RecordOf<'stateChanged'>): void {
    const { checkpoint, folder, isMixed = false, turn } = record;
    const { after, before } = { before: undefined, after: undefined, ...record };
    const trail = this.trails.get(path);
    const known = { turn, checkpoint: { folder, id: checkpoint } };
    const previous = trail?.lastState;
    // All changes of a turn begin with the checkpoint before it.
    const isChangedBetween = previous !== undefined && previous.turn !== turn && !isSameState(previous.state, before);
    this.trails.set(path, {
      ...(trail ?? { first: undefined, last: undefined, known: new Set(), firstState: { ...known, state: before } }),
      isEdited: isMixed || isChangedBetween || (trail?.isEdited ?? false),
      lastState: { ...known, state: after },
      lastCheckpoint: undefined,
    });
  }
}
