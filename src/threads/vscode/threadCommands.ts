import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import { commandIds, type CommandId } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Messages } from '../../platform/vscode/messages';
import type { ThreadAction } from '../common/page/threadApi';
import type { ThreadLibrary } from '../common/threadLibrary';
import { ThreadError, type ThreadHead } from '../common/threadPorts';
import { displayTitle } from '../common/tree/threadRow';
import type { OpenedFileSource } from '../node/openedFileSource';
import { openThreadFileAsJson } from './openTarget';
import type { ThreadActions } from './threadActions';
import { pickFilters } from './threadFilterPicks';
import type { ThreadPanels } from './threadPanels';
import type { ThreadSearchPick } from './threadSearchPick';
import type { ThreadsView } from './threadsView';

interface ThreadCommandsDeps {
  readonly commands: Commands;
  readonly library: ThreadLibrary;
  readonly files: OpenedFileSource;
  readonly view: ThreadsView;
  readonly panels: ThreadPanels;
  readonly actions: ThreadActions;
  readonly search: ThreadSearchPick;
  readonly messages: Messages;
}

/** The commands for threads. They work in the list, in a tab and in the Command Palette. */
export class ThreadCommands implements Disposable {
  private readonly disposables = new DisposableStore();

  constructor(private readonly deps: ThreadCommandsDeps) {}

  start(): void {
    const { commands, library, panels, search, view } = this.deps;
    const handle = (id: CommandId, run: (...args: readonly unknown[]) => unknown): void => {
      this.disposables.add(commands.setHandler(id, run));
    };
    const act = (id: CommandId, action: ThreadAction): void => {
      handle(id, (target) => this.runAction(target, action));
    };
    const continueThread = (id: CommandId, action: ThreadAction): void => {
      handle(id, async (target) => this.runAction(target ?? (await this.activeOrCurrentThreadId()), action));
    };
    handle(commandIds.threadsOpen, (target, entryId) => this.openThread(target, entryId));
    handle(commandIds.threadsSearch, () => search.showPick('Search Amp Threads'));
    handle(commandIds.threadsRefresh, async () => {
      await library.refresh();
      panels.refresh();
    });
    handle(commandIds.threadsFilter, () => this.pickFilters());
    handle(commandIds.threadsClearFilters, () =>
      view.setFilters({ mode: undefined, source: undefined, onlyChanges: false, showArchived: false }),
    );
    handle(commandIds.threadsShowAll, () => view.setFilters({ scope: 'all' }));
    handle(commandIds.threadsShowWorkspace, () => view.setFilters({ scope: 'workspace' }));
    handle(commandIds.threadsGroupByDay, () => view.setFilters({ groupBy: 'day' }));
    handle(commandIds.threadsGroupByFolder, () => view.setFilters({ groupBy: 'folder' }));
    handle(commandIds.threadsOpenFile, () => this.chooseAndOpenFiles());
    handle(commandIds.threadsFind, () => this.activePanelOrShowMessage()?.showFind());
    handle(commandIds.threadsExport, (target) => this.export(target));
    continueThread(commandIds.threadsContinueInAmp, 'continueInAmp');
    continueThread(commandIds.threadsContinueInChat, 'continueInChat');
    act(commandIds.threadsCopyLink, 'copyLink');
    act(commandIds.threadsCopyPath, 'copyPath');
    act(commandIds.threadsCopyId, 'copyId');
    act(commandIds.threadsReveal, 'reveal');
  }

