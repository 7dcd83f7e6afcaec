import type { FileTextId } from '../changes/fileTexts';
import type { LogRecord } from '../conversation/logRecord';

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

/** Whether the file has, or has had, a text of somebody else since the prompt. `before` is its text at the prompt. */
export function isEditedByOthers(trail: FileTrail, now: FileTextId, before: FileTextId): boolean {
  const { first, isEdited, known, last } = trail;
  if (isEdited || (before !== undefined && first !== undefined && before !== first)) return true;
  if (now === undefined) return false;
  return last === undefined ? !known.has(now) : now !== last;
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
    });
    this.lastByPath.set(path, left);
  }
}
