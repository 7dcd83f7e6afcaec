import * as vscode from 'vscode';
import { Coalescer, KeyedQueue, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter, type Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { canResultFromChanges, nextDiskState, type DiskState, type DiskText } from '../../common/unsaved/diskState';
import type { ActiveAgent } from '../../common/unsaved/activeAgents';
import { readDiskText } from './textVersions';
import { isCheckoutByUser, readCheckedOut, type CheckedOut } from './userCheckout';

export interface ConflictWatchDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Fires when agents may have written files. */
  readonly onDidWriteFiles: Event<void>;
  /** Returns the agent that may have just written the file. */
  readonly writerOf: (path: string) => ActiveAgent | undefined;
}

/** A file that an agent has written while its document had unsaved text. */
export interface UnsavedConflict {
  readonly document: vscode.TextDocument;
  /** The text that the agent has written; null if it has deleted the file. */
  readonly disk: DiskText;
  readonly agent: string;
}

interface Edit {
  readonly change: vscode.TextDocumentChangeEvent;
  /** The complete text after the edit. */
  readonly text: string;
}

interface WatchedDocument {
  readonly document: vscode.TextDocument;
  /** The edit that made the document dirty, if it is known. */
  readonly edit: Edit | undefined;
  state: DiskState | undefined;
  /** What was checked out when the state was read. */
  checkedOut: CheckedOut;
}

/** Maximum size of files whose contents are compared, in bytes. For larger files, only time and size are compared. */
const maxBytes = 5 * 1024 * 1024;
/** How long to wait before a check, because a build writes many files at once. */
const checkDelayMs = 100;
/** Maximum duration of a save. During a save, the disk has either the saved text or the previous one. */
const maxSaveMs = 5_000;