  /** Opens files as threads. Reports files that are not threads. */
  async openFiles(uris: readonly vscode.Uri[]): Promise<void> {
    const { files, library, panels } = this.deps;
    await library.waitForFirstList();
    for (const { fsPath, scheme } of uris) {
      try {
        if (scheme !== 'file') throw new Error('The file is not on the machine where Backline runs.');
        const head = await files.add(fsPath);
        await library.refresh();
        panels.open(head.id, displayTitle(head));
      } catch (error) {
        const message = `${vscode.workspace.asRelativePath(fsPath)} can’t be opened as a thread. ${messageOf(error)}`;
        this.showOpenError(message, error instanceof ThreadError && error.code !== 'notFound' ? fsPath : undefined);
      }
    }
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Opens a thread. `target` is the id of a row, the id of a thread or a link to a thread. */
  private async openThread(target: unknown, entryId: unknown): Promise<void> {
    const { library, panels, search } = this.deps;
    const id = this.threadIdOf(target);
    if (id === undefined) {
      await search.showPick('Open Amp Thread');
      return;
    }
    await library.waitForFirstList();
    const head = library.find(id);
    if (head?.problem !== undefined) {
      this.showOpenError(`${head.path ?? id} can’t be shown: ${head.problem}`, head.path);
      return;
    }
    panels.open(id, head ? displayTitle(head) : 'Amp Thread', typeof entryId === 'string' ? entryId : undefined);
  }

  /** Shows an error, and offers to open the file as JSON. */
  private showOpenError(message: string, file: string | undefined): void {
    const open = { label: 'Open as JSON', run: () => openThreadFileAsJson(file ?? '') };
    this.deps.messages.error(showHiddenCharacters(message), ...(file === undefined ? [] : [open]));
  }

  private async pickFilters(): Promise<void> {
    const { library, view } = this.deps;
    await library.waitForFirstList();
    const changes = await pickFilters(view.filters, library.heads);
    if (changes) await view.setFilters(changes);
  }

  private async chooseAndOpenFiles(): Promise<void> {
    const uris = await vscode.window.showOpenDialog({
      title: 'Open Exported Amp Threads',
      canSelectMany: true,
      filters: { 'Exported threads': ['json'], 'All files': ['*'] },
    });
    if (uris) await this.openFiles(uris);
  }

  private async export(target: unknown): Promise<void> {
    const head = await this.headOfTargetOrActive(target);
    if (!head) return;
    const items: (vscode.QuickPickItem & { readonly action: ThreadAction })[] = [
      { label: 'Markdown', description: 'Text to read or paste', action: 'exportMarkdown' },
      { label: 'HTML', description: 'Single file for any browser', action: 'exportHtml' },
      { label: 'JSON', description: 'All data, for other programs', action: 'exportJson' },
    ];
    const picked = await vscode.window.showQuickPick(items, { title: 'Export Thread', placeHolder: 'Select a format' });
    if (picked) await this.deps.actions.runAction(picked.action, head);
  }

  private async runAction(target: unknown, action: ThreadAction): Promise<void> {
    const head = await this.headOfTargetOrActive(target);
    if (head) await this.deps.actions.runAction(action, head);
  }

  /** Returns the thread of a row or an id, or else of the active tab. Shows a message if there is none. */
  private async headOfTargetOrActive(target: unknown): Promise<ThreadHead | undefined> {
    const { library } = this.deps;
    const id = this.threadIdOf(target) ?? this.activePanelOrShowMessage()?.threadId;
    if (id === undefined) return undefined;
    await library.waitForFirstList();
    return library.find(id) ?? (await library.read(id)).head;
  }

  /** Returns the thread of the active tab, or else the thread that Amp would continue. */
  private async activeOrCurrentThreadId(): Promise<string | undefined> {
    const { library, panels } = this.deps;
    return panels.activePanel?.threadId ?? (await library.currentThreadId());
  }

  private activePanelOrShowMessage() {
    const { activePanel } = this.deps.panels;
    if (!activePanel) this.deps.messages.info('Open an Amp thread first.');
    return activePanel;
  }

  private threadIdOf(target: unknown): string | undefined {
    if (typeof target !== 'string') return undefined;
    return this.deps.view.threadIdOf(target) ?? /T-[\w-]+/.exec(target)?.[0] ?? target;
  }
}
