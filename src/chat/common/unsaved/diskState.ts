import { withUnixLineEndings } from '../changes/reportedFileChanges';

/** The text of a file on disk; null if the file does not exist. */
export type DiskText = string | null;

/** The state of an unsaved document's file. `base` is the text on disk on which the unsaved text is based. */
export type DiskState =
  /** The file on disk still has the base text. Saving the document loses nothing. */
  | { readonly kind: 'unchanged'; readonly base: DiskText }
  /** An agent has written different text to the file. `base` is undefined if the base text was never read. */
  | { readonly kind: 'conflict'; readonly base: DiskText | undefined; readonly disk: DiskText; readonly agent: string };

export interface DiskReading {
  readonly disk: DiskText;
  /** The text of the document. Undefined if an editor shows something else than text. */
  readonly unsaved: string | undefined;
  /** The agent that may have written the file. Undefined if only others can have written it. */
  readonly agent: string | undefined;
  /** Whether the unsaved text is based on a different version from the one on disk. */
  readonly isBehind?: boolean;
}

/**
 * Returns the next state after the file was read. `state` is undefined the first time. A change that no agent can have
 * made becomes the base, because VS Code itself warns about it when the document is saved.
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
 * Whether `after` can be the result of applying the changes to `before`. Detects a document that was edited after its
 * file was written and before VS Code has read the file again. True if this cannot be determined.
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
