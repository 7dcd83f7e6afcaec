import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { namingHiddenCharacters } from '../../base/common/hiddenCharacters';
import { commandIds, type CommandId } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Messages } from '../../platform/vscode/messages';
import type { ThreadAction } from '../common/page/threadApi';
import type { ThreadLibrary } from '../common/threadLibrary';
import { ThreadError, type ThreadHead } from '../common/threadPorts';
import { shownTitle } from '../common/tree/threadRow';
import type { ExportedFiles } from '../node/exportedFiles';
import { openAsJson } from './threadPlaces';
import type { ThreadActions } from './threadActions';
import { pickFilters } from './threadFilterPicks';
import type { ThreadPanels } from './threadPanels';
import type { ThreadSearchPick } from './threadSearchPick';
import type { ThreadsView } from './threadsView';

interface ThreadCommandsOptions {
  readonly commands: Commands;
  readonly library: ThreadLibrary;
  readonly files: ExportedFiles;
  readonly view: ThreadsView;
  readonly panels: ThreadPanels;
  readonly actions: ThreadActions;
  readonly search: ThreadSearchPick;
  readonly messages: Messages;
}

/** The commands of the threads. Each works from the list, from a tab and from the palette, or says what is missing. */
export class ThreadCommands implements Disposable {
  private readonly store = new DisposableStore();

  constructor(private readonly options: ThreadCommandsOptions) {}

  start(): void {
    const { commands, library, panels, search, view } = this.options;
    const handle = (id: CommandId, run: (...args: readonly unknown[]) => unknown): void => {
      this.store.add(commands.handle(id, run));
    };
    const act = (id: CommandId, action: ThreadAction): void => {
      handle(id, (target) => this.act(target, action));
    };
    const goOn = (id: CommandId, action: ThreadAction): void => {
      handle(id, async (target) => this.act(target ?? (await this.current()), action));
    };
    handle(commandIds.threadsOpen, (target, entryId) => this.open(target, entryId));
    handle(commandIds.threadsSearch, () => search.show('Search Amp Threads'));
    handle(commandIds.threadsRefresh, async () => {
      await library.refresh();
      panels.refresh();
    });
    handle(commandIds.threadsFilter, () => this.filter());
    handle(commandIds.threadsClearFilters, () =>
      view.filter({ mode: undefined, source: undefined, onlyChanges: false, showArchived: false }),
    );
    handle(commandIds.threadsShowAll, () => view.filter({ scope: 'all' }));
    handle(commandIds.threadsShowWorkspace, () => view.filter({ scope: 'workspace' }));
    handle(commandIds.threadsGroupByDay, () => view.filter({ groupBy: 'day' }));
    handle(commandIds.threadsGroupByFolder, () => view.filter({ groupBy: 'folder' }));
    handle(commandIds.threadsOpenFile, () => this.chooseFiles());
    handle(commandIds.threadsFind, () => this.activePanel()?.find());
    handle(commandIds.threadsExport, (target) => this.export(target));
    goOn(commandIds.threadsContinueInAmp, 'continueInAmp');
    goOn(commandIds.threadsContinueInChat, 'continueInChat');
    act(commandIds.threadsCopyLink, 'copyLink');
    act(commandIds.threadsCopyPath, 'copyPath');
    act(commandIds.threadsCopyId, 'copyId');
    act(commandIds.threadsReveal, 'reveal');
  }

  /** Shows threads that are in these files; one that is none is said to the user. */
  async openFiles(uris: readonly vscode.Uri[]): Promise<void> {
    const { files, library, panels } = this.options;
    await library.ready();
    for (const { fsPath, scheme } of uris) {
      try {
        if (scheme !== 'file') throw new Error('It is not a file of the machine that this window works on.');
        const head = await files.add(fsPath);
        await library.refresh();
        panels.open(head.id, shownTitle(head));
      } catch (error) {
        const why = `${vscode.workspace.asRelativePath(fsPath)} cannot be opened as a thread. ${messageOf(error)}`;
        this.cannotOpen(why, error instanceof ThreadError && error.code !== 'notFound' ? fsPath : undefined);
      }
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  /** `target` is a row, an id, or a link to a thread. */
  private async open(target: unknown, entryId: unknown): Promise<void> {
    const { library, panels, search } = this.options;
    const id = this.idOf(target);
    if (id === undefined) {
      await search.show('Open Amp Thread');
      return;
    }
    await library.ready();
    const head = library.find(id);
    if (head?.problem !== undefined) {
      this.cannotOpen(`${head.path ?? id} cannot be shown: ${head.problem}`, head.path);
      return;
    }
    panels.open(id, head ? shownTitle(head) : 'Amp Thread', typeof entryId === 'string' ? entryId : undefined);
  }

  /** What is no thread may still be read as what it is. */
  private cannotOpen(why: string, file: string | undefined): void {
    const open = { label: 'Open as JSON', run: () => openAsJson(file ?? '') };
    this.options.messages.error(namingHiddenCharacters(why), ...(file === undefined ? [] : [open]));
  }

  private async filter(): Promise<void> {
    const { library, view } = this.options;
    await library.ready();
    const part = await pickFilters(view.filters, library.heads);
    if (part) await view.filter(part);
  }

  private async chooseFiles(): Promise<void> {
    const uris = await vscode.window.showOpenDialog({
      title: 'Open Exported Amp Threads',
      canSelectMany: true,
      filters: { 'Exported threads': ['json'], 'All files': ['*'] },
    });
    if (uris) await this.openFiles(uris);
  }

  private async export(target: unknown): Promise<void> {
    const head = await this.headOf(target);
    if (!head) return;
    const items: (vscode.QuickPickItem & { readonly action: ThreadAction })[] = [
      { label: 'Markdown', description: 'to read and to paste', action: 'exportMarkdown' },
      { label: 'HTML', description: 'one file for any browser', action: 'exportHtml' },
      { label: 'JSON', description: 'everything, for programs', action: 'exportJson' },
    ];
    const picked = await vscode.window.showQuickPick(items, { title: 'Export the Thread', placeHolder: 'As what?' });
    if (picked) await this.options.actions.run(picked.action, head);
  }

  private async act(target: unknown, action: ThreadAction): Promise<void> {
    const head = await this.headOf(target);
    if (head) await this.options.actions.run(action, head);
  }

  /** The row, the id, else the tab in front. The user is told when there is none. */
  private async headOf(target: unknown): Promise<ThreadHead | undefined> {
    const { library } = this.options;
    const id = this.idOf(target) ?? this.activePanel()?.threadId;
    if (id === undefined) return undefined;
    await library.ready();
    return library.find(id) ?? (await library.read(id)).head;
  }

  /** What is read now, else what Amp itself would continue. */
  private async current(): Promise<string | undefined> {
    const { library, panels } = this.options;
    return panels.active?.threadId ?? (await library.currentHint());
  }

  private activePanel() {
    const { active } = this.options.panels;
    if (!active) this.options.messages.info('No thread is shown. Open one of the list of Amp threads first.');
    return active;
  }

  private idOf(target: unknown): string | undefined {
    if (typeof target !== 'string') return undefined;
    return this.options.view.threadIdOf(target) ?? /T-[\w-]+/.exec(target)?.[0] ?? target;
  }
}
