import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { ContentChange, Protection } from './protection/protection';

/**
 * Everything a peer (an agent, the Amp CLI, a context provider) may ask of the editor. One adapter implements it over
 * VS Code; every path that enters goes through its boundary (workspace folders by realpath) and its exclude list.
 *
 * Paths are absolute file system paths of the machine the extension host runs on. Positions are VS Code's and LSP's:
 * 0-based lines, 0-based UTF-16 characters, end exclusive.
 */
export interface EditorPort {
  /** The workspace folders on disk, in the workspace's order. Empty in a window without a folder. */
  readonly folders: readonly WorkspaceFolder[];
  readonly onDidChangeFolders: Event<void>;

  /**
   * The absolute path that a peer's path names, checked against the boundary and the exclude list. A relative path is
   * taken from the first workspace folder that has it, else from the first one. `~` and environment variables are not expanded.
   * The file need not exist; its nearest existing parent must be inside.
   * @throws EditorError `outsideWorkspace`, `excluded`, `invalidPath`
   */
  resolve(path: string): Promise<string>;

  /** The text of a file: the editor's buffer when it is open, else what is on disk, decoded as VS Code would. @throws EditorError */
  readText(path: string, options?: ReadOptions): Promise<TextFile>;

  /** Bytes as they are on disk, whatever the buffer holds. @throws EditorError */
  readBytes(path: string, options?: ReadBytesOptions): Promise<FileBytes>;

  /** @throws EditorError */
  stat(path: string): Promise<FileStat>;

  /**
   * Absolute paths of files that match a glob (VS Code's syntax, relative to each workspace folder), sorted, without
   * excluded ones and without what `files.exclude` hides.
   */
  glob(pattern: string, options?: { maxResults?: number; signal?: AbortSignal }): Promise<string[]>;

  /**
   * Why the user is asked before this file is changed; undefined when it is not protected. Without a `change` a file that is
   * protected for some changes only (package.json) counts as protected.
   * @throws EditorError as `resolve`
   */
  protectionOf(path: string, change?: ContentChange): Promise<Protection | undefined>;

  /**
   * Makes `text` the whole text of the file by the smallest single edit, so that cursors, folding and undo survive, then
   * saves. A missing file and its folders are created. `\n` in `text` becomes the document's own line ending.
   * @throws EditorError as `editText`
   */
  writeText(path: string, text: string, options?: WriteOptions): Promise<TextFile>;

  /**
   * Applies what `edit` makes of the text the file has when its turn comes (reads and writes of one file never interleave) as
   * one undo step, then saves unless told not to. The ranges refer to that text. Encoding, byte order mark and line endings
   * stay what they are.
   * @throws EditorError `staleVersion` when the text is no longer that of `expectedVersion`, `dirty` under `ifDirty: 'refuse'`,
   *   `notText` for a file with bytes that its encoding does not have, `invalidText` for new text that it cannot hold,
   *   `protected` (`ProtectedChangeError`) for a protected file without the user's word,
   *   `untrusted`, `saveFailed` (the buffer keeps the edit), `editRejected` (also for a file that leads out of the
   *   workspace once it is saved: what was written may be there). Also whatever `edit` throws; nothing is changed then.
   */
  editText(path: string, edit: (file: TextFile) => readonly TextEdit[], options?: WriteOptions): Promise<TextFile>;

  /** Saves the buffer; does nothing for a file that is not open or not dirty. @throws EditorError `saveFailed` */
  save(path: string): Promise<void>;

  /**
   * What VS Code knows now: of one file, of everything below a folder, or (no path) of the whole workspace. Files outside
   * the boundary or on the exclude list are left out; files without diagnostics too.
   * @throws EditorError for a path that is outside, excluded or missing; `cancelled`
   */
  diagnostics(path?: string, options?: DiagnosticsOptions): Promise<FileDiagnostics[]>;

  /** Selections of the active text editor, primary first; undefined when none is active or its file is not for peers. */
  readonly activeSelection: EditorSelection | undefined;
  /** Selections of every visible text editor whose file is for peers, the active one first. */
  readonly selections: readonly EditorSelection[];
  /** Files in visible text editors, the active one first, without duplicates and without what is not for peers. */
  readonly visibleFiles: readonly string[];
  readonly onDidChangeSelection: Event<void>;
  readonly onDidChangeVisibleFiles: Event<void>;

