import type { EditorPort, TextEdit, TextFile, WriteOptions } from './editorPort';
import type { FileName } from './globRules';
import type { ContentChange } from './protection/protection';

/** Where a path leads. */
export interface FilePlace {
  /** Absolute, as `EditorPort.resolve` gives it. */
  readonly path: string;
  /** The one that was asked for, the one with all links resolved, and those that it has by other links of the workspace. */
  readonly names: readonly FileName[];
}

/** A change that is about to be made. */
export interface PlacedChange extends FilePlace, ContentChange {
  /** As the peer named it. */
  readonly requested: string;
  readonly after: string;
}

/**
 * Called in the turn of the file, with the text it has then, right before it is changed, and not when nothing would change.
 * It may be called again when the user was quicker. What it throws is what the write throws, and nothing is changed.
 */
export type ChangeCheck = (change: PlacedChange) => void;

/**
 * An editor as an adapter makes it: whoever writes has to say what is checked. It is no `EditorPort`, so that no feature can
 * be given one by mistake; `GuardedEditor` makes one of it.
 */
export interface UncheckedEditor extends Omit<EditorPort, 'editText' | 'writeText' | 'protectionOf'> {
  /** As `resolve`. @throws EditorError */
  locate(path: string): Promise<FilePlace>;

  /** As `EditorPort.editText`. */
  editChecked(
    path: string,
    edit: (file: TextFile) => readonly TextEdit[],
    check: ChangeCheck,
    options?: WriteOptions,
  ): Promise<TextFile>;

  /** As `EditorPort.writeText`. */
  writeChecked(path: string, text: string, check: ChangeCheck, options?: WriteOptions): Promise<TextFile>;
}