/** Watches the files of documents with unsaved text. */
export class ConflictWatch implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(
    new Emitter<void>((error) => this.deps.log.error('a listener failed', error)),
  );
  /** Fires when `conflicts` has changed. */
  readonly onDidChange = this.emitter.event;
  private readonly watchedByPath = new Map<string, WatchedDocument>();
  private readonly pathsToCheck = new Set<string>();
  /** Documents that are being saved, with the start time in milliseconds of the monotonic clock. */
  private readonly saveStartTimes = new Map<vscode.TextDocument, number>();
  /** The last edit of a document that was not dirty before. */
  private lastEdit: Edit | undefined;
  private readonly checkCoalescer: Coalescer;
  private readonly queue = new KeyedQueue();

  constructor(private readonly deps: ConflictWatchDeps) {
    this.checkCoalescer = this.disposables.add(new Coalescer(deps.clock, checkDelayMs, () => this.checkFiles()));
  }

  start(): void {
    const { disposables } = this;
    const { onDidWriteFiles } = this.deps;
    const watcher = disposables.add(vscode.workspace.createFileSystemWatcher('**/*'));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
      disposables.add(event(({ fsPath }) => this.scheduleCheck(fsPath)));
    }
    // Needed because the file watcher does not report files in `files.watcherExclude`.
    disposables.add(onDidWriteFiles(() => this.scheduleCheck(...this.watchedByPath.keys())));
    const { workspace } = vscode;
    disposables.add(workspace.onDidChangeTextDocument((change) => this.handleChange(change.document, change)));
    disposables.add(workspace.onWillSaveTextDocument(({ document }) => this.handleSaveStart(document)));
    disposables.add(workspace.onDidSaveTextDocument((document) => this.handleSaved(document)));
    disposables.add(workspace.onDidCloseTextDocument((document) => this.forget(document)));
    for (const document of workspace.textDocuments) this.handleChange(document);
  }

  get conflicts(): readonly UnsavedConflict[] {
    return [...this.watchedByPath.values()].flatMap(({ document, state }) =>
      state?.kind === 'conflict' ? [{ document, disk: state.disk, agent: state.agent }] : [],
    );
  }

  /** Returns the text on disk on which the unsaved text is based. Undefined if it is unknown. */
  baseOf(path: string): DiskText | undefined {
    return this.watchedByPath.get(path)?.state?.base;
  }

  /** Accepts the text on disk as the base of the unsaved text. */
  acceptDiskAsBase(path: string): void {
    const watched = this.watchedByPath.get(path);
    if (watched?.state?.kind !== 'conflict') return;
    watched.state = { kind: 'unchanged', base: watched.state.disk };
    this.emitter.fire();
  }

  dispose(): void {
    this.disposables.dispose();
    this.watchedByPath.clear();
  }

  private handleChange(document: vscode.TextDocument, change?: vscode.TextDocumentChangeEvent): void {
    const { isDirty, uri } = document;
    if (uri.scheme !== 'file') return;
    const isWatched = this.watchedByPath.get(uri.fsPath)?.document === document;
    if (isDirty && isWatched) {
      this.lastEdit = undefined;
      return;
    }
    const isEdit = change !== undefined && change.contentChanges.length > 0;
    // A document becomes dirty only in an event after its first edit.
    const edit = isEdit ? { change, text: document.getText() } : this.lastEdit;
    this.lastEdit = isDirty ? undefined : edit;
    if (isDirty === isWatched) return;
    if (isDirty) this.watch(document, edit?.change.document === document ? edit : undefined);
    else this.forget(document);
  }

  private watch(document: vscode.TextDocument, edit: Edit | undefined): void {
    if (!vscode.workspace.getWorkspaceFolder(document.uri)) return;
    const { fsPath } = document.uri;
    const watched = { document, edit, state: undefined, checkedOut: undefined };
    this.watchedByPath.set(fsPath, watched);
    void this.checkFile(fsPath);
  }

  private handleSaveStart(document: vscode.TextDocument): void {
    this.saveStartTimes.set(document, this.deps.clock.monotonicNow());
  }

  private handleSaved(document: vscode.TextDocument): void {
    this.saveStartTimes.delete(document);
    this.forget(document);
    this.handleChange(document);
  }

  private forget(document: vscode.TextDocument): void {
    const { fsPath } = document.uri;
    const watched = this.watchedByPath.get(fsPath);
    if (watched?.document !== document) return;
    this.watchedByPath.delete(fsPath);
    if (document.isClosed) this.saveStartTimes.delete(document);
    if (watched.state?.kind === 'conflict') this.emitter.fire();
  }

  private scheduleCheck(...paths: readonly string[]): void {
    for (const path of paths) {
      if (!this.watchedByPath.has(path)) continue;
      this.pathsToCheck.add(path);
      this.checkCoalescer.schedule();
    }
  }

  private checkFiles(): void {
    const paths = [...this.pathsToCheck];
    this.pathsToCheck.clear();
    for (const path of paths) void this.checkFile(path);
  }

  /** Checks the file of a document. Never rejects. */
  private async checkFile(path: string): Promise<void> {
    await this.queue.run(path, async () => {
      const watched = this.watchedByPath.get(path);
      if (!watched) return;
      if (this.isBeingSaved(watched.document)) this.scheduleCheck(path);
      else await this.readAndCompare(path, watched);
    });
  }

  private async readAndCompare(path: string, watched: WatchedDocument): Promise<void> {
    const { document, edit } = watched;
    try {
      const disk = await readDisk(document);
      // A save or revert may have ended the conflict in the meantime.
      const isCurrent = (): boolean => this.watchedByPath.get(path) === watched && !this.isBeingSaved(document);
      if (!isCurrent()) return;
      const unsaved = document.getText();
      const isFirst = watched.state === undefined;
      const isBehind =
        isFirst &&
        edit !== undefined &&
        disk !== null &&
        !canResultFromChanges(disk, edit.text, edit.change.contentChanges);
      const before = watched.state;
      const writer = this.deps.writerOf(path);
      let next = nextDiskState(before, { disk, unsaved, isBehind, agent: writer?.title });
      const isNew = next.kind === 'conflict' && before?.kind !== 'conflict';
      if (isNew && (await isCheckoutByUser(path, watched.checkedOut, writer))) next = { kind: 'unchanged', base: disk };
      if (!isCurrent()) return;
      watched.state = next;
      if (next.kind === 'unchanged') watched.checkedOut = await readCheckedOut(path);
      if (next.kind !== before?.kind && (next.kind === 'conflict' || before?.kind === 'conflict')) this.emitter.fire();
    } catch (error) {
      this.deps.log.debug(`Cannot compare unsaved text with its file: ${messageOf(error)}`);
    }
  }

  private isBeingSaved(document: vscode.TextDocument): boolean {
    const since = this.saveStartTimes.get(document);
    if (since === undefined) return false;
    const isRunning = this.deps.clock.monotonicNow() - since < maxSaveMs;
    // VS Code fires no event for a save that has failed.
    if (!isRunning) this.saveStartTimes.delete(document);
    return isRunning;
  }
}

/**
 * Returns the text of the file. For a large file, returns its time and size. @throws Error if the file cannot be read
 */
async function readDisk(document: vscode.TextDocument): Promise<DiskText> {
  const stat = await vscode.workspace.fs.stat(document.uri).then(
    ({ mtime, size }) => ({ mtime, size }),
    () => undefined,
  );
  return stat && stat.size > maxBytes ? `${stat.mtime} ${stat.size}` : await readDiskText(document);
}
