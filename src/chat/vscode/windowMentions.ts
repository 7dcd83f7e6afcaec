import * as vscode from 'vscode';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { withTokenOf } from '../../platform/vscode/cancellation';
import { openFiles } from '../../platform/vscode/openFiles';
import type { MentionSource } from '../common/chatPorts';
import type { MentionRow } from '../common/chatView';
import { AttachedFiles } from '../common/mentions/attachedFiles';
import { EditorMentions } from '../common/mentions/editorMentions';
import { FileIndex } from '../common/mentions/fileIndex';
import { FileMentions } from '../common/mentions/fileMentions';
import { FolderMentions } from '../common/mentions/folderMentions';
import { GitMentions } from '../common/mentions/gitMentions';
import { ProblemMentions } from '../common/mentions/problemMentions';
import { SelectionMentions } from '../common/mentions/selectionMentions';
import { gitChanges } from './gitChanges';
import type { RecentFiles } from './recentFiles';

interface WindowMentionsOptions {
  readonly editor: EditorPort;
  readonly recent: RecentFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

const maxFiles = 100_000;

/** Mention sources of this window: files, folders, selection, problems, tabs and Git changes. */
export class WindowMentions implements Disposable {
  /** In the order of their rows. */
  readonly sources: readonly MentionSource[];
  readonly attached: AttachedFiles;
  private readonly store = new DisposableStore();
  private readonly created: Emitter<string>;
  private readonly deleted: Emitter<string>;
  private readonly reset: Emitter<void>;
  private readonly touched: Emitter<void>;
  private readonly index: FileIndex;
  private readonly files: FileMentions;
  private readonly folders: FolderMentions;
  private readonly selection: SelectionMentions;

  constructor(private readonly options: WindowMentionsOptions) {
    const { editor, recent, clock, log } = options;
    const onError = (error: unknown): void => log.error('cannot list files for mentions', error);
    this.created = this.store.add(new Emitter<string>(onError));
    this.deleted = this.store.add(new Emitter<string>(onError));
    this.reset = this.store.add(new Emitter<void>(onError));
    this.touched = this.store.add(new Emitter<void>(onError));
    this.index = this.store.add(
      new FileIndex({
        listFiles,
        onDidCreate: this.created.event,
        onDidDelete: this.deleted.event,
        onDidReset: this.reset.event,
        relative: relativePath,
        clock,
        onError,
      }),
    );
    this.attached = this.store.add(new AttachedFiles({ editor, onDidChangeFiles: this.touched.event, clock, onError }));
    this.files = new FileMentions({ index: this.index, editor, recent: () => recent.all });
    this.folders = new FolderMentions({ index: this.index, editor });
    this.selection = new SelectionMentions(editor);
    this.sources = [
      this.selection,
      new ProblemMentions(editor),
      new EditorMentions({ editor, openFiles }),
      new GitMentions(gitChanges, editor),
      this.files,
      this.folders,
    ];
  }

  start(): void {
    this.index.start();
    this.attached.start();
    const watcher = this.store.add(vscode.workspace.createFileSystemWatcher('**/*'));
    this.store.add(watcher.onDidCreate(({ fsPath }) => void this.onDidCreate(fsPath)));
    this.store.add(watcher.onDidDelete(({ fsPath }) => this.deleted.fire(fsPath)));
    // Changes too, since VS Code merges a deletion soon followed by a creation into one change event.
    for (const event of [watcher.onDidCreate, watcher.onDidDelete, watcher.onDidChange]) {
      this.store.add(event(() => this.touched.fire()));
    }
    this.store.add(this.options.editor.onDidChangeFolders(() => this.reset.fire()));
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('files.exclude') || change.affectsConfiguration('search.exclude')) {
          this.reset.fire();
        }
      }),
    );
  }

  selected(): MentionRow | undefined {
    return this.selection.current();
  }

  /** Returns rows for files and folders by URI or path. @throws EditorError the first one, when none is accessible */
  async dropped(uris: readonly string[]): Promise<MentionRow[]> {
    const results = await Promise.allSettled(uris.map((uri) => this.rowOf(pathOf(uri))));
    const rows = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failure = results.find((result) => result.status === 'rejected');
    if (rows.length === 0 && failure) throw failure.reason;
    return rows;
  }

  dispose(): void {
    this.store.dispose();
  }

  private async rowOf(named: string): Promise<MentionRow> {
    const { path, type } = await this.options.editor.stat(named);
    const relative = relativePath(path);
    return type === 'directory' ? this.folders.rowOf(path, relative) : await this.files.rowOf(path, relative);
  }

  /** Ignores folders and hidden files. */
  private async onDidCreate(path: string): Promise<void> {
    if (/[\\/](?:\.git|node_modules)[\\/]/.test(path)) return;
    const type = await this.options.editor.stat(path).then(
      (stat) => stat.type,
      () => undefined,
    );
    if (type === 'file' && !this.store.isDisposed) this.created.fire(path);
  }
}

/** Lists files without those that `files.exclude` and `search.exclude` hide. */
async function listFiles(signal: AbortSignal): Promise<string[]> {
  const found = await withTokenOf(
    signal,
    async (token) => await vscode.workspace.findFiles('**/*', searchExclude(), maxFiles, token),
  );
  return found.flatMap(({ scheme, fsPath }) => (scheme === 'file' ? [fsPath] : [])).sort();
}

/** The enabled globs of `search.exclude`; VS Code itself applies `files.exclude`. */
function searchExclude(): string | undefined {
  const value = vscode.workspace.getConfiguration('search').get<unknown>('exclude');
  const table = z.record(z.string(), z.unknown()).catch({}).parse(value);
  // Globs with braces cannot be nested in braces.
  const globs = Object.entries(table).flatMap(([glob, isOn]) => (isOn === true && !/[{},]/.test(glob) ? [glob] : []));
  return globs.length === 0 ? undefined : `{${globs.join(',')}}`;
}

function relativePath(path: string): string {
  return vscode.workspace.asRelativePath(path).replaceAll('\\', '/');
}

/** VS Code for the Web uses its own URIs for the machine's files. */
function pathOf(uriOrPath: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(uriOrPath)) return uriOrPath;
  const uri = vscode.Uri.parse(uriOrPath);
  return uri.scheme === 'vscode-remote' ? uri.with({ scheme: 'file', authority: '' }).fsPath : uri.fsPath;
}
