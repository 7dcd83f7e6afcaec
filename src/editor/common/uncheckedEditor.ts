import type { EditorPort, FileEdits, TextEdit, TextFile, WriteOptions } from './editorPort';
import type { WorkspacePath } from './globRules';
import type { TextBeforeAndAfter } from './protection/protection';

export interface ResolvedPath {
  /** Absolute path, as from `EditorPort.resolve`. */
  readonly path: string;
  /** The requested path, the real path, and paths through other links in the workspace. */
  readonly names: readonly WorkspacePath[];
}

export interface PendingChange extends ResolvedPath, TextBeforeAndAfter {
  /** Path as the peer gave it. */
  readonly requestedPath: string;
  readonly after: string;
}

/**
 * Called with the current text right before a file is changed, and again if the user edits it in the meantime. If it
 * throws, the write fails with the same error and nothing is changed.
 */
export type ChangeCheck = (change: PendingChange) => void;

/**
 * An editor that leaves approval checks to its caller. It does not extend `EditorPort`, so that features cannot receive it by
 * mistake; `WriteGuardedEditor` wraps it.
 */
export interface UncheckedEditor extends Omit<EditorPort, 'editText' | 'editFiles' | 'writeText' | 'protectionOf'> {
  /** Like `EditorPort.resolve`. @throws EditorError */
  resolveNames(path: string): Promise<ResolvedPath>;

  /** Like `EditorPort.editText`. */
  editTextWithCheck(
    path: string,
    edit: (file: TextFile) => readonly TextEdit[],
    check: ChangeCheck,
    options?: WriteOptions,
  ): Promise<TextFile>;

  /** Like `EditorPort.editFiles`. */
  editFilesWithCheck(changes: readonly FileEdits[], check: ChangeCheck, signal?: AbortSignal): Promise<TextFile[]>;

  /** Like `EditorPort.writeText`. */
  writeTextWithCheck(path: string, text: string, check: ChangeCheck, options?: WriteOptions): Promise<TextFile>;
}
