import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { Coalescer, KeyedQueue, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import { formatFileNames } from '../../../base/common/lists';
import type { Logger } from '../../../base/common/log';
import type { NoticeBoard } from '../../../platform/common/noticeBoard';
import { findUnsavedFiles, type UnsavedKind } from '../../../platform/vscode/openFiles';
import type { ActiveAgent } from '../../common/unsaved/activeAgents';
import { nextDiskState, type DiskState, type DiskText } from '../../common/unsaved/diskState';
import { isCheckoutByUser, readCheckedOut, type CheckedOut } from './userCheckout';

interface OtherEditorConflictsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly notices: Pick<NoticeBoard, 'show'>;
  /** Fires when agents may have written files. */
  readonly onDidWriteFiles: Event<void>;
  /** Returns the agent that may have just written the file. */
  readonly writerOf: (path: string) => ActiveAgent | undefined;
}

interface WatchedFile {
  readonly kind: Exclude<UnsavedKind, 'text'>;
  state: DiskState | undefined;
  checkedOut: CheckedOut;
}

/** Maximum size of files whose contents are compared, in bytes. For larger files, only time and size are compared. */
const maxBytes = 5 * 1024 * 1024;
/** How long to wait before a file is read. A save within this time ends the unsaved changes and thus never counts as a write. */
const checkDelayMs = 500;

/**
 * Notifies the user of files that an agent wrote while a notebook or a custom editor had unsaved changes of them. Their contents
 * cannot be compared or replaced so that Undo leads back, so the notice says what to do and shows the editor.
 */
