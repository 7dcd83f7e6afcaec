import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { KeyedQueue, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { settingIds } from '../../manifest';
import { withCancellationToken } from '../../platform/vscode/cancellation';
import {
  throwIfCancelled,
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
} from '../common/editorPort';
import { ExcludeList } from '../common/excludeList';
import { logInvalidGlobs } from '../common/logInvalidGlobs';
import { createChangeCheck, type ChangeCheck } from '../common/protection/changeCheck';
import type { ProtectedFiles } from '../common/protection/protectedFiles';
import type { Protection, TextBeforeAndAfter } from '../common/protection/protection';
import { PathGuard } from '../node/pathGuard';
import { DiagnosticsReader } from './diagnosticsReader';
import { DocumentReader } from './documentReader';
import type { TextFileWithBytes } from './documentReload';
import { DocumentWriter } from './documentWriter';
import { DocumentsByPath, maxOpenBytes } from './documentsByPath';
import { FileOpener, type ProposedChange } from './fileOpener';
import { MultiFileWriter } from './multiFileWriter';
import { VisibleEditorTracker } from './visibleEditorTracker';

interface VsCodeEditorDeps {
  readonly log: Logger;
  /** The globs of `backline.exclude`. */
  readonly excludePatterns: () => readonly string[];
  readonly onDidChangeExclude: Event<void>;
  /** Called for each write. */
  readonly protectedFiles: () => ProtectedFiles;
  readonly isTrusted: () => boolean;
  readonly clock: Clock;
}

const defaultMaxResults = 1000;

/** Implements the editor operations with VS Code. */
export class VsCodeEditor implements EditorPort, Disposable {
  private readonly disposables = new DisposableStore();
  readonly onDidChangeFolders: Event<void>;
  readonly onDidChangeSelection: Event<void>;
  readonly onDidChangeVisibleFiles: Event<void>;
  private readonly foldersEmitter: Emitter<void>;
  private readonly openDocuments: DocumentsByPath;
  private readonly pathGuard: PathGuard;
  private readonly reader: DocumentReader;
  private readonly writer: DocumentWriter;
  private readonly multiFileWriter: MultiFileWriter;
  private readonly diagnosticsReader: DiagnosticsReader;
  private readonly visibleEditorTracker: VisibleEditorTracker;
  private readonly opener: FileOpener;
  /** Compiling the globs takes milliseconds, so it is done when they are first needed and not while Backline starts. */
  private compiledExcludeList: ExcludeList | undefined;

  constructor(private readonly deps: VsCodeEditorDeps) {
    const { log, isTrusted, clock } = deps;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    const queue = new KeyedQueue();
    this.foldersEmitter = this.disposables.add(new Emitter<void>(onListenerError));
    this.onDidChangeFolders = this.foldersEmitter.event;
    this.openDocuments = this.disposables.add(new DocumentsByPath(randomUUID()));
    this.pathGuard = new PathGuard({
      folders: () => this.folders.map(({ path }) => path),
      exclude: () => this.excludeList,
      isWindows: process.platform === 'win32',
    });
    const readText = (path: string, read?: ReadTextOptions): Promise<TextFile> => this.reader.readText(path, read);
    this.reader = new DocumentReader(this.pathGuard, this.openDocuments, queue, (file, document) =>
      this.writer.requireBufferMatchesDisk(file, document),
    );
    const readDisk = (path: string): Promise<TextFileWithBytes> =>
      this.reader.readDisk(path, { maxBytes: maxOpenBytes });
    this.writer = new DocumentWriter(this.pathGuard, this.openDocuments, queue, isTrusted, readDisk, clock, log);
    this.multiFileWriter = new MultiFileWriter(this.pathGuard, this.writer, this.openDocuments);
    this.diagnosticsReader = new DiagnosticsReader(this.pathGuard, readText, log);
    this.visibleEditorTracker = this.disposables.add(new VisibleEditorTracker(this.pathGuard, clock, onListenerError));
    this.onDidChangeSelection = this.visibleEditorTracker.onDidChangeSelection;
    this.onDidChangeVisibleFiles = this.visibleEditorTracker.onDidChangeVisibleFiles;
    this.opener = this.disposables.add(new FileOpener(this.pathGuard, readText, log));
  }

  start(): void {
    this.disposables.add(
      this.deps.onDidChangeExclude(() => {
        // Compiles a changed setting immediately, so that the log shows its problems.
        this.compiledExcludeList = this.compileExcludeList();
        this.clearCaches();
      }),
    );
    this.disposables.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.clearCaches();
        this.foldersEmitter.fire();
      }),
    );
    this.openDocuments.start();
    this.visibleEditorTracker.start();
    this.opener.start();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  get folders(): readonly WorkspaceFolder[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ name, uri }) => ({ name, path: uri.fsPath }));
  }

  get activeSelection(): EditorSelection | undefined {
    return this.visibleEditorTracker.activeSelection;
  }

  get selections(): readonly EditorSelection[] {
    return this.visibleEditorTracker.selections;
  }

  get visibleFiles(): readonly string[] {
    return this.visibleEditorTracker.visibleFiles;
  }

  async resolve(path: string): Promise<string> {
    return await this.reader.resolve(path);
  }

  async realPathOf(path: string): Promise<string> {
    return (await this.pathGuard.check(path)).canonicalPath;
  }

  async protectionOf(path: string, change?: TextBeforeAndAfter): Promise<Protection | undefined> {
    const { names } = await this.pathGuard.checkForWrite(path);
    return this.deps.protectedFiles().protectionOf(names, change);
  }

  async readText(path: string, options?: ReadTextOptions): Promise<TextFile> {
    await this.writer.waitUntilEarlierEditsAreQueued(path);
    return await this.reader.readText(path, options);
  }

  async readBytes(path: string, options: ReadBytesOptions = {}): Promise<FileBytes> {
    await this.writer.waitUntilEarlierEditsAreQueued(path);
    return await this.reader.readBytes(path, options);
  }

  async stat(path: string): Promise<FileStat> {
    await this.writer.waitUntilEarlierEditsAreQueued(path);
    return await this.reader.stat(path);
  }

  editText(path: string, edit: (file: TextFile) => readonly TextEdit[], options?: WriteOptions): Promise<TextFile> {
    return this.writer.editText(path, edit, this.createCheck(options), options);
  }

  editFiles(changes: readonly FileEdits[], options?: EditFilesOptions): Promise<TextFile[]> {
    return this.multiFileWriter.editFiles(changes, this.createCheck(options), options?.signal);
  }

  writeText(path: string, text: string, options?: WriteOptions): Promise<TextFile> {
    return this.writer.writeText(path, text, this.createCheck(options), options);
  }

  requireWritable(path: string, text: string): Promise<void> {
    return this.writer.requireWritable(path, text);
  }

  save(path: string): Promise<void> {
    return this.writer.save(path);
  }

  diagnostics(path?: string, options?: DiagnosticsOptions): Promise<FileDiagnostics[]> {
    return this.diagnosticsReader.read(path, options);
  }

  open(uriOrPath: string, options?: OpenOptions): Promise<void> {
    return this.opener.open(uriOrPath, options);
  }

  showDiff(path: string, proposedText: string, title: string): Promise<Disposable> {
    return this.opener.showDiff(path, proposedText, title);
  }

  showChanges(changes: readonly ProposedChange[], title: string): Promise<Disposable> {
    return this.opener.showChanges(changes, title);
  }

  async glob(pattern: string, options: { maxResults?: number; signal?: AbortSignal } = {}): Promise<string[]> {
    const { maxResults = defaultMaxResults, signal } = options;
    throwIfCancelled(signal);
    // Requests more results than needed, because some are excluded.
    const findIn = async (folder: string, token: vscode.CancellationToken): Promise<vscode.Uri[]> =>
      await vscode.workspace.findFiles(new vscode.RelativePattern(folder, pattern), undefined, maxResults * 2, token);
    const found = await withCancellationToken(signal, (token) =>
      Promise.all(this.folders.map(({ path }) => findIn(path, token))),
    );
    const checked = await Promise.all(
      found.flat().map(({ fsPath }) =>
        this.pathGuard.check(fsPath).then(
          (file) => file.path,
          () => undefined,
        ),
      ),
    );
    throwIfCancelled(signal);
    const paths = checked.filter((path) => path !== undefined);
    return [...new Set(paths)].sort().slice(0, maxResults);
  }

  /** Whether `backline.exclude` matches a file: its absolute path, and its path relative to the workspace folder. */
  excludes(path: string, relativePath: string): boolean {
    return this.excludeList.excludes(path, relativePath);
  }

  private createCheck(options: WriteOptions | undefined): ChangeCheck {
    return createChangeCheck(this.deps.protectedFiles, options);
  }

  private get excludeList(): ExcludeList {
    return (this.compiledExcludeList ??= this.compileExcludeList());
  }

  private compileExcludeList(): ExcludeList {
    const list = new ExcludeList(this.deps.excludePatterns());
    logInvalidGlobs(list.invalidPatterns, { setting: settingIds.exclude, verb: 'excludes' }, this.deps.log);
    return list;
  }

  private clearCaches(): void {
    this.pathGuard.clearCache();
    this.reader.clearAccessCache();
    this.visibleEditorTracker.recheckFiles();
  }
}
