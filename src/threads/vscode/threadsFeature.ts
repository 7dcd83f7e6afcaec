import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { HtmlViews } from '../../platform/vscode/htmlViews';
import { Messages } from '../../platform/vscode/messages';
import { PeerThreads } from '../common/exports/peerThreads';
import { ThreadConversations } from '../common/exports/threadConversations';
import type { ThreadDigest } from '../common/exports/threadDigest';
import type { ThreadLibrary } from '../common/threadLibrary';
import { threadsStatus } from '../common/tree/threadsStatus';
import { searchThreads } from '../common/search/threadSearch';
import { ReadMarks } from '../common/tree/readMarks';
import { ampPaths, legacyExtensionFolders } from '../node/ampFolder/ampData';
import { createAmpThreads, type AmpThreads } from '../node/ampThreads';
import type { CliCommand } from '../node/cli/runCommand';
import { listWorktrees } from '../node/workspace/worktrees';
import type { RunningThreadsFeature } from './lazyThreads';
import { ThreadActions } from './threadActions';
import { ThreadCommands } from './threadCommands';
import { ThreadDecorations } from './threadDecorations';
import { ThreadDocuments } from './threadDocuments';
import { ThreadPanels } from './threadPanels';
import { ThreadSearchPick } from './threadSearchPick';
import { ThreadsView } from './threadsView';

interface ThreadsFeatureDeps extends FeatureContext {
  readonly editor: Pick<EditorPort, 'open' | 'folders' | 'resolve'>;
  /** Returns the absolute path of the `amp` executable. Undefined if it is not installed. */
  readonly findAmp: () => Promise<string | undefined>;
  /** Returns how to start the Amp CLI without a shell. Undefined if it is not installed. @throws Error */
  readonly findCommand: () => Promise<CliCommand | undefined>;
  /** Starts a conversation with another agent, with the summary. `folder`: absolute path of a workspace folder. */
  readonly startChat: (digest: ThreadDigest, folder: string | undefined) => Promise<void>;
  /** Stores the filters of the list. */
  readonly workspaceState: Memento;
  /** Stores how much of each thread the user has read. */
  readonly globalState: Memento;
  /** Absolute path of the extension's folder for data that all windows share. */
  readonly storageFolder: string;
  readonly distFolder: vscode.Uri;
}

/** Amp's threads in VS Code: the list, the search, and tabs of threads. Reads nothing before the first use. */
export class ThreadsFeature implements Feature<RunningThreadsFeature> {
  readonly id = 'threads';
  readonly title = 'Amp threads';
  private readonly peerThreads: PeerThreads;
  private readonly ampThreads: AmpThreads;

  constructor(private readonly deps: ThreadsFeatureDeps) {
    const { clock, distFolder, findCommand, log, storageFolder } = deps;
    this.ampThreads = createAmpThreads({
      paths: ampPaths(process.env, homedir()),
      moreFolders: () => this.additionalThreadFolders(),
      findCommand,
      indexFolder: path.join(storageFolder, 'threads'),
      workerFile: vscode.Uri.joinPath(distFolder, 'thread-index-worker.js').fsPath,
      clock,
      log,
    });
    this.peerThreads = new PeerThreads(this.ampThreads.library, {
      isTrusted: () => vscode.workspace.isTrusted,
      workspaceFolders: () => this.workspaceFoldersAndWorktrees(),
      isDenied: (file) =>
        deps.editor.resolve(file).then(
          () => false,
          () => true,
        ),
    });
  }

