import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { TextBeforeAndAfter, Protection } from './protection/protection';

/**
 * The editor operations available to a peer (an agent, the Amp CLI, a context provider). Every path is checked against
 * the workspace boundary and the exclude list.
 *
 * Paths are absolute paths on the machine of the extension host. Positions are as in VS Code and LSP: 0-based lines,
 * 0-based UTF-16 characters, end exclusive.
 */
export interface EditorPort {
  /** The workspace folders on disk, in workspace order. */
  readonly folders: readonly WorkspaceFolder[];
  readonly onDidChangeFolders: Event<void>;

  /**
   * Returns the absolute path for a peer's path, checked against the boundary and the exclude list. A relative path is
   * resolved in the first workspace folder where it exists, or else in the first folder. `~` and environment variables
   * are not expanded. The file need not exist, but its nearest existing parent must be in the workspace.
   * @throws EditorError `outsideWorkspace`, `excluded`, `invalidPath`
   */
  resolve(path: string): Promise<string>;

  /**
   * Like `resolve`, but resolves all links in the workspace folder, so that all paths of a file have the same result.
   * Permissions are checked for this path.
   * @throws the same EditorErrors as `resolve`
   */
  realPathOf(path: string): Promise<string>;

  /**
   * Returns the buffer of an open file if it has unsaved changes or the text on disk, or if the file cannot be read. Otherwise,
   * returns the file, decoded as VS Code does. @throws EditorError
   */
  readText(path: string, options?: ReadTextOptions): Promise<TextFile>;

  /** Reads bytes from disk and ignores unsaved changes. @throws EditorError */
  readBytes(path: string, options?: ReadBytesOptions): Promise<FileBytes>;

  /** Returns the size, time and kind of a file or folder. @throws EditorError */
  stat(path: string): Promise<FileStat>;

  /**
   * Returns sorted absolute paths of files that match a glob in VS Code's syntax, relative to each workspace folder. Omits
   * files excluded by Backline or `files.exclude`.
   */
  glob(pattern: string, options?: { maxResults?: number; signal?: AbortSignal }): Promise<string[]>;

  /**
   * Returns why changing this file needs approval, or undefined if it does not. Without a `change`, `package.json` always
   * needs approval.
   * @throws the same EditorErrors as `resolve`
   */
  protectionOf(path: string, change?: TextBeforeAndAfter): Promise<Protection | undefined>;

  /**
   * Replaces the whole text with the smallest single edit, so that cursors, folding and undo survive, then saves. Creates
   * missing files and folders. Converts `\n` to the document's line ending.
   * @throws the same EditorErrors as `editText`
   */
  writeText(path: string, text: string, options?: WriteOptions): Promise<TextFile>;

  /**
   * Calls `edit` with the current text, applies the returned edits as one undo step, then saves unless `save` is false. Reads
   * and writes of one file never interleave. Encoding, byte order mark and line endings are preserved.
   * @throws EditorError `staleVersion` if the text does not match `expectedVersion`; `dirty` with `ifDirty: 'refuse'`;
   *   `notText` if the file has bytes that are invalid in its encoding; `invalidText` if the encoding cannot represent the new
   *   text; `protected` (`ProtectedChangeError`) if approval is missing; `untrusted`; `saveFailed` (the buffer keeps the
   *   edit); `editRejected`, also if the path leads outside the workspace after saving: the text may have been written there.
   *   Errors from `edit` are rethrown and nothing is changed.
   */
  editText(path: string, edit: (file: TextFile) => readonly TextEdit[], options?: WriteOptions): Promise<TextFile>;

  /**
   * Throws what `writeText` would throw for this text, except for missing approval. Changes nothing. Call it before the user
   * is asked, who must not be asked about an edit that cannot be made.
   * @throws the same EditorErrors as `editText`
   */
  requireWritable(path: string, text: string): Promise<void>;