  /**
   * Shows a file, or an http(s) link in the browser. A `file:` URI or a path may carry `#L12`, `#L12:5`, `#L12C5`,
   * `#L12-L20`, `#L12-20` (1-based, end line included), which selects and reveals that place.
   * @throws EditorError also `unsupportedUri`
   */
  open(uriOrPath: string, options?: OpenOptions): Promise<void>;

  /** Shows `proposedText` beside the file's current text in a diff editor. Dispose to close it. @throws EditorError */
  showDiff(path: string, proposedText: string, title: string): Promise<Disposable>;
}

export interface WorkspaceFolder {
  readonly name: string;
  /** As VS Code names it; not resolved. */
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

/** An opaque token that changes whenever the text changes, in the buffer or on disk. Compare for equality only. */
export type FileVersion = string;

export interface TextFile {
  readonly path: string;
  readonly text: string;
  readonly version: FileVersion;
  /** The buffer has changes that are not on disk. */
  readonly isDirty: boolean;
  /** Some bytes of the file are invalid in its encoding and stand as U+FFFD in the text. Such a file is not edited. */
  readonly hasInvalidBytes?: boolean;
}

export interface ReadOptions {
  /** Refuse files (bytes on disk, or UTF-16 units in the buffer) above this; default 32 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ReadBytesOptions {
  /** First byte to read, default 0. */
  readonly offset?: number;
  /** At most this many bytes, default up to 32 MiB. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface FileBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly version: FileVersion;
}

export interface FileStat {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'other';
  /** Bytes on disk. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtime: number;
  readonly version: FileVersion;
  readonly isDirty: boolean;
}

export interface WriteOptions {
  /** Refuse when the text is no longer that of this version. */
  readonly expectedVersion?: FileVersion;
  /** What to do with unsaved changes of the user: `keep` (default) edits on top of them, `refuse` throws `dirty`. */
  readonly ifDirty?: 'keep' | 'refuse';
  /** Default true. A file whose buffer was dirty before the edit is not saved unless this is set to true explicitly. */
  readonly save?: boolean;
  /**
   * Once the edit is applied, wait for its saving no longer than until then, in milliseconds of the monotonic clock. Saving
   * then goes on in the background (`isDirty` of the result tells), and when it fails, that goes to the log. By default a
   * slow save is waited for.
   */
  readonly awaitSaveUntil?: number;
  /**
   * `refuse` (default) throws `ProtectedChangeError` where the change is one of a protected file. `allow` stands for the
   * user's word: the user has seen this very change, or has made it.
   */
  readonly protectedFiles?: 'refuse' | 'allow';
  /** Take every file for a protected one, for this reason: part of a sentence, as the user reads it. */
  readonly askBecause?: string;
  /** Nothing is changed when it has fired before the edit is applied. */
  readonly signal?: AbortSignal;
}

export interface DiagnosticsOptions {
  /** Default 1,000. */
  readonly maxFiles?: number;
  /** Nothing more is read when it fires. */
  readonly signal?: AbortSignal;
}

export interface OpenOptions {
  /** Leave the focus where it is; default false. */
  readonly preserveFocus?: boolean;
  /** Open as a preview tab; default true. */
  readonly preview?: boolean;
}

export interface EditorSelection {
  readonly path: string;
  /** Never empty; primary first. `start` is before `end`; equal for a cursor. */
  readonly selections: readonly SelectedText[];
}

export interface SelectedText extends Range {
  /** The selected text, cut at 16 Ki UTF-16 units; empty for a cursor. */
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
  /** The text of the line the diagnostic starts on, without its line ending; empty when the file cannot be read. */
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
  /** The user's settings say no. */
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

/** Why the editor did not do what a peer asked. The message names the path as the peer gave it and says what to do. */
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

/** Whether it is an `EditorError`, also one from another bundle of ours, whose class is another one. */
export function isEditorError(error: unknown): error is EditorError {
  return error instanceof Error && error.name === 'EditorError';
}
