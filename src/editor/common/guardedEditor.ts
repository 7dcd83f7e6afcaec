import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import {
  EditorError,
  isEditorError,
  type DiagnosticsOptions,
  type EditorPort,
  type EditorSelection,
  type FileBytes,
  type FileDiagnostics,
  type FileStat,
  type OpenOptions,
  type ReadBytesOptions,
  type ReadOptions,
  type TextEdit,
  type TextFile,
  type WorkspaceFolder,
  type WriteOptions,
} from './editorPort';
import type { ProtectedFiles } from './protection/protectedFiles';
import type { ContentChange, Protection } from './protection/protection';
import type { ChangeCheck, PlacedChange, UncheckedEditor } from './uncheckedEditor';

/** A change of a protected file that was not made, because nobody has asked the user yet. */
export class ProtectedChangeError extends EditorError {
  /** As the peer named it. */
  readonly requested: string;
  /** Absolute. */
  readonly path: string;
  /** See `Protection.reason`. */
  readonly reason: string;
  /** The text before, undefined for a new file, and after. */
  readonly change: ContentChange & { readonly after: string };

  constructor({ requested, path, before, after }: PlacedChange, { reason }: Protection) {
    super('protected', `${requested} is protected: ${reason}. Ask the user to make or to allow this change.`);
    this.requested = requested;
    this.path = path;
    this.reason = reason;
    this.change = { before, after };
  }
}

/** Also one from another bundle of ours, whose class is another one. */
export function isProtectedChange(error: unknown): error is ProtectedChangeError {
  return isEditorError(error) && error.code === 'protected' && 'change' in error;
}

/**
 * The editor port that features get. It stands before every write: a change of a protected file is made only with
 * `protectedFiles: 'allow'`, which stands for the user's word, and throws `ProtectedChangeError` otherwise. So is any change with
 * `askBecause`.
 */
export class GuardedEditor implements EditorPort {
  /** `protectedFiles` is asked at each write. The editor stays the caller's to dispose. */
  constructor(
    private readonly editor: UncheckedEditor,
    private readonly protectedFiles: () => ProtectedFiles,
  ) {}

  get folders(): readonly WorkspaceFolder[] {
    return this.editor.folders;
  }

  get onDidChangeFolders(): Event<void> {
    return this.editor.onDidChangeFolders;
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

  get onDidChangeSelection(): Event<void> {
    return this.editor.onDidChangeSelection;
  }

  get onDidChangeVisibleFiles(): Event<void> {
    return this.editor.onDidChangeVisibleFiles;
  }

  resolve(path: string): Promise<string> {
    return this.editor.resolve(path);
  }

  readText(path: string, options?: ReadOptions): Promise<TextFile> {
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

  async protectionOf(path: string, change?: ContentChange): Promise<Protection | undefined> {
    const { names } = await this.editor.locate(path);
    return this.protectedFiles().protectionOf(names, change);
  }

  editText(path: string, edit: (file: TextFile) => readonly TextEdit[], options?: WriteOptions): Promise<TextFile> {
    return this.editor.editChecked(path, edit, this.check(options), options);
  }

  writeText(path: string, text: string, options?: WriteOptions): Promise<TextFile> {
    return this.editor.writeChecked(path, text, this.check(options), options);
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

  private check({ protectedFiles, askBecause }: WriteOptions = {}): ChangeCheck {
    const everyFile: Protection | undefined = askBecause === undefined ? undefined : { reason: askBecause };
    return (change) => {
      const protection = this.protectedFiles().protectionOf(change.names, change) ?? everyFile;
      if (protection && protectedFiles !== 'allow') throw new ProtectedChangeError(change, protection);
    };
  }
}
