import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Messages } from '../../platform/vscode/messages';
import { listOpenFiles } from '../../platform/vscode/openFiles';
import type { Chat, ExportFormat } from '../common/chatPorts';
import { Draft, type DraftAttachment, type MentionRow } from '../common/chatView';
import type { ApprovalWatch } from '../common/marks/approvalWatch';
import type { BackendPicker } from './backendPicker';
import type { ChatPageHost, ApprovalChoice } from './pages/chatPageHost';
import type { ChatPages } from './pages/chatPages';
import type { ChatPageServices } from './pages/chatPageServices';

interface ChatCommandsDeps {
  readonly commands: Commands;
  readonly pages: ChatPages;
  readonly services: ChatPageServices;
  readonly picker: BackendPicker;
  readonly approvals: ApprovalWatch;
  readonly getSelection: () => MentionRow | undefined;
  readonly messages: Messages;
}

/** The commands of the chat. Each works wherever the focus is, or reports what is missing. */
export class ChatCommands implements Disposable {
  private readonly disposables = new DisposableStore();

  constructor(private readonly deps: ChatCommandsDeps) {}

  start(): void {
    const { commands, pages, services, picker } = this.deps;
    const handle = (id: Parameters<Commands['setHandler']>[0], run: (...args: readonly unknown[]) => unknown): void => {
      this.disposables.add(commands.setHandler(id, run));
    };
    handle(commandIds.chatOpen, () => this.openChat());
    handle(commandIds.chatNew, (given) => this.openNewChat(given));
    handle(commandIds.chatNewWithPreset, async (given) => {
      if (!(await services.presetActions.chooseOrPick(given))) return;
      await this.openNewChat(undefined);
    });
    handle(commandIds.chatSavePreset, () => services.presetActions.save(pages.activePage?.chat));
    handle(commandIds.chatStop, () => this.stopTurn());
    handle(commandIds.chatPickBackend, async () => {
      if (await picker.pickBackend()) await this.openChat();
    });
    handle(commandIds.chatAddSelection, () => this.addSelection());
    handle(commandIds.chatAddFile, (uri, selectedUris) => this.addFiles(uri, selectedUris));
    handle(commandIds.chatAllow, () => this.answerApproval('allow'));
    handle(commandIds.chatDeny, () => this.answerApproval('deny'));
    handle(commandIds.chatFocusApproval, () => this.focusApproval());
    handle(commandIds.chatRestore, () => this.restore());
    handle(commandIds.chatUndoRestore, () => this.undoRestore());
    handle(commandIds.reviewSincePrompt, async () => {
      const chat = this.requireChat(pages.activePage);
      if (chat) await services.turnReviews.openSincePrompt(chat);
    });
    handle(commandIds.reviewWithAgent, () => services.agentReviews.start());
    handle(commandIds.reviewUndoShown, (target) => services.turnReviews.undoShownFile(target));
    handle(commandIds.chatShowSessions, async () => (await pages.revealActive()).runCommand('showSessions'));
    handle(commandIds.chatFind, async () => (await pages.revealActive()).runCommand('find'));
    handle(commandIds.chatOpenInTab, () => this.openInTab(pages.activePage));
    handle(commandIds.chatExport, () => this.exportChat(pages.activePage));
    handle(commandIds.chatRename, () => this.renameChat(pages.activePage));
    handle(commandIds.chatFork, () => this.forkChat(pages.activePage));
    handle(commandIds.chatAskAside, () => this.askAside(pages.activePage, this.deps.getSelection()));
    handle(commandIds.chatLocateFolder, () => services.places.locateAnyFolder());
    handle(commandIds.chatDelete, () => this.deleteChat(pages.activePage));
    // The commands in the view's header apply to the view, wherever the focus is.
    handle(commandIds.chatViewShowSessions, async () => (await pages.revealView()).runCommand('showSessions'));
    handle(commandIds.chatViewFind, async () => (await pages.revealView()).runCommand('find'));
    handle(commandIds.chatViewOpenInTab, () => this.openInTab(pages.viewPage));
    handle(commandIds.chatViewExport, () => this.exportChat(pages.viewPage));
    handle(commandIds.chatViewRename, () => this.renameChat(pages.viewPage));
    handle(commandIds.chatViewFork, () => this.forkChat(pages.viewPage));
    handle(commandIds.chatViewAskAside, () => this.askAside(pages.viewPage));
    handle(commandIds.chatViewDelete, () => this.deleteChat(pages.viewPage));
    // The command in the title of the active tab applies to that tab, even if the view has the focus.
    handle(commandIds.chatTabShowSessions, () => pages.activeTabPage?.runCommand('showSessions'));
    handle(commandIds.chatTabFind, () => pages.activeTabPage?.runCommand('find'));
    handle(commandIds.chatTabRename, () => this.renameChat(pages.activeTabPage));
    handle(commandIds.chatTabExport, () => this.exportChat(pages.activeTabPage));
    handle(commandIds.chatTabFork, () => this.forkChat(pages.activeTabPage));
    handle(commandIds.chatTabAskAside, () => this.askAside(pages.activeTabPage));
    handle(commandIds.chatTabDelete, () => this.deleteChat(pages.activeTabPage));
    handle(commandIds.chatApplyCode, () => services.code.apply());
    handle(commandIds.chatDiscardCode, () => services.code.discard());
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** See `RunningChatFeature.attach`. */
  async attach(attachment: DraftAttachment, paths: readonly string[]): Promise<void> {
    const { pages, services } = this.deps;
    const hasChanged = (chat: Chat): boolean => chat.fileChanges.list.some(({ path }) => paths.includes(path));
    const { activePage } = pages;
    const shown = activePage?.chat;
    const changer = shown && hasChanged(shown) ? shown : services.chats.openChats.findLast(hasChanged);
    const page = changer && changer !== shown ? await pages.reveal(changer) : await pages.revealActive();
    page.insertDraft({ text: '', attachments: [attachment] });
    page.runCommand('focusComposer');
  }

  private async openChat(): Promise<void> {
    (await this.deps.pages.revealView()).runCommand('focusComposer');
  }

  /** Shows a new conversation with a draft. `sends`: also sends it, unless the user has typed something there. No command does. */
  async startWith(draft: Draft, sends: boolean): Promise<void> {
    const page = await this.deps.pages.revealEmpty();
    page.insertDraft(draft, sends);
    page.focusComposer();
  }

  /** Shows a new conversation. Other features may pass a draft, or the id of the agent to use. */
  private async openNewChat(draftOrBackend: unknown): Promise<void> {
    const { pages, services } = this.deps;
    const backendId = z.safeParse(z.object({ backendId: z.string() }), draftOrBackend).data?.backendId;
    if (backendId !== undefined) {
      // The agent may have been installed just now.
      await services.backends.refresh();
      services.backends.choose(backendId);
    }
    const page = await pages.revealEmpty();
    const draft = z.safeParse(Draft, draftOrBackend).data;
    if (draft) page.insertDraft(draft);
    page.runCommand('focusComposer');
  }

  private async stopTurn(): Promise<void> {
    const chat = this.deps.pages.activePage?.chat;
    if (chat?.view.isBusy !== true) {
      this.deps.messages.info('No turn is running in this conversation.');
      return;
    }
    await chat.stop();
  }

  private async addSelection(): Promise<void> {
    const row = this.deps.getSelection();
    if (row) await this.insertMentions([row]);
    else await this.addFiles(undefined, undefined);
  }

  /** Attaches files. In the Explorer, VS Code passes the clicked item and all selected items. */
  private async addFiles(uri: unknown, selectedUris: unknown): Promise<void> {
    const items = Array.isArray(selectedUris) && selectedUris.length > 0 ? selectedUris : [uri];
    const uris = items.flatMap((item) => (item instanceof vscode.Uri ? [item.toString()] : []));
    const paths = uris.length > 0 ? uris : listOpenFiles().slice(0, 1);
    if (paths.length === 0) {
      this.deps.messages.info('Open a file in the workspace first, or select one in the Explorer.');
      return;
    }
    await this.insertMentions(await this.deps.services.rowsForDrop(paths));
  }

  private async insertMentions(rows: readonly MentionRow[]): Promise<void> {
    const page = await this.deps.pages.revealActive();
    page.insertDraft({ text: '', attachments: [...rows] });
    page.runCommand('focusComposer');
  }

  private async answerApproval(choice: ApprovalChoice): Promise<void> {
    if (!this.deps.pages.visiblePages.some((page) => page.answerApproval(choice))) await this.focusApproval();
  }

  private async focusApproval(): Promise<void> {
    const { pages, approvals, messages } = this.deps;
    const shown = pages.activePage?.chat;
    const waiting =
      approvals.pendingApprovals.find(({ chat }) => chat.id === shown?.id) ?? approvals.pendingApprovals[0];
    if (!waiting) {
      messages.info('There are no pending approvals.');
      return;
    }
    const page = waiting.chat.id === shown?.id ? await pages.revealActive() : await pages.revealView();
    if (page.chat?.id !== waiting.chat.id) page.show(waiting.chat);
    page.runCommand('focusApproval');
  }

  private async openInTab(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.requireChat(page);
    if (chat) await this.deps.services.openInTab(chat.id);
  }

  private async exportChat(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.requireChat(page);
    if (!chat) return;
    const items: (vscode.QuickPickItem & { format: ExportFormat })[] = [
      { label: 'Markdown', description: 'Text to read or paste', format: 'markdown' },
      { label: 'HTML', description: 'Single file for any browser', format: 'html' },
      { label: 'JSON', description: 'All data, for other programs', format: 'json' },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      title: 'Export Conversation',
      placeHolder: 'Select a format',
    });
    if (picked) await this.deps.services.review.exportChat(chat.id, picked.format);
  }

