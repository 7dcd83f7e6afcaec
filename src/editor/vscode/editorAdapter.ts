import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { KeyedQueue, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { timedRunner } from '../../base/node/timedRunner';
import { withTokenOf } from '../../platform/vscode/cancellation';
import type {
  DiagnosticsOptions,
  EditorSelection,
  FileBytes,
  FileDiagnostics,
  FileStat,
  OpenOptions,
  ReadBytesOptions,
  ReadOptions,
  TextEdit,
  TextFile,
  WorkspaceFolder,
  WriteOptions,
} from '../common/editorPort';
import { ExcludeList } from '../common/excludeList';
import type { ChangeCheck, FilePlace, UncheckedEditor } from '../common/uncheckedEditor';
import { PathGuard } from '../node/pathGuard';
import { DiagnosticsReader } from './diagnosticsReader';
import { checkSignal, DocumentReader, type FileOnDisk } from './documentReader';
import { DocumentWriter, maxOpenBytes } from './documentWriter';
import { OpenDocuments } from './openDocuments';
import { PlaceOpener } from './placeOpener';
import { SelectionTracker } from './selectionTracker';

interface EditorAdapterOptions {
  readonly log: Logger;
  /** The globs of `backline.exclude`. */
  readonly excludePatterns: () => readonly string[];
  readonly onDidChangeExclude: Event<void>;
  readonly isTrusted: () => boolean;
  readonly clock: Clock;
}

const defaultMaxResults = 1000;

/** The editor over VS Code, to be guarded. It only joins its parts: who reads, who writes, who shows. */
export class EditorAdapter implements UncheckedEditor, Disposable {
  private readonly store = new DisposableStore();
  private readonly foldersEmitter: Emitter<void>;
  private readonly documents: OpenDocuments;
  private readonly guard: PathGuard;
  private readonly reader: DocumentReader;
  private readonly writer: DocumentWriter;
  private readonly problems: DiagnosticsReader;
  private readonly tracker: SelectionTracker;
  private readonly opener: PlaceOpener;
  private exclude = new ExcludeList([]);

  constructor(private readonly options: EditorAdapterOptions) {
    const { log, isTrusted, clock } = options;
    const onListenerError = (error: unknown): void => log.error('a listener failed', error);
    const queue = new KeyedQueue();
    this.foldersEmitter = this.store.add(new Emitter<void>(onListenerError));
    this.documents = this.store.add(new OpenDocuments(randomUUID()));
    this.guard = new PathGuard({
      folders: () => this.folders.map(({ path }) => path),
      exclude: () => this.exclude,
      isWindows: process.platform === 'win32',
    });
    const readText = (path: string, read?: ReadOptions): Promise<TextFile> => this.reader.readText(path, read);
    this.reader = new DocumentReader(this.guard, this.documents, queue);
    const readDisk = (path: string): Promise<FileOnDisk> => this.reader.readDisk(path, { maxBytes: maxOpenBytes });
    this.writer = new DocumentWriter(this.guard, this.documents, queue, isTrusted, readDisk, clock, log);
    this.problems = new DiagnosticsReader(this.guard, readText, log);
    this.tracker = this.store.add(new SelectionTracker(this.guard, clock, onListenerError));
    this.opener = this.store.add(new PlaceOpener(this.guard, readText, log));
  }

  start(): void {
    this.readExclude();
    this.store.add(
      this.options.onDidChangeExclude(() => {
        this.readExclude();
        this.forget();
      }),
    );
    this.store.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.forget();
        this.foldersEmitter.fire();
      }),
    );
    this.documents.start();
    this.tracker.start();
    this.opener.start();
  }

  dispose(): void {
    this.store.dispose();
  }

  get folders(): readonly WorkspaceFolder[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ name, uri }) => ({ name, path: uri.fsPath }));
  }

  get onDidChangeFolders(): Event<void> {
    return this.foldersEmitter.event;
  }

  get onDidChangeSelection(): Event<void> {
    return this.tracker.onDidChangeSelection;
  }

  get onDidChangeVisibleFiles(): Event<void> {
    return this.tracker.onDidChangeVisibleFiles;
  }

  get activeSelection(): EditorSelection | undefined {
    return this.tracker.active;
  }

  get selections(): readonly EditorSelection[] {
    return this.tracker.selections;
  }

  get visibleFiles(): readonly string[] {
    return this.tracker.visibleFiles;
  }

  async resolve(path: string): Promise<string> {
    return (await this.guard.check(path)).path;
  }

  async locate(path: string): Promise<FilePlace> {
    return await this.guard.checkWrite(path);
  }

  async readText(path: string, options?: ReadOptions): Promise<TextFile> {
    await this.writer.arrived(path);
    return await this.reader.readText(path, options);
  }

  async readBytes(path: string, options: ReadBytesOptions = {}): Promise<FileBytes> {
    await this.writer.arrived(path);
    return await this.reader.readBytes(path, options);
  }

  async stat(path: string): Promise<FileStat> {
    await this.writer.arrived(path);
    return await this.reader.stat(path);
  }

  editChecked(
    path: string,
    edit: (file: TextFile) => readonly TextEdit[],
    check: ChangeCheck,
    options?: WriteOptions,
  ): Promise<TextFile> {
    return this.writer.editText(path, edit, check, options);
  }

  writeChecked(path: string, text: string, check: ChangeCheck, options?: WriteOptions): Promise<TextFile> {
    return this.writer.writeText(path, text, check, options);
  }

  save(path: string): Promise<void> {
    return this.writer.save(path);
  }

  diagnostics(path?: string, options?: DiagnosticsOptions): Promise<FileDiagnostics[]> {
    return this.problems.read(path, options);
  }

  open(uriOrPath: string, options?: OpenOptions): Promise<void> {
    return this.opener.open(uriOrPath, options);
  }

  showDiff(path: string, proposedText: string, title: string): Promise<Disposable> {
    return this.opener.showDiff(path, proposedText, title);
  }

  async glob(pattern: string, options: { maxResults?: number; signal?: AbortSignal } = {}): Promise<string[]> {
    const { maxResults = defaultMaxResults, signal } = options;
    checkSignal(signal);
    // Some of what is found is not for peers, so that more is asked for than is given.
    const findIn = async (folder: string, token: vscode.CancellationToken): Promise<vscode.Uri[]> =>
      await vscode.workspace.findFiles(new vscode.RelativePattern(folder, pattern), undefined, maxResults * 2, token);
    const found = await withTokenOf(signal, (token) =>
      Promise.all(this.folders.map(({ path }) => findIn(path, token))),
    );
    const checked = await Promise.all(
      found.flat().map(({ fsPath }) =>
        this.guard.check(fsPath).then(
          (file) => file.path,
          () => undefined,
        ),
      ),
    );
    checkSignal(signal);
    const paths = checked.filter((path) => path !== undefined);
    return [...new Set(paths)].sort().slice(0, maxResults);
  }

  /** Whether `backline.exclude` holds a file: its absolute path, and its tail below the workspace folder. */
  excludes(path: string, relativePath: string): boolean {
    return this.exclude.excludes(path, relativePath);
  }

  private readExclude(): void {
    const { log, excludePatterns } = this.options;
    this.exclude = new ExcludeList(excludePatterns(), {
      runInTime: timedRunner(),
      onSlow: (pattern) =>
        log.warn(
          `"${pattern}" in backline.exclude takes too long. All files with its names are excluded: make it simpler`,
        ),
    });
    for (const { pattern, reason } of this.exclude.bad) {
      log.warn(`"${pattern}" in backline.exclude is not a glob and excludes nothing: ${reason}`);
    }
  }

  private forget(): void {
    this.guard.forget();
    this.reader.forget();
    this.tracker.forget();
  }
}
