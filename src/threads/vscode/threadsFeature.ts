import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import { PeerThreads } from '../common/exports/peerThreads';
import type { ThreadDigest } from '../common/exports/threadDigest';
import type { ThreadLibrary } from '../common/threadLibrary';
import { threadsStatus } from '../common/tree/threadsStatus';
import { searchThreads } from '../common/search/threadSearch';
import { ReadMarks } from '../common/tree/readMarks';
import { ampPlaces, oldExtensionFolders } from '../node/ampFolder/ampData';
import { ampThreads, type AmpThreads } from '../node/ampThreads';
import type { Command } from '../node/cli/runCommand';
import { withWorktrees } from '../node/workspace/worktrees';
import type { RunningThreads } from './lazyThreads';
import { ThreadActions } from './threadActions';
import { ThreadCommands } from './threadCommands';
import { ThreadDecorations } from './threadDecorations';
import { ThreadDocuments } from './threadDocuments';
import { ThreadPanels } from './threadPanels';
import { ThreadSearchPick } from './threadSearchPick';
import { ThreadsView } from './threadsView';

interface ThreadsFeatureOptions extends FeatureContext {
  readonly editor: Pick<EditorPort, 'open' | 'folders' | 'resolve'>;
  /** The file that a shell starts as `amp`, absolute; undefined when there is none on this machine. */
  readonly findAmp: () => Promise<string | undefined>;
  /** How it is started without a shell; the same. @throws Error that says what is missing */
  readonly findCommand: () => Promise<Command | undefined>;
  /** Begins a conversation with another agent, with the digest attached. `folder` is absolute, of the workspace. */
  readonly startChat: (digest: ThreadDigest, folder: string | undefined) => Promise<void>;
  /** Of the workspace: what the list shows. */
  readonly workspaceState: Memento;
  /** Of the user: what was read. */
  readonly globalState: Memento;
  /** Absolute, of the extension, for all windows. */
  readonly storageFolder: string;
  /** `dist`. */
  readonly distFolder: vscode.Uri;
}

/** Amp's threads: a list, a search, and tabs to read them in. Reads nothing before somebody looks. */
export class ThreadsFeature implements Feature<RunningThreads> {
  readonly id = 'threads';
  readonly title = 'Amp threads';
  private readonly peerThreads: PeerThreads;
  private readonly threads: AmpThreads;

  constructor(private readonly options: ThreadsFeatureOptions) {
    const { clock, distFolder, findCommand, log, storageFolder } = options;
    this.threads = ampThreads({
      places: ampPlaces(process.env, homedir()),
      moreFolders: () => this.moreFolders(),
      findCommand,
      indexFolder: path.join(storageFolder, 'threads'),
      workerFile: vscode.Uri.joinPath(distFolder, 'thread-index-worker.js').fsPath,
      clock,
      log,
    });
    this.peerThreads = new PeerThreads(this.threads.library, {
      isTrusted: () => vscode.workspace.isTrusted,
      workspaceFolders: () => this.workspaceFolders(),
      isDenied: (file) =>
        options.editor.resolve(file).then(
          () => false,
          () => true,
        ),
    });
  }

  start(): Promise<RunningThreads> {
    const { clock, commands, distFolder, editor, findAmp, globalState, log, settings } = this.options;
    const { startChat, workspaceState } = this.options;
    const { account, files, library, local } = this.threads;
    const store = new DisposableStore();
    const messages = new Messages(log);

    store.add(library);
    const marks = new ReadMarks(globalState, (error) => log.warn(`cannot remember what was read: ${String(error)}`));
    const decorations = store.add(new ThreadDecorations());
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
      workspaceFolders: () => this.workspaceFolders(),
      openFolders: () => editor.folders.map((folder) => folder.path),
    });
    const list = store.add(
      new ThreadsView({
        library,
        marks,
        decorations,
        workspaceFolders: () => this.workspaceFolders(),
        memento: workspaceState,
        onDidDropFiles: (uris) => void threadCommands.openFiles(uris),
        clock,
      }),
    );
    const panels = store.add(
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
        addFile: (file) => files.add(file),
        marks,
        onDidRead: () => list.update(),
        files: { folder: vscode.Uri.joinPath(distFolder, 'pages'), name: 'thread' },
        clock,
        log,
      }),
    );
    const search = new ThreadSearchPick({
      ready: () => library.ready(),
      heads: () => library.heads,
      current: () => library.currentHint(),
      search: async (query) => {
        await library.ready();
        return await searchThreads(query, {
          heads: () => library.heads,
          searchText: (text, limit) => local.search(text, limit),
          searchFiles: (text) => files.search(text),
          now: () => clock.now(),
        });
      },
      searchAccount: (query, signal) => account.search(query, signal),
      onDidChangeCoverage: local.onDidChangeCoverage,
      look: () => library.look(),
      open: (id, entryId) => void vscode.commands.executeCommand(commandIds.threadsOpen, id, entryId),
      clock,
    });
    const threadCommands = store.add(
      new ThreadCommands({ commands, library, files, view: list, panels, actions, search, messages }),
    );

    store.add(library.onDidChange(() => this.showStatus(library)));
    store.add(
      settings.onDidChangeOf([settingIds.threadsFolders], () => {
        if (!library.isListed) return;
        local
          .use(this.moreFolders())
          .catch((error: unknown) => log.error('the folders of threads cannot be watched', error));
      }),
    );
    for (const part of [decorations, threadCommands]) part.start();
    this.showStatus(library);
    return Promise.resolve({
      list,
      restore: (panel, state) => panels.restore(panel, state),
      textOf: (query) => documents.textOf(query),
      peerThreads: this.peerThreads,
      dispose: () => store.dispose(),
    });
  }

  /** Absolute, with threads, besides that of the amp CLI. */
  private moreFolders(): readonly string[] {
    const { settings, storageFolder } = this.options;
    return [...settings.threadsFolders().flatMap(absoluteFolder), ...oldExtensionFolders(storageFolder)];
  }

  /** Absolute, with their worktrees. */
  private async workspaceFolders(): Promise<readonly string[]> {
    const { folders } = this.options.editor;
    return (await Promise.all(folders.map((folder) => withWorktrees(folder.path)))).flat();
  }

  private showStatus(library: ThreadLibrary): void {
    const { id, title } = this;
    this.options.status.set({ id, title, ...threadsStatus(library) });
  }
}

/** `~` is the user's folder. A relative path says nothing: the setting is not of a workspace. */
function absoluteFolder(folder: string): readonly string[] {
  const expanded = folder.replace(/^~(?=$|[\\/])/, homedir());
  return path.isAbsolute(expanded) ? [expanded] : [];
}
