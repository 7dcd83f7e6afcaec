import { withUnixLineEndings } from '../changes/touchedFiles';

/** The text of a file on disk; null if there is no file. */
export type DiskText = string | null;

/** The file of an unsaved document. `base` is the text on disk that the unsaved text is based on. */
export type DiskState =
  /** The disk has the base. Saving the document loses nothing. */
  | { readonly kind: 'unchanged'; readonly base: DiskText }
  /** An agent has written another text since. `base` is undefined if it was never read. */
  | { readonly kind: 'conflict'; readonly base: DiskText | undefined; readonly disk: DiskText; readonly agent: string };

export interface DiskReading {
  readonly disk: DiskText;
  /** The text of the document. */
  readonly unsaved: string;
  /** The agent that may have written the file; undefined if others have. */
  readonly agent: string | undefined;
  /** The unsaved text is not based on what is on disk. */
  readonly isBehind?: boolean;
}

/**
 * Returns the next state after the file was read. `state` is undefined for the first reading. Changes by others than agents become
 * the base: VS Code reports them when the document is saved.
 */
export function nextDiskState(state: DiskState | undefined, reading: DiskReading): DiskState {
  const { agent, disk, isBehind = false, unsaved } = reading;
  const unchanged: DiskState = { kind: 'unchanged', base: disk };
  if (disk === unsaved) return unchanged;
  if (!state) return isBehind && agent !== undefined ? { kind: 'conflict', base: undefined, disk, agent } : unchanged;
  if (disk === state.base) return unchanged;
  if (state.kind === 'conflict') return { ...state, disk, agent: agent ?? state.agent };
  return agent === undefined ? unchanged : { kind: 'conflict', base: state.base, disk, agent };
}

interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/**
 * Whether `after` can be the result of applying the changes to `before`. Detects a document that was edited right after its file was
 * written, before VS Code had read it again. True if that cannot be known.
 */
export function canResultFromChanges(before: string, after: string, changes: readonly TextChange[]): boolean {
  const [change] = changes;
  if (!change || changes.length > 1) return true;
  const start = withUnixLineEndings(after.slice(0, change.rangeOffset));
  const end = withUnixLineEndings(after.slice(change.rangeOffset + change.text.length));
  const text = withUnixLineEndings(before);
  const removed = text.length - start.length - end.length;
  return removed >= 0 && removed <= change.rangeLength && text.startsWith(start) && text.endsWith(end);
}
