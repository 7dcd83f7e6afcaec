import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, RunningFeature, StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import { Messages } from '../../platform/vscode/messages';
import type { Settings } from '../../platform/vscode/settings';
import type { PageFiles } from '../../webview/vscode/webviewHtml';
import { DraftThreads } from '../common/draftThreads';
import type { ThreadDigest } from '../common/threadDigest';
import type { ThreadLibrary } from '../common/threadLibrary';
import { searchThreads } from '../common/threadSearch';
import { ReadMarks, type MarksMemento } from '../common/tree/readMarks';
import { ampPlaces } from '../node/ampData';
import { ampThreads, type AmpThreads } from '../node/ampThreads';
import type { Command } from '../node/runCommand';
import { withWorktrees } from '../node/worktrees';
import { ThreadActions } from './threadActions';
import { ThreadCommands } from './threadCommands';
import { ThreadDecorations } from './threadDecorations';
import { ThreadDocuments } from './threadDocuments';
import { ThreadPanels } from './threadPanels';
import { ThreadSearchPick } from './threadSearchPick';
import { ThreadsView } from './threadsView';

export interface ThreadsFeatureOptions {
  readonly editor: Pick<EditorPort, 'open' | 'folders' | 'resolve'>;
  /** The amp CLI; undefined when there is none on this machine. */
  readonly findCommand: () => Promise<Command | undefined>;
  /** Begins a conversation with another agent, with the digest attached. `folder` is absolute, of the workspace. */
  readonly startChat: (digest: ThreadDigest, folder: string | undefined) => Promise<void>;
  readonly log: Logger;
  readonly status: StatusBoard;
  readonly commands: Commands;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Of the workspace: what the list shows. */
  readonly workspaceState: MarksMemento;
  /** Of the user: what was read. */
  readonly globalState: MarksMemento;
  /** Absolute, of the extension, for all windows. */
  readonly storageFolder: string;
  /** `dist`. */
  readonly distFolder: vscode.Uri;
}

/** Amp's threads: a list, a search, and tabs to read them in. Reads nothing before somebody looks. */
export class ThreadsFeature implements Feature {
  readonly id = 'threads';
  readonly title = 'Amp threads';
  /** For peers of the agent protocol's draft. */
  readonly draftThreads: DraftThreads;
  private readonly threads: AmpThreads;

  constructor(private readonly options: ThreadsFeatureOptions) {
    const { clock, distFolder, findCommand, log, settings, storageFolder } = options;
    this.threads = ampThreads({
      places: ampPlaces(process.env, homedir()),
      moreFolders: () => settings.threadsFolders().flatMap(absoluteFolder),
      findCommand,
      indexFolder: path.join(storageFolder, 'threads'),
      workerFile: vscode.Uri.joinPath(distFolder, 'thread-index-worker.js').fsPath,
      clock,
      log,
    });
    this.draftThreads = new DraftThreads(this.threads.library, {
      isTrusted: () => vscode.workspace.isTrusted,
      workspaceFolders: () => this.workspaceFolders(),
      isDenied: (file) =>
        options.editor.resolve(file).then(
          () => false,
          () => true,
        ),
    });
  }

  start(): Promise<RunningFeature> {
    const { clock, commands, distFolder, editor, findCommand, globalState, log, settings } = this.options;
    const { startChat, workspaceState } = this.options;
    const { files, library, local } = this.threads;
    const store = new DisposableStore();
    const messages = new Messages(log);

    store.add(library);
    const marks = new ReadMarks(globalState, (error) => log.warn(`cannot remember what was read: ${String(error)}`));
    const decorations = store.add(new ThreadDecorations());
    const documents = store.add(new ThreadDocuments(library));
    const actions = new ThreadActions({
      read: (id) => library.read(id),
      findCommand,
      startChat,
      messages,
      chooseFile: async (defaultUri, filters) =>
        await vscode.window.showSaveDialog({ defaultUri, filters, saveLabel: 'Export' }),
      isTrusted: () => vscode.workspace.isTrusted,
      workspaceFolders: () => this.workspaceFolders(),
    });
    const view = store.add(
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
        marks,
        onDidRead: () => view.update(),
        files: pageFiles(distFolder),
        clock,
        log,
      }),
    );
    const search = new ThreadSearchPick({
      ready: () => library.ready(),
      heads: () => library.heads,
      search: (query) =>
        searchThreads(query, {
          heads: () => library.heads,
          searchText: (text, limit) => local.search(text, limit),
          now: () => clock.now(),
        }),
      open: ({ id }, entryId) => void vscode.commands.executeCommand(commandIds.threadsOpen, id, entryId),
      clock,
    });
    const threadCommands = store.add(
      new ThreadCommands({ commands, library, files, view, panels, actions, search, messages }),
    );

    store.add(library.onDidChange(() => this.showStatus(library)));
    store.add(
      settings.onDidChange((id) => {
        if (id === settingIds.threadsFolders && library.isListed) {
          local
            .use(settings.threadsFolders().flatMap(absoluteFolder))
            .catch((error: unknown) => log.error('the folders of threads cannot be watched', error));
        }
      }),
    );
    for (const part of [decorations, documents, view, panels, threadCommands]) part.start();
    this.showStatus(library);
    return Promise.resolve({ dispose: () => store.dispose() });
  }

  /** Absolute, with their worktrees. */
  private async workspaceFolders(): Promise<readonly string[]> {
    const { folders } = this.options.editor;
    return (await Promise.all(folders.map((folder) => withWorktrees(folder.path)))).flat();
  }

  private showStatus({ absences, heads, isListed, problems }: ThreadLibrary): void {
    const { status } = this.options;
    const open = { label: 'Search threads', command: commandIds.threadsSearch };
    const about = { id: this.id, title: this.title, actions: [open] };
    if (problems.length > 0) {
      status.set({ ...about, state: 'attention', summary: problems.join(' ') });
      return;
    }
    const running = heads.filter(({ state }) => state === 'running').length;
    const counted = `${heads.length} thread${heads.length === 1 ? '' : 's'}${running > 0 ? `, ${running} running` : ''}.`;
    const found = heads.length === 0 && absences.length > 0 ? absences.join(' ') : counted;
    const summary = isListed ? found : 'They are read when somebody looks at the list.';
    status.set({ ...about, state: 'ready', summary });
  }
}

/** `~` is the user's folder. A relative path says nothing: the setting is not of a workspace. */
function absoluteFolder(folder: string): readonly string[] {
  const expanded = folder.replace(/^~(?=$|[\\/])/, homedir());
  return path.isAbsolute(expanded) ? [expanded] : [];
}

function pageFiles(distFolder: vscode.Uri): PageFiles {
  const folder = vscode.Uri.joinPath(distFolder, 'pages');
  return {
    folder,
    script: vscode.Uri.joinPath(folder, 'thread.js'),
    style: vscode.Uri.joinPath(folder, 'thread.css'),
  };
}
