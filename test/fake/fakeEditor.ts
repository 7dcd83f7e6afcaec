import { posix } from 'node:path';
import picomatch from 'picomatch';
import { toDisposable, type Disposable } from '../../src/base/common/disposable';
import { Emitter } from '../../src/base/common/event';
import { utf8Length } from '../../src/editor/common/text/textOffsets';
import { applyTextEdits, requireValidNewText } from '../../src/editor/common/text/textEdits';
import {
  EditorError,
  type Diagnostic,
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
  type SelectedText,
  type TextEdit,
  type TextFile,
  type WorkspaceFolder,
  type WriteOptions,
} from '../../src/editor/common/editorPort';
import type { WorkspacePath } from '../../src/editor/common/globRules';
import { createChangeCheck } from '../../src/editor/common/protection/changeCheck';
import { ProtectedFiles } from '../../src/editor/common/protection/protectedFiles';
import type { Protection, TextBeforeAndAfter } from '../../src/editor/common/protection/protection';

interface FakeFile {
  /** Can be older than the text on disk although it is not dirty: see `changeOnDisk`. */
  readonly buffer: string;
  readonly disk: string;
  readonly isDirty: boolean;
  readonly version: number;
}

const defaultProtectedFiles = new ProtectedFiles();

/** An editor in memory with POSIX paths. What peers asked of it is in `opened`, `diffs` and `saved`. */
export class FakeEditor implements EditorPort {
  readonly opened: { target: string; options: OpenOptions }[] = [];
  readonly diffs: { path: string; proposedText: string; title: string; disposed: boolean }[] = [];
  readonly saved: string[] = [];
  /** Paths whose name matches one of these globs are `excluded`. */
  exclude: string[] = ['.env*'];
  /** Where links lead, both absolute. Only `realPathOf` follows them. */
  readonly links = new Map<string, string>();
  trusted = true;
  protectedFiles = defaultProtectedFiles;
  /** Awaited when an edit can no longer be cancelled. */
  beforeApply: () => Promise<void> = () => Promise.resolve();
  /** Paths of files whose encoding has only ASCII characters. */
  readonly asciiOnly = new Set<string>();
  /** Paths of files whose bytes are not a text. */
  readonly notText = new Set<string>();
  /** Awaited at the start of every request that takes a path: throw to fail it, wait to delay it. */
  beforeRequest: (path: string) => Promise<void> = () => Promise.resolve();

  folders: readonly WorkspaceFolder[];
  activeSelection: EditorSelection | undefined;
  selections: readonly EditorSelection[] = [];
  visibleFiles: readonly string[] = [];

  private readonly files = new Map<string, FakeFile>();
  private readonly diagnosticsByPath = new Map<string, Diagnostic[]>();
  private versions = 0;
  private readonly foldersEmitter = new Emitter<void>(rethrow);
  private readonly selectionEmitter = new Emitter<void>(rethrow);
  private readonly visibleEmitter = new Emitter<void>(rethrow);
  readonly onDidChangeFolders = this.foldersEmitter.event;
  readonly onDidChangeSelection = this.selectionEmitter.event;
  readonly onDidChangeVisibleFiles = this.visibleEmitter.event;

  /** `files`: text by absolute path. */
  constructor(files: Record<string, string> = {}, folders: readonly string[] = ['/ws']) {
    this.folders = folders.map(toFolder);
    for (const [path, text] of Object.entries(files)) this.setFile(path, text);
  }

  // What a test does in the place of the user and the disk.

  /** Puts the text on disk and in the buffer. */
  setFile(path: string, text: string): void {
    this.files.set(path, { buffer: text, disk: text, isDirty: false, version: ++this.versions });
  }

  /** Another program writes the file, and VS Code has not read it again: the buffer keeps the text from before. */
  changeOnDisk(path: string, text: string): void {
    this.files.set(path, { ...this.fileAt(path), disk: text, version: ++this.versions });
  }

  deleteFile(path: string): void {
    this.files.delete(path);
  }

  /** The user changes the buffer and does not save. */
  type(path: string, text: string): void {
    const file = this.fileAt(path);
    this.files.set(path, { ...file, buffer: text, isDirty: text !== file.disk, version: ++this.versions });
  }

  bufferText(path: string): string {
    return this.fileAt(path).buffer;
  }

  diskText(path: string): string {
    return this.fileAt(path).disk;
  }

  diskTextIfThere(path: string): string | null {
    return this.files.get(path)?.disk ?? null;
  }

  setFolders(...folders: string[]): void {
    this.folders = folders.map(toFolder);
    this.foldersEmitter.fire();
  }

  setDiagnostics(path: string, diagnostics: Diagnostic[]): void {
    this.diagnosticsByPath.set(path, diagnostics);
  }