export class OtherEditorConflicts implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly watchedByPath = new Map<string, WatchedFile>();
  private readonly pathsToCheck = new Set<string>();
  private readonly checkCoalescer: Coalescer;
  private readonly queue = new KeyedQueue();
  /** Exists only while a file is watched, because it reports all files of the workspace. */
  private fileEvents: Disposable | undefined;

  constructor(private readonly deps: OtherEditorConflictsDeps) {
    this.checkCoalescer = this.disposables.add(new Coalescer(deps.clock, checkDelayMs, () => void this.checkFiles()));
  }

  start(): void {
    const { disposables } = this;
    const { tabGroups } = vscode.window;
    for (const event of [tabGroups.onDidChangeTabs, tabGroups.onDidChangeTabGroups]) {
      disposables.add(event(() => this.updateFiles()));
    }
    disposables.add(vscode.workspace.onDidChangeNotebookDocument(() => this.updateFiles()));
    disposables.add(vscode.workspace.onDidSaveNotebookDocument(({ uri }) => this.handleSaved(uri.fsPath)));
    disposables.add(this.deps.onDidWriteFiles(() => this.scheduleCheck(...this.watchedByPath.keys())));
    this.updateFiles();
  }

  /** Returns what identifies the version on disk on which the unsaved changes are based. Null if there was no file, undefined if unknown. */
  baseOf(path: string): DiskText | undefined {
    return this.watchedByPath.get(path)?.state?.base;
  }

  dispose(): void {
    this.disposables.dispose();
    this.fileEvents?.dispose();
    this.watchedByPath.clear();
  }

  private updateFiles(): void {
    const unsaved = findUnsavedFiles();
    for (const path of this.watchedByPath.keys()) if (!unsaved.has(path)) this.watchedByPath.delete(path);
    for (const [path, kind] of unsaved) {
      if (kind === 'text' || this.watchedByPath.get(path)?.kind === kind) continue;
      if (!vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))) continue;
      this.watchedByPath.set(path, { kind, state: undefined, checkedOut: undefined });
      void this.checkFile(path);
    }
    if (this.watchedByPath.size > 0) {
      this.fileEvents ??= this.watchFiles();
    } else {
      this.fileEvents?.dispose();
      this.fileEvents = undefined;
    }
  }

  private handleSaved(path: string): void {
    this.watchedByPath.delete(path);
    this.updateFiles();
  }

  private watchFiles(): Disposable {
    const events = new DisposableStore();
    const watcher = events.add(vscode.workspace.createFileSystemWatcher('**/*'));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
      events.add(event(({ fsPath }) => this.scheduleCheck(fsPath)));
    }
    return events;
  }

  private scheduleCheck(...paths: readonly string[]): void {
    for (const path of paths) {
      if (!this.watchedByPath.has(path)) continue;
      this.pathsToCheck.add(path);
      this.checkCoalescer.schedule();
    }
  }

  private async checkFiles(): Promise<void> {
    const paths = [...this.pathsToCheck];
    this.pathsToCheck.clear();
    const agents = await Promise.all(paths.map(async (path) => ({ path, agent: await this.checkFile(path) })));
    for (const [agent, found] of Map.groupBy(agents, (one) => one.agent)) {
      if (agent !== undefined)
        this.report(
          agent,
          found.map(({ path }) => path),
        );
    }
  }

  /** Returns the agent if it has written the file and this was not reported yet. Never rejects. */
  private checkFile(path: string): Promise<string | undefined> {
    return this.queue.run(path, async () => {
      const watched = this.watchedByPath.get(path);
      if (!watched) return undefined;
      try {
        return await this.readAndCompare(path, watched);
      } catch (error) {
        this.deps.log.debug(`Cannot compare unsaved changes with their file: ${messageOf(error)}`);
        return undefined;
      }
    });
  }

  private async readAndCompare(path: string, watched: WatchedFile): Promise<string | undefined> {
    const disk = await readVersion(vscode.Uri.file(path));
    const before = watched.state;
    const writer = this.deps.writerOf(path);
    let next = nextDiskState(before, { disk, unsaved: undefined, agent: writer?.title });
    const isNew = next.kind === 'conflict' && before?.kind !== 'conflict';
    if (isNew && (await isCheckoutByUser(path, watched.checkedOut, writer))) next = { kind: 'unchanged', base: disk };
    // A save may have ended the unsaved changes in the meantime.
    if (this.watchedByPath.get(path) !== watched || !findUnsavedFiles().has(path)) return undefined;
    watched.state = next;
    if (next.kind === 'unchanged') watched.checkedOut = await readCheckedOut(path);
    return isNew && next.kind === 'conflict' ? next.agent : undefined;
  }

  private report(agent: string, paths: readonly string[]): void {
    const isDeleted = paths.every((path) => this.conflictOf(path)?.disk === null);
    const names = formatFileNames(paths.map((path) => vscode.workspace.asRelativePath(path)));
    const it = paths.length === 1 ? 'it' : 'them';
    const advice = isDeleted
      ? `Save ${it} to keep your version.`
      : `Save ${it} to keep your version. To use the agent’s version, run “File: Revert File”; your changes are then lost.`;
    this.deps.notices.show({
      level: 'warning',
      text: `${agent} ${isDeleted ? 'deleted' : 'changed'} ${names} on disk while you had unsaved changes in the editor. ${advice}`,
      actions: [
        {
          label: paths.length === 1 ? 'Show Editor' : 'Show Editors',
          run: async () => {
            for (const path of paths) await showEditor(path);
          },
        },
      ],
      isCurrent: () => paths.some((path) => this.conflictOf(path)),
    });
  }

  private conflictOf(path: string) {
    const state = this.watchedByPath.get(path)?.state;
    return state?.kind === 'conflict' ? state : undefined;
  }
}

/** Returns a text that differs if the contents of the file differ. Null if the file does not exist. @throws Error if it cannot be read */
async function readVersion(uri: vscode.Uri): Promise<DiskText> {
  try {
    const { mtime, size } = await vscode.workspace.fs.stat(uri);
    if (size > maxBytes) return `${mtime} ${size}`;
    return createHash('sha256')
      .update(await vscode.workspace.fs.readFile(uri))
      .digest('hex');
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return null;
    throw error;
  }
}

/** Shows the tab that has the unsaved changes of the file. Does nothing if it was closed. */
async function showEditor(path: string): Promise<void> {
  const { all } = vscode.window.tabGroups;
  for (const { input, group } of all.flatMap(({ tabs }) => tabs)) {
    const isShown = input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom;
    if (!isShown || input.uri.fsPath !== path) continue;
    const type = input instanceof vscode.TabInputNotebook ? input.notebookType : input.viewType;
    await vscode.commands.executeCommand('vscode.openWith', input.uri, type, {
      viewColumn: group.viewColumn,
      preview: false,
    });
    return;
  }
}
