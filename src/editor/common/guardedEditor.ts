import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import {
  EditorError,
  isEditorError,
  type DiagnosticsOptions,
  type EditFilesOptions,
  type EditorPort,
  type EditorSelection,
  type FileBytes,
  type FileDiagnostics,
  type FileEdits,
  type FileStat,
  type OpenOptions,
  type ReadBytesOptions,
  type ReadTextOptions,
  type TextEdit,
  type TextFile,
  type WorkspaceFolder,
  type WriteOptions,
} from './editorPort';
import type { ProtectedFiles } from './protection/protectedFiles';
import type { TextBeforeAndAfter, Protection } from './protection/protection';
import type { ChangeCheck, PendingChange, UncheckedEditor } from './uncheckedEditor';

/** A write was refused because it needs the user's approval. */
export class ProtectedChangeError extends EditorError {
  /** The path as the peer gave it. */
  readonly requestedPath: string;
  /** Absolute and resolved path of the file. */
  readonly path: string;
  /** See `Protection.reason`. */
  readonly reason: string;
  readonly change: TextBeforeAndAfter & { readonly after: string };

  constructor({ requestedPath, path, before, after }: PendingChange, { reason }: Protection) {
    super('protected', `${requestedPath} is protected: ${reason}. Ask the user to make or allow this change.`);
    this.requestedPath = requestedPath;
    this.path = path;
    this.reason = reason;
    this.change = { before, after };
  }
}

/** Also recognizes errors from other bundles, where `instanceof` fails. */
export function isProtectedChangeError(error: unknown): error is ProtectedChangeError {
  return isEditorError(error) && error.code === 'protected' && 'change' in error;
}

/**
 * The editor port for features. A change to a protected file, or one with `askBecause`, throws `ProtectedChangeError` unless
 * the caller sets `protectedFiles: 'allow'`.
 */
export class WriteGuardedEditor implements EditorPort {
  readonly onDidChangeFolders: Event<void>;
  readonly onDidChangeSelection: Event<void>;
  readonly onDidChangeVisibleFiles: Event<void>;

  /** `protectedFiles` is called for each write. The caller owns `editor`. */
  constructor(
    private readonly editor: UncheckedEditor,
    private readonly protectedFiles: () => ProtectedFiles,
  ) {
    this.onDidChangeFolders = editor.onDidChangeFolders;
    this.onDidChangeSelection = editor.onDidChangeSelection;
    this.onDidChangeVisibleFiles = editor.onDidChangeVisibleFiles;
  }

  get folders(): readonly WorkspaceFolder[] {
    return this.editor.folders;
  }

  get activeSelection(): EditorSelection | undefined {
    return this.editor.activeSelection;
  }

  get selections(): readonly EditorSelection[] {
    return this.editor.selections;
  }

  get visibleFiles(): readonly string[] {
    return this.editor.visibleFiles;
  }

  resolve(path: string): Promise<string> {
    return this.editor.resolve(path);
  }

  realPathOf(path: string): Promise<string> {
    return this.editor.realPathOf(path);
  }

  readText(path: string, options?: ReadTextOptions): Promise<TextFile> {
    return this.editor.readText(path, options);
  }

  readBytes(path: string, options?: ReadBytesOptions): Promise<FileBytes> {
    return this.editor.readBytes(path, options);
  }

  stat(path: string): Promise<FileStat> {
    return this.editor.stat(path);
  }

  glob(pattern: string, options?: { maxResults?: number; signal?: AbortSignal }): Promise<string[]> {
    return this.editor.glob(pattern, options);
  }

  async protectionOf(path: string, change?: TextBeforeAndAfter): Promise<Protection | undefined> {
    const { names } = await this.editor.resolveNames(path);
    return this.protectedFiles().protectionOf(names, change);
  }

  editText(path: string, edit: (file: TextFile) => readonly TextEdit[], options?: WriteOptions): Promise<TextFile> {
    return this.editor.editTextWithCheck(path, edit, this.createChangeCheck(options), options);
  }

  editFiles(changes: readonly FileEdits[], options?: EditFilesOptions): Promise<TextFile[]> {
    return this.editor.editFilesWithCheck(changes, this.createChangeCheck(options), options?.signal);
  }

  writeText(path: string, text: string, options?: WriteOptions): Promise<TextFile> {
    return this.editor.writeTextWithCheck(path, text, this.createChangeCheck(options), options);
  }

  requireWritable(path: string, text: string): Promise<void> {
    return this.editor.requireWritable(path, text);
  }

  save(path: string): Promise<void> {
    return this.editor.save(path);
  }

  diagnostics(path?: string, options?: DiagnosticsOptions): Promise<FileDiagnostics[]> {
    return this.editor.diagnostics(path, options);
  }

  open(uriOrPath: string, options?: OpenOptions): Promise<void> {
    return this.editor.open(uriOrPath, options);
  }

  showDiff(path: string, proposedText: string, title: string): Promise<Disposable> {
    return this.editor.showDiff(path, proposedText, title);
  }

  private createChangeCheck({ protectedFiles, askBecause, mayReplace, onWillApply }: WriteOptions = {}): ChangeCheck {
    const everyFile: Protection | undefined = askBecause === undefined ? undefined : { reason: askBecause };
    return (change) => {
      if (change.before !== undefined && mayReplace?.(change.before) === false) {
        throw new EditorError('staleVersion', `${change.requestedPath} has changed since it was read. Read it again.`);
      }
      const protection = this.protectedFiles().protectionOf(change.names, change) ?? everyFile;
      if (protection && protectedFiles !== 'allow') throw new ProtectedChangeError(change, protection);
      onWillApply?.();
    };
  }
}
