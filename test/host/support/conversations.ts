import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../../src/base/common/async';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ConversationSource } from '../../../src/chat/common/conversationSource';
import { ConversationsUpdate } from '../../../src/chat/common/page/conversationsApi';
import { AllConversations } from '../../../src/chat/vscode/list/allConversations';
import { panelTypes, type CommandId } from '../../../src/manifest';
import { ChatUnderTest } from './chat';
import { obedientPage, WebviewUnderTest } from './webview';

/** A page of all conversations. */
export class ConversationsPageUnderTest extends WebviewUnderTest<ConversationsUpdate> {
  constructor(column?: vscode.ViewColumn) {
    super({ prefix: 'conversations', parse: (params) => ConversationsUpdate.parse(params) }, column);
  }
}

/** The list of all conversations beside a chat, over fake conversations, in the real VS Code. Dispose it. */
export class ConversationsUnderTest {
  readonly handlers = new Map<CommandId, (...args: readonly unknown[]) => unknown>();
  readonly subject: AllConversations;
  /** How often VS Code has made or closed the view. */
  viewChanges = 0;
  /** How often the next conversation was asked for that needs the user. */
  nextCount = 0;

  private constructor(
    readonly chat: ChatUnderTest,
    private readonly folder: string,
    sources: readonly ConversationSource[],
    clock: Clock,
  ) {
    this.subject = new AllConversations({
      ...chat.window,
      clock,
      commands: {
        setHandler: (id, handler) => {
          this.handlers.set(id, handler);
          return { dispose: () => void this.handlers.delete(id) };
        },
      },
      extensionUri: vscode.Uri.file(folder),
      pages: chat.pages,
      sources,
      onDidChangeView: () => {
        this.viewChanges++;
      },
      showNextMarked: () => {
        this.nextCount++;
        return Promise.resolve();
      },
    });
    this.subject.start();
  }

  static async start(
    sources: readonly ConversationSource[] = [],
    clock: Clock = systemClock,
  ): Promise<ConversationsUnderTest> {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-conversations-'));
    const pages = path.join(folder, 'dist', 'pages');
    await mkdir(pages, { recursive: true });
    await writeFile(path.join(pages, 'conversations.js'), obedientPage);
    await writeFile(path.join(pages, 'conversations.css'), '');
    return new ConversationsUnderTest(await ChatUnderTest.start(), folder, sources, clock);
  }

  /** The view, in a panel's clothes: VS Code makes views only where package.json has them. */
  async view(column?: vscode.ViewColumn): Promise<ConversationsPageUnderTest> {
    const page = new ConversationsPageUnderTest(column);
    this.subject.pages.fillView(page.asView);
    await page.come();
    return page;
  }

  /** The tab of a window that was loaded again. */
  async tab(column?: vscode.ViewColumn): Promise<ConversationsPageUnderTest> {
    const page = new ConversationsPageUnderTest(column);
    this.subject.pages.restoreTab(page.panel);
    await page.come();
    return page;
  }

  /** The titles of the tabs with the page that the window has. */
  get tabs(): readonly string[] {
    const isOurs = (input: unknown): boolean =>
      input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelTypes.conversations);
    return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.filter(({ input }) => isOurs(input)).map(({ label }) => label),
    );
  }

  async dispose(): Promise<void> {
    this.subject.dispose();
    await this.chat.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}