  /** Makes the file the active editor, with these selections (a cursor at the start when none is given). */
  select(path: string, ...selections: SelectedText[]): void {
    const cursor = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: '' };
    this.activeSelection = { path, selections: selections.length > 0 ? selections : [cursor] };
    this.selections = [this.activeSelection, ...this.selections.filter((selection) => selection.path !== path)];
    this.selectionEmitter.fire();
    if (!this.visibleFiles.includes(path)) this.setVisible(path, ...this.visibleFiles);
  }

  /** What is selected in files that are no longer visible goes with them. */
  setVisible(...paths: string[]): void {
    this.visibleFiles = paths;
    this.selections = this.selections.filter(({ path }) => paths.includes(path));
    if (this.activeSelection && !paths.includes(this.activeSelection.path)) {
      this.activeSelection = undefined;
      this.selectionEmitter.fire();
    }
    this.visibleEmitter.fire();
  }

  // EditorPort

  async realPathOf(path: string): Promise<string> {
    const absolute = await this.resolve(path);
    return this.links.get(absolute) ?? absolute;
  }

  async resolve(path: string): Promise<string> {
    await this.beforeRequest(path);
    if (path === '' || path.includes('\0')) throw new EditorError('invalidPath', `"${path}" is not a path.`);
    const [first] = this.folders;
    const holder = this.folders.find((folder) => this.files.has(posix.resolve(folder.path, path))) ?? first;
    const absolute = posix.resolve(holder?.path ?? '/', path);
    if (!this.folders.some((folder) => isWithin(absolute, folder.path))) {
      throw new EditorError('outsideWorkspace', `"${path}" is outside the workspace. Open its folder in the editor.`);
    }
    if (picomatch.isMatch(posix.basename(absolute), this.exclude, { dot: true })) {
      throw new EditorError('excluded', `"${path}" is on the exclude list (backline.exclude).`);
    }
    return absolute;
  }

  async readText(path: string, options: ReadTextOptions = {}): Promise<TextFile> {
    const absolute = await this.resolve(path);
    throwIfCancelled(options.signal);
    const { fromBuffer, maxBytes = 32 * 1024 * 1024 } = options;
    if (fromBuffer === 'updated') this.updateBuffer(absolute);
    const read = this.textFile(absolute);
    const file = fromBuffer === undefined ? read : { ...read, text: this.bufferText(absolute) };
    if (utf8Length(file.text) > maxBytes) throw new EditorError('tooLarge', `"${path}" is over ${maxBytes} bytes.`);
    return this.notText.has(absolute) ? { ...file, hasInvalidBytes: true } : file;
  }

  async readBytes(path: string, options: ReadBytesOptions = {}): Promise<FileBytes> {
    const absolute = await this.resolve(path);
    throwIfCancelled(options.signal);
    const file = this.fileAt(absolute);
    const all = new TextEncoder().encode(file.disk);
    const { offset = 0, limit = all.length } = options;
    const bytes = all.slice(offset, offset + limit);
    return { path: absolute, bytes, fileSize: all.length, version: String(file.version) };
  }

  async stat(path: string): Promise<FileStat> {
    const absolute = await this.resolve(path);
    if ([...this.files.keys()].some((file) => file !== absolute && isWithin(file, absolute))) {
      return { path: absolute, type: 'directory', size: 0, modifiedAt: 0, version: '0', isDirty: false };
    }
    const { disk, isDirty, version } = this.fileAt(absolute);
    const size = utf8Length(disk);
    return {
      path: absolute,
      type: 'file',
      size,
      modifiedAt: version,
      version: String(version),
      isDirty,
    };
  }

  glob(pattern: string, options: { maxResults?: number } = {}): Promise<string[]> {
    const matches = picomatch(pattern, { dot: true });
    const hidden = picomatch(this.exclude, { dot: true });
    const found = this.folders.flatMap((folder) =>
      [...this.files.keys()].filter(
        (path) =>
          isWithin(path, folder.path) &&
          matches(posix.relative(folder.path, path)) &&
          !(this.exclude.length > 0 && hidden(posix.basename(path))),
      ),
    );
    return Promise.resolve([...new Set(found)].sort().slice(0, options.maxResults));
  }

  async protectionOf(path: string, change?: TextBeforeAndAfter): Promise<Protection | undefined> {
    return this.protectedFiles.protectionOf(this.namesOf(await this.resolve(path)), change);
  }

  async editFiles(changes: readonly FileEdits[], options?: EditFilesOptions): Promise<TextFile[]> {
    for (const { edits, expectedVersion, path } of changes) {
      const before = await this.readText(path);
      if (before.version !== expectedVersion)
        throw new EditorError('staleVersion', `"${path}" has changed. Read it again.`);
      const after = applyTextEdits(before.text, edits);
      this.check(before.path, path, before.text, after, options);
    }
    return await Promise.all(
      changes.map(({ edits, path }) => this.change(path, (file) => applyTextEdits(file.text, edits), options)),
    );
  }

  writeText(path: string, text: string, options?: WriteOptions): Promise<TextFile> {
    return this.change(path, () => text, options, true);
  }

  editText(path: string, edit: (file: TextFile) => readonly TextEdit[], options?: WriteOptions): Promise<TextFile> {
    return this.change(path, (file) => applyTextEdits(file.text, edit(file)), options);
  }

  async requireWritable(path: string, text: string): Promise<void> {
    await this.resolve(path);
    if (!this.trusted) throw new EditorError('untrusted', 'The workspace is not trusted. Trust it to let peers edit.');
    this.requireEncodable(path, text);
  }

  async save(path: string): Promise<void> {
    this.saveNow(await this.resolve(path));
  }

  async diagnostics(path?: string, options: DiagnosticsOptions = {}): Promise<FileDiagnostics[]> {
    const below = path === undefined ? undefined : await this.resolve(path);
    throwIfCancelled(options.signal);
    const { severities } = options;
    return [...this.diagnosticsByPath]
      .map(([file, all]) => {
        const wanted = all.filter(({ severity }) => severities === undefined || severities.includes(severity));
        return [file, wanted] as const;
      })
      .filter(([file, diagnostics]) => diagnostics.length > 0 && (below === undefined || isWithin(file, below)))
      .map(([file, diagnostics]) => ({ path: file, diagnostics }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .slice(0, options.maxFiles ?? 1000);
  }

  async open(uriOrPath: string, options: OpenOptions = {}): Promise<void> {
    await this.beforeRequest(uriOrPath);
    this.opened.push({ target: uriOrPath, options });
  }

  async showDiff(path: string, proposedText: string, title: string): Promise<Disposable> {
    const diff = { path: await this.resolve(path), proposedText, title, disposed: false };
    this.diffs.push(diff);
    return toDisposable(() => {
      diff.disposed = true;
    });
  }

  private async change(
    path: string,
    newText: (file: TextFile) => string,
    options: WriteOptions = {},
    create = false,
  ): Promise<TextFile> {
    const absolute = await this.resolve(path);
    if (!this.trusted) throw new EditorError('untrusted', 'The workspace is not trusted. Trust it to let peers edit.');
    throwIfCancelled(options.signal);
    const isNew = create && !this.files.has(absolute);
    if (isNew) {
      const text = newText({ path: absolute, text: '', version: '0', isDirty: false });
      this.check(absolute, path, undefined, text, options);
      this.setFile(absolute, '');
    }
    const before = this.textFile(absolute);
    if (this.notText.has(absolute)) throw new EditorError('notText', `"${path}" has bytes that are no text.`);
    if (options.ifDirty === 'refuse' && before.isDirty) {
      throw new EditorError('dirty', `"${path}" has unsaved changes. Save it first.`);
    }
    if (options.expectedVersion !== undefined && options.expectedVersion !== before.version) {
      throw new EditorError('staleVersion', `"${path}" has changed. Read it again.`);
    }
    const text = newText(before);
    if (text !== before.text) {
      if (!isNew) this.check(absolute, path, before.text, text, options);
      this.requireEncodable(path, text);
      await this.beforeApply();
      this.updateBuffer(absolute);
      this.type(absolute, text);
    }
    if (options.save ?? !before.isDirty) this.saveNow(absolute);
    return this.textFile(absolute);
  }

  /** There are no links. */
  private namesOf(path: string): WorkspacePath[] {
    const folder = this.folders.find((one) => isWithin(path, one.path));
    return [{ path, relativePath: posix.relative(folder?.path ?? '/', path) }];
  }

  private check(
    path: string,
    requestedPath: string,
    before: string | undefined,
    after: string,
    options?: WriteOptions,
  ): void {
    const check = createChangeCheck(() => this.protectedFiles, options);
    check({ path, names: this.namesOf(path), requestedPath, before, after });
  }

  private requireEncodable(path: string, text: string): void {
    requireValidNewText(text);
    if (this.asciiOnly.has(path) && /[^\0-\x7f]/u.test(text))
      throw new EditorError('invalidText', `${path} has an encoding that does not support some characters.`);
  }

  private saveNow(path: string): void {
    const file = this.fileAt(path);
    this.files.set(path, { ...file, disk: file.isDirty ? file.buffer : file.disk, isDirty: false });
    this.saved.push(path);
  }

  private textFile(path: string): TextFile {
    const { buffer, disk, isDirty, version } = this.fileAt(path);
    return { path, text: isDirty ? buffer : disk, version: String(version), isDirty };
  }

  /** VS Code reads the file again, unless it has unsaved text. */
  private updateBuffer(path: string): void {
    const file = this.fileAt(path);
    if (!file.isDirty) this.files.set(path, { ...file, buffer: file.disk });
  }

  private fileAt(path: string): FakeFile {
    const file = this.files.get(path);
    if (!file) throw new EditorError('notFound', `"${path}" does not exist.`);
    return file;
  }
}

function toFolder(path: string): WorkspaceFolder {
  return { path, name: posix.basename(path) };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EditorError('cancelled', 'Cancelled.');
}

function rethrow(error: unknown): void {
  throw error;
}