  start(): Promise<RunningThreadsFeature> {
    const { clock, commands, distFolder, editor, findAmp, globalState, log, settings } = this.deps;
    const { startChat, workspaceState } = this.deps;
    const { account, files, library, local } = this.ampThreads;
    const disposables = new DisposableStore();
    const messages = new Messages(log);

    disposables.add(library);
    const marks = new ReadMarks(globalState, (error) => log.warn(`Could not store what was read: ${String(error)}`));
    const decorations = disposables.add(new ThreadDecorations());
    const documents = new ThreadDocuments(library);
    const actions = new ThreadActions({
      read: (id) => library.read(id),
      readSubthread: (id) => library.readListed(id),
      findAmp,
      startChat,
      messages,
      chooseFile: async (defaultUri, filters) =>
        await vscode.window.showSaveDialog({ defaultUri, filters, saveLabel: 'Export' }),
      isTrusted: () => vscode.workspace.isTrusted,
      workspaceFolders: () => this.workspaceFoldersAndWorktrees(),
      openFolders: () => editor.folders.map((folder) => folder.path),
    });
    const list = disposables.add(
      new ThreadsView({
        library,
        marks,
        decorations,
        workspaceFolders: () => this.workspaceFoldersAndWorktrees(),
        memento: workspaceState,
        onDidDropFiles: (uris) => void threadCommands.openFiles(uris),
        clock,
      }),
    );
    const views = disposables.add(new HtmlViews());
    views.start();
    const panels = disposables.add(
      new ThreadPanels({
        threads: library,
        actions,
        documents,
        editor,
        openThread: async (id) => {
          if (!library.find(id)) return false;
          await vscode.commands.executeCommand(commandIds.threadsOpen, id);
          return true;
        },
        openView: views.open,
        addFile: (file) => files.add(file),
        marks,
        onDidMarkRead: () => list.refreshChangedRows(),
        files: { folder: vscode.Uri.joinPath(distFolder, 'pages'), name: 'thread' },
        clock,
        log,
      }),
    );
    const search = new ThreadSearchPick({
      ready: () => library.waitForFirstList(),
      heads: () => library.heads,
      currentThreadId: () => library.currentThreadId(),
      search: async (query) => {
        await library.waitForFirstList();
        return await searchThreads(query, {
          heads: () => library.heads,
          searchText: (text, limit) => local.search(text, limit),
          searchFiles: (text) => files.search(text),
          now: () => clock.now(),
        });
      },
      searchAccount: (query, signal) => account.search(query, signal),
      onDidChangeCoverage: local.onDidChangeCoverage,
      keepUpToDate: () => library.keepUpToDate(),
      open: (id, entryId) => void vscode.commands.executeCommand(commandIds.threadsOpen, id, entryId),
      clock,
    });
    const threadCommands = disposables.add(
      new ThreadCommands({ commands, library, files, view: list, panels, actions, search, messages }),
    );

    disposables.add(library.onDidChange(() => this.showStatus(library)));
    disposables.add(
      settings.onDidChangeOf([settingIds.threadsFolders], () => {
        if (!library.isListed) return;
        const watching = local.watchFolders(this.additionalThreadFolders());
        watching.catch((error: unknown) => log.error('Cannot watch the folders of threads', error));
      }),
    );
    for (const part of [decorations, threadCommands]) part.start();
    this.showStatus(library);
    return Promise.resolve({
      list,
      restore: (panel, state) => panels.restore(panel, state),
      textOf: (query) => documents.textOf(query),
      peerThreads: this.peerThreads,
      conversations: new ThreadConversations({
        library,
        searchText: (query, limit) => local.search(query, limit),
        searchFiles: (query) => files.search(query),
        workspaceFolders: () => this.workspaceFoldersAndWorktrees(),
        open: async (id, entryId) => await vscode.commands.executeCommand(commandIds.threadsOpen, id, entryId),
        export: async (id) => await vscode.commands.executeCommand(commandIds.threadsExport, id),
        now: () => clock.now(),
      }),
      dispose: () => disposables.dispose(),
    });
  }

  /** Returns the absolute paths of folders with threads, in addition to the folder of the Amp CLI. */
  private additionalThreadFolders(): readonly string[] {
    const { settings, storageFolder } = this.deps;
    return [...settings.threadsFolders().flatMap(absoluteFolders), ...legacyExtensionFolders(storageFolder)];
  }

  /** Absolute paths of the workspace folders and their worktrees. */
  private async workspaceFoldersAndWorktrees(): Promise<readonly string[]> {
    const { folders } = this.deps.editor;
    return (await Promise.all(folders.map((folder) => listWorktrees(folder.path)))).flat();
  }

  private showStatus(library: ThreadLibrary): void {
    const { id, title } = this;
    this.deps.status.set({ id, title, ...threadsStatus(library) });
  }
}

/** Expands `~`. Ignores relative paths, because the setting is not specific to a workspace. */
function absoluteFolders(folder: string): readonly string[] {
  const expanded = folder.replace(/^~(?=$|[\\/])/, homedir());
  return path.isAbsolute(expanded) ? [expanded] : [];
}