  /**
   * Edits several files as one undo step: either all of them or none. Saves the files that were not dirty before.
   * Returns the files in the given order; a file that could not be saved is dirty.
   * @throws the same EditorErrors as `editText`, but not `saveFailed`
   */
  editFiles(changes: readonly FileEdits[], options?: EditFilesOptions): Promise<TextFile[]>;

  /**
   * Saves the file if it is open and dirty. @throws EditorError `saveFailed`, and `dirty` for a custom editor, which only the user
   * can save
   */
  save(path: string): Promise<void>;

  /**
   * Returns VS Code's current diagnostics for a file, a folder, or (without a path) the workspace. Omits excluded files and
   * files without diagnostics. Sorted by path, in the order of UTF-16 units.
   * @throws EditorError for a path that is outside, excluded or missing; `cancelled`
   */
  diagnostics(path?: string, options?: DiagnosticsOptions): Promise<FileDiagnostics[]>;

  /**
   * Selections of the active editor, primary first. Undefined if no editor is active or agents may not read its file.
   */
  readonly activeSelection: EditorSelection | undefined;
  /** Selections of all visible text editors whose files peers can access, the active editor first. */
  readonly selections: readonly EditorSelection[];
  /** Unique files in visible text editors that peers can access, the active file first. */
  readonly visibleFiles: readonly string[];
  readonly onDidChangeSelection: Event<void>;
  readonly onDidChangeVisibleFiles: Event<void>;

  /**
   * Opens a file, or an http(s) link in the browser. A path or `file:` URI can end with `#L12`, `#L12:5`, `#L12C5`,
   * `#L12-L20` or `#L12-20` (1-based, end line included) to select a range.
   * @throws EditorError also `unsupportedUri`
   */
  open(uriOrPath: string, options?: OpenOptions): Promise<void>;

  /** Opens a diff of the current text and `proposedText`. Disposing the result closes it. @throws EditorError */
  showDiff(path: string, proposedText: string, title: string): Promise<Disposable>;
}

export interface WorkspaceFolder {
  readonly name: string;
  /** Absolute path from VS Code; links are not resolved. */
  readonly path: string;
}

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

/** Edits of one file. Their ranges refer to the text of `expectedVersion`. */
export interface FileEdits {
  readonly path: string;
  readonly edits: readonly TextEdit[];
  readonly expectedVersion: FileVersion;
}

export type EditFilesOptions = Pick<WriteOptions, 'protectedFiles' | 'signal'>;

/** Opaque token that changes with the text, in the buffer or on disk. Compare for equality only. */
export type FileVersion = string;

export interface TextFile {
  readonly path: string;
  readonly text: string;
  readonly version: FileVersion;
  readonly isDirty: boolean;
  /** Whether some bytes are invalid in the file's encoding and were decoded as U+FFFD. Such a file cannot be edited. */
  readonly hasInvalidBytes?: boolean;
}

export interface ReadTextOptions {
  /**
   * Return the buffer of an open file even if the file has changed on disk and VS Code has not read it again. Set this if the text
   * is used together with language features or positions in the editor, which refer to the buffer. `updated` first makes VS Code
   * read such a file again if possible, which can take more than a second: use it only before a language feature is asked.
   */
  readonly fromBuffer?: 'asIs' | 'updated';
  /** Maximum size in bytes on disk, or in UTF-16 units of an open buffer; default 32 MiB. */
  readonly maxBytes?: number;
  /** Cancels a read that has to wait. */
  readonly signal?: AbortSignal;
}

export interface ReadBytesOptions {
  /** First byte to read; default 0. */
  readonly offset?: number;
  /** Maximum number of bytes; default 32 MiB. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface FileBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Size of the whole file in bytes, even if only a part of it was read. */
  readonly fileSize: number;
  readonly version: FileVersion;
}

export interface FileStat {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'other';
  /** Size on disk, in bytes. */
  readonly size: number;
  /** Time of the last modification, in milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly version: FileVersion;
  /** Whether an editor has unsaved changes of the file. Those of notebooks and custom editors are not in the text of the file. */
  readonly isDirty: boolean;
}

