import { isSameState } from '../../../changes/common/restorePlan';
import type { ChangedFile, CurrentFileState } from '../../../changes/common/workspaceCheckpoints';
import type { FileTextId } from '../changes/fileTexts';
import type { LogRecord, RecordOf } from '../conversation/logRecord';

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
}

/** A state of a file, which texts do not show. */
interface StateOfTrail extends Pick<ChangedFile, 'checkpoint'> {
  readonly turn: number;
  readonly state: ChangedFile['before'];
}

/** A file at one moment. */
export interface FileMoment {
  readonly text: FileTextId;
  /** Undefined if unknown. */
  readonly state: { readonly value: CurrentFileState } | undefined;
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
  reader.trails.clear();
  for (const record of recordsSince) reader.read(record);
  return reader.trails;
}

/** Whether the file has, or has had, contents of somebody else since the prompt. `before` is the file at the prompt. */
export function isEditedByOthers(trail: FileTrail, now: FileMoment, before: FileMoment): boolean {
  const { first, firstState, isEdited, known, last, lastState } = trail;
  if (isEdited || (before.text !== undefined && first !== undefined && before.text !== first)) return true;
  if (firstState && before.state && !isState(before.state.value, firstState.state)) return true;
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
  private readonly restoredById = new Map<string, readonly string[]>();

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
      this.restoredById.set(record.id, record.paths);
      for (const path of record.paths) this.addStep(path, undefined, undefined);
    } else if (record.type === 'restoreUndone') {
      for (const path of this.restoredById.get(record.id) ?? []) this.addStep(path, undefined, undefined);
    }
  }

  private addStep(path: string, found: FileTextId, left: FileTextId, isMixed = false): void {
    const trail = this.trails.get(path);
    const previous = this.lastByPath.get(path);
    const base = found === undefined ? previous : found;
    const isChangedBetween = trail !== undefined && base !== undefined && previous !== undefined && base !== previous;
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
    });
  }
}
