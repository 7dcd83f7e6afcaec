import * as vscode from 'vscode';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { withCancellationToken } from '../../platform/vscode/cancellation';
import { listOpenFiles } from '../../platform/vscode/openFiles';
import type { MentionSource } from '../common/mentions/mentionSource';
import type { MentionRow } from '../common/chatView';
import { MissingAttachments } from '../common/mentions/missingAttachments';
import { OfferedContext } from '../common/mentions/offeredContext';
import { OpenEditorsMention } from '../common/mentions/openEditorsMention';
import { FileIndex } from '../common/mentions/fileIndex';
import { FileMentions } from '../common/mentions/fileMentions';
import { FolderMentions } from '../common/mentions/folderMentions';
import { GitMentions } from '../common/mentions/gitMentions';
import { ProblemMentions } from '../common/mentions/problemMentions';
import { SelectionMentions } from '../common/mentions/selectionMentions';
import { gitChanges } from './gitChanges';
import type { RecentFiles } from './recentFiles';

interface WindowMentionsDeps {
  readonly editor: EditorPort;
  readonly recent: RecentFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

const maxFiles = 100_000;

/** Mention sources of this window: files, folders, selection, problems, tabs and Git changes. */
export class WindowMentions implements Disposable {
  readonly sources: readonly MentionSource[];
  readonly attachedFiles: MissingAttachments;
  readonly offered: OfferedContext;
  private readonly disposables = new DisposableStore();
  private readonly createdEmitter: Emitter<string>;
  private readonly deletedEmitter: Emitter<string>;
  private readonly resetEmitter: Emitter<void>;
  private readonly changedEmitter: Emitter<void>;
  private readonly fileIndex: FileIndex;
  private readonly fileMentions: FileMentions;
  private readonly folderMentions: FolderMentions;
  private readonly selectionMentions: SelectionMentions;

  constructor(private readonly deps: WindowMentionsDeps) {
    const { editor, recent, clock, log } = deps;
    const onError = (error: unknown): void => log.error('cannot list files for mentions', error);
    this.createdEmitter = this.disposables.add(new Emitter<string>(onError));
    this.deletedEmitter = this.disposables.add(new Emitter<string>(onError));
    this.resetEmitter = this.disposables.add(new Emitter<void>(onError));
    this.changedEmitter = this.disposables.add(new Emitter<void>(onError));
    this.fileIndex = this.disposables.add(
      new FileIndex({
        listFiles,
        onDidCreate: this.createdEmitter.event,
        onDidDelete: this.deletedEmitter.event,
        onDidReset: this.resetEmitter.event,
        relative: relativePath,
        clock,
        onError,
      }),
    );
    this.attachedFiles = this.disposables.add(
      new MissingAttachments({ editor, onDidChangeFiles: this.changedEmitter.event, clock, onError }),
    );
    this.fileMentions = new FileMentions({ index: this.fileIndex, editor, recentFiles: () => recent.recentPaths });
    this.folderMentions = new FolderMentions({ index: this.fileIndex, editor });
    this.selectionMentions = new SelectionMentions(editor);
    this.offered = this.disposables.add(
      new OfferedContext({
        editor,
        selectionRow: () => this.selectionRow(),
        fileRow: (path) => this.fileMentions.rowOf(path, relativePath(path)),
        clock,
        onError,
      }),
    );
    this.sources = [
      this.selectionMentions,
      new ProblemMentions(editor),
      new OpenEditorsMention({ editor, openFiles: listOpenFiles }),
      new GitMentions(gitChanges, editor),
      this.fileMentions,
      this.folderMentions,
    ];
  }

  start(): void {
    this.fileIndex.start();
    this.attachedFiles.start();
    this.offered.start();
    const watcher = this.disposables.add(vscode.workspace.createFileSystemWatcher('**/*'));
    this.disposables.add(watcher.onDidCreate(({ fsPath }) => void this.reportCreated(fsPath)));
    this.disposables.add(watcher.onDidDelete(({ fsPath }) => this.deletedEmitter.fire(fsPath)));
    // Change events are included, because VS Code merges a deletion and a creation that follows soon into one change
    // event.
    for (const event of [watcher.onDidCreate, watcher.onDidDelete, watcher.onDidChange]) {
      this.disposables.add(event(() => this.changedEmitter.fire()));
    }
    this.disposables.add(this.deps.editor.onDidChangeFolders(() => this.resetEmitter.fire()));
    this.disposables.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('files.exclude') || change.affectsConfiguration('search.exclude')) {
          this.resetEmitter.fire();
        }
      }),
    );
  }

  selectionRow(): MentionRow | undefined {
    return this.selectionMentions.currentRow();
  }

  /** Returns rows for files and folders by URI or path. @throws EditorError of the first one if none is accessible */
  async rowsForDrop(uris: readonly string[]): Promise<MentionRow[]> {
    const results = await Promise.allSettled(uris.map((uri) => this.createRow(pathOf(uri))));
    const rows = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failure = results.find((result) => result.status === 'rejected');
    if (rows.length === 0 && failure) throw failure.reason;
    return rows;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async createRow(uriOrPath: string): Promise<MentionRow> {
    const { path, type } = await this.deps.editor.stat(uriOrPath);
    const relative = relativePath(path);
    return type === 'directory'
      ? this.folderMentions.rowOf(path, relative)
      : await this.fileMentions.rowOf(path, relative);
  }

  private async reportCreated(path: string): Promise<void> {
    if (/[\\/](?:\.git|node_modules)[\\/]/.test(path)) return;
    const type = await this.deps.editor.stat(path).then(
      (stat) => stat.type,
      () => undefined,
    );
    if (type === 'file' && !this.disposables.isDisposed) this.createdEmitter.fire(path);
  }
}

/** Lists the files of the workspace. Omits files that `files.exclude` and `search.exclude` hide. */
async function listFiles(signal: AbortSignal): Promise<string[]> {
  const found = await withCancellationToken(
    signal,
    async (token) => await vscode.workspace.findFiles('**/*', searchExclude(), maxFiles, token),
  );
  return found.flatMap(({ scheme, fsPath }) => (scheme === 'file' ? [fsPath] : [])).sort();
}

/** Returns the enabled globs of `search.exclude`. VS Code itself applies `files.exclude`. */
function searchExclude(): string | undefined {
  const value = vscode.workspace.getConfiguration('search').get<unknown>('exclude');
  const table = z.record(z.string(), z.unknown()).catch({}).parse(value);
  // Globs that contain braces cannot be nested in other braces, so they are left out.
  const globs = Object.entries(table).flatMap(([glob, isOn]) => (isOn === true && !/[{},]/.test(glob) ? [glob] : []));
  return globs.length === 0 ? undefined : `{${globs.join(',')}}`;
}

function relativePath(path: string): string {
  return vscode.workspace.asRelativePath(path).replaceAll('\\', '/');
}

/** Returns the path of a file. VS Code for the Web has its own URIs for files on the machine. */
function pathOf(uriOrPath: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(uriOrPath)) return uriOrPath;
  const uri = vscode.Uri.parse(uriOrPath);
  return uri.scheme === 'vscode-remote' ? uri.with({ scheme: 'file', authority: '' }).fsPath : uri.fsPath;
}