export interface WriteOptions {
  /** The write fails with `staleVersion` if the text has another version. */
  readonly expectedVersion?: FileVersion;
  /** How to handle the user's unsaved changes: `keep` (default) edits the unsaved text, `refuse` throws `dirty`. */
  readonly ifDirty?: 'keep' | 'refuse';
  /** Whether to save after the edit. The default is true unless the buffer was already dirty. */
  readonly save?: boolean;
  /**
   * Deadline for the save, in milliseconds of the monotonic clock. After it, saving continues in the background,
   * `isDirty` of the result is true, and errors are logged. Default: no deadline.
   */
  readonly awaitSaveUntil?: number;
  /**
   * `refuse` (default) throws `ProtectedChangeError` for a change that needs approval. Use `allow` only if the user approved
   * or made exactly this change.
   */
  readonly protectedFiles?: 'refuse' | 'allow';
  /** If set, changes to any file need approval, for this reason. The user sees it as part of a sentence. */
  readonly askBecause?: string;
  /**
   * Called with the current text of an existing file right before it is replaced by another text. The write fails with
   * `staleVersion` if the result is false.
   */
  readonly mayReplace?: (text: string) => boolean;
  /** Called after all checks, right before the file is changed. From then on, `signal` has no effect. */
  readonly onWillApply?: () => void;
  /** If aborted before the edit is applied, nothing is changed. */
  readonly signal?: AbortSignal;
}

export interface DiagnosticsOptions {
  /** Maximum number of files in the result; default 1,000. */
  readonly maxFiles?: number;
  /** Default all. Files without diagnostics of these severities do not count. */
  readonly severities?: readonly DiagnosticSeverity[];
  readonly signal?: AbortSignal;
}

export interface OpenOptions {
  /** Whether to keep the focus where it is; default false. */
  readonly preserveFocus?: boolean;
  /** Whether to open a preview tab, which the next opened file replaces; default true. */
  readonly preview?: boolean;
}

export interface EditorSelection {
  readonly path: string;
  /** The selections, primary first. Contains at least one. */
  readonly selections: readonly SelectedText[];
}

export interface SelectedText extends Range {
  /** Truncated to 16,384 UTF-16 units; empty for a cursor. */
  readonly text: string;
}

export type DiagnosticSeverity = 'error' | 'warning' | 'information' | 'hint';

export interface FileDiagnostics {
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly range: Range;
  readonly severity: DiagnosticSeverity;
  readonly message: string;
  readonly source?: string;
  readonly code?: string;
  /** First line of the range, without its line ending. Empty if the file cannot be read. */
  readonly lineText: string;
  /** UTF-16 offsets of the range in the whole text. */
  readonly startOffset: number;
  readonly endOffset: number;
}

export type EditorErrorCode =
  | 'invalidPath'
  | 'unsupportedUri'
  | 'outsideWorkspace'
  | 'excluded'
  | 'protected'
  /** The user's settings deny the operation. */
  | 'denied'
  | 'untrusted'
  | 'notFound'
  | 'isDirectory'
  | 'notAFile'
  | 'notText'
  | 'tooLarge'
  | 'invalidRange'
  | 'invalidText'
  | 'staleVersion'
  | 'dirty'
  | 'editRejected'
  | 'saveFailed'
  | 'cancelled'
  | 'io';

/** A failed editor operation. The message contains the path as the peer gave it and explains what to do. */
export class EditorError extends Error {
  override readonly name = 'EditorError';
  constructor(
    readonly code: EditorErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Also recognizes errors from other bundles, where `instanceof` fails. */
export function isEditorError(error: unknown): error is EditorError {
  return error instanceof Error && error.name === 'EditorError';
}

/** @throws EditorError `cancelled` if the signal is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EditorError('cancelled', 'The request was canceled.', { cause: signal.reason });
}
