import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Messages } from '../../platform/vscode/messages';
import { openFiles } from '../../platform/vscode/openFiles';
import type { Chat, ExportFormat } from '../common/chatPorts';
import { Draft, type MentionRow } from '../common/chatView';
import type { ApprovalWatch } from '../common/page/approvalWatch';
import type { BackendPicker } from './backendPicker';
import type { ChatPageHost, PageAnswer } from './pages/chatPageHost';
import type { ChatPages } from './pages/chatPages';
import type { ChatWindow } from './pages/chatWindow';

interface ChatCommandsOptions {
  readonly commands: Commands;
  readonly pages: ChatPages;
  readonly window: ChatWindow;
  readonly picker: BackendPicker;
  readonly approvals: ApprovalWatch;
  readonly selected: () => MentionRow | undefined;
  readonly messages: Messages;
}

/** The commands of the chat. Each works from anywhere or says what is missing. */
export class ChatCommands implements Disposable {
  private readonly store = new DisposableStore();

  constructor(private readonly options: ChatCommandsOptions) {}

  start(): void {
    const { commands, pages, window, picker } = this.options;
    const handle = (id: Parameters<Commands['handle']>[0], run: (...args: readonly unknown[]) => unknown): void => {
      this.store.add(commands.handle(id, run));
    };
    handle(commandIds.chatOpen, () => this.open());
    handle(commandIds.chatNew, (draft) => this.begin(draft));
    handle(commandIds.chatStop, () => this.stop());
    handle(commandIds.chatPickBackend, async () => {
      if (await picker.pick()) await this.open();
    });
    handle(commandIds.chatAddSelection, () => this.addSelection());
    handle(commandIds.chatAddFile, (uri, all) => this.addFiles(uri, all));
    handle(commandIds.chatShowSessions, async () => (await pages.revealActive()).ask('showSessions'));
    handle(commandIds.chatFind, async () => (await pages.revealActive()).ask('find'));
    handle(commandIds.chatAllow, () => this.answer('allow'));
    handle(commandIds.chatDeny, () => this.answer('deny'));
    handle(commandIds.chatFocusApproval, () => this.focusApproval());
    handle(commandIds.chatOpenInTab, () => this.openInTab(pages.active));
    handle(commandIds.chatExport, () => this.export(pages.active));
    // From the menu of the view, wherever the focus is.
    handle(commandIds.chatViewFind, async () => (await pages.reveal()).ask('find'));
    handle(commandIds.chatViewOpenInTab, () => this.openInTab(pages.inView));
    handle(commandIds.chatViewExport, () => this.export(pages.inView));
    handle(commandIds.chatApplyCode, () => window.code.apply());
    handle(commandIds.chatDiscardCode, () => window.code.discard());
  }

  dispose(): void {
    this.store.dispose();
  }

  private async open(): Promise<void> {
    (await this.options.pages.reveal()).ask('focusComposer');
  }

  /** Other features may pass an initial draft. */
  private async begin(draft: unknown): Promise<void> {
    const page = await this.options.pages.revealEmpty();
    const given = z.safeParse(Draft, draft).data;
    if (given) page.insert(given);
    page.ask('focusComposer');
  }

  private async stop(): Promise<void> {
    const chat = this.options.pages.active?.chat;
    if (chat?.view.isBusy !== true) {
      this.options.messages.info('No turn is running in this conversation.');
      return;
    }
    await chat.stop();
  }

  private async addSelection(): Promise<void> {
    const row = this.options.selected();
    if (row) await this.insert([row]);
    // Without a selection, add the file.
    else await this.addFiles(undefined, undefined);
  }

  /** In the Explorer, VS Code passes the clicked item and the whole selection. */
  private async addFiles(uri: unknown, all: unknown): Promise<void> {
    const named = Array.isArray(all) && all.length > 0 ? all : [uri];
    const uris = named.flatMap((item) => (item instanceof vscode.Uri ? [item.toString()] : []));
    const paths = uris.length > 0 ? uris : openFiles().slice(0, 1);
    if (paths.length === 0) {
      this.options.messages.info('Open a file of the workspace first, or select one in the Explorer.');
      return;
    }
    await this.insert(await this.options.window.dropped(paths));
  }

  private async insert(rows: readonly MentionRow[]): Promise<void> {
    const page = await this.options.pages.revealActive();
    page.insert({ text: '', attachments: [...rows] });
    page.ask('focusComposer');
  }

  /** Shows the approval instead if no page shows it. */
  private async answer(how: PageAnswer): Promise<void> {
    if (!this.options.pages.visible.some((page) => page.answer(how))) await this.focusApproval();
  }

  private async focusApproval(): Promise<void> {
    const { pages, approvals, messages } = this.options;
    const shown = pages.active?.chat;
    const waiting = approvals.waiting.find(({ chat }) => chat.id === shown?.id) ?? approvals.waiting[0];
    if (!waiting) {
      messages.info('There are no pending approvals.');
      return;
    }
    const page = waiting.chat.id === shown?.id ? await pages.revealActive() : await pages.reveal();
    if (page.chat?.id !== waiting.chat.id) page.show(waiting.chat);
    page.ask('focusApproval');
  }

  private async openInTab(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.chatOf(page);
    if (chat) await this.options.window.openInTab(chat.id);
  }

  private async export(page: ChatPageHost | undefined): Promise<void> {
    const chat = this.chatOf(page);
    if (!chat) return;
    const items: (vscode.QuickPickItem & { format: ExportFormat })[] = [
      { label: 'Markdown', description: 'For reading and pasting', format: 'markdown' },
      { label: 'HTML', description: 'One file for any browser', format: 'html' },
      { label: 'JSON', description: 'All data, for programs', format: 'json' },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      title: 'Export Conversation',
      placeHolder: 'Select a format',
    });
    if (picked) await this.options.window.review.export(chat.id, picked.format);
  }

  private chatOf(page: ChatPageHost | undefined): Chat | undefined {
    const chat = page?.chat;
    if (!chat) this.options.messages.info('Open a conversation in the chat first.');
    return chat;
  }
}