  private async renameChat(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.requireChat(page);
    if (!chat) return;
    const title = await vscode.window.showInputBox({
      title: 'Rename Conversation',
      value: chat.view.title,
      validateInput: (value) => (value.trim() === '' ? 'Enter a title.' : undefined),
    });
    if (title !== undefined) await this.deps.services.chats.rename(chat.id, title.trim());
  }

  private async deleteChat(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.requireChat(page);
    if (chat) await this.deps.services.deletions.delete([chat.id]);
  }

  private async forkChat(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.requireChat(page);
    if (!page || !chat) return;
    await this.deps.services.restore.forkNow(chat, (next) => {
      page.show(next);
      page.focusComposer();
    });
  }

  /** Asks about the conversation, and about what is selected in the editor. */
  private async askAside(page: ChatPageHost | undefined, selection?: MentionRow): Promise<void> {
    const chat = this.requireChat(page);
    if (chat) await this.deps.services.asides.ask(chat, { selection });
  }

  private async restore(): Promise<void> {
    const page = this.deps.pages.activePage;
    const chat = this.requireChat(page);
    if (!page || !chat) return;
    await this.deps.services.restore.pickPromptAndRestore(chat, (next) => {
      page.show(next);
      page.focusComposer();
    });
  }

  /** Undoes the last restore or undo of changes of the conversation, also long after its message has gone. */
  private async undoRestore(): Promise<void> {
    const page = this.deps.pages.activePage;
    const chat = this.requireChat(page);
    if (!page || !chat) return;
    const { last } = chat.restores;
    if (last) await this.deps.services.restore.undo(chat, last.id, (next) => page.show(next));
    else this.deps.messages.info('There is no restore to undo in this conversation.');
  }

  private requireChat(page: ChatPageHost | undefined): Chat | undefined {
    const chat = page?.chat;
    if (!chat) this.deps.messages.info('Open a conversation in the chat first.');
    return chat;
  }
}
