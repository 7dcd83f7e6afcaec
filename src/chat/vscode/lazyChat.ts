import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, LazyFeature, RunningFeature } from '../../base/common/feature';
import { commandIds, contextKeys, panelTypes, textSchemes, viewIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { provideReadOnlyTexts } from '../../platform/vscode/readOnlyTexts';
import { ConversationToShow } from '../node/windows/conversationToShow';
import { watchRunningWindows, windowsFolderIn } from '../node/windows/watchRunningWindows';
import type { RunningChatRoot } from './chatRoot';
import { chatViewId } from './pages/chatViewId';
import type { RecentFiles } from './recentFiles';

interface LazyChatDeps extends Pick<FeatureContext, 'clock' | 'commands' | 'log' | 'settings' | 'status'> {
  readonly chat: LazyFeature<RunningChatRoot>;
  /** Whether a restore of files was interrupted, for example because VS Code was killed. Never rejects. */
  readonly hasInterruptedRestore: () => Promise<boolean>;
  readonly recent: RecentFiles;
  /** Absolute path of the folder that all windows share. */
  readonly storageFolder: string;
  /** Returns the absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
}

/** Registers the chat with VS Code at activation. Its code is loaded on first use. */
export class LazyChat implements Feature {
  readonly id = 'chat';
  readonly title = 'Chat';

  constructor(private readonly deps: LazyChatDeps) {}

  start(): Promise<RunningFeature> {
    const { id, title } = this;
    const { chat, commands, recent, settings, status, storageFolder } = this.deps;
    const store = new DisposableStore();
    const use = (): Promise<RunningChatRoot> => chat.getOrLoad();
    const refresh = (): Promise<void> =>
      use().then(
        (running) => running.refresh(),
        () => undefined,
      );

    store.add(chat);
    const viewId = chatViewId();
    void vscode.commands.executeCommand('setContext', contextKeys.chatIsInSideBar, viewId === viewIds.chatInSideBar);
    store.add(
      vscode.window.registerWebviewViewProvider(viewId, {
        resolveWebviewView: async (view) => (await use()).showIn(view),
      }),
    );
    store.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.chat, {
        deserializeWebviewPanel: async (panel, state) => (await use()).restore(panel, state),
      }),
    );
    store.add(
      vscode.window.registerWebviewViewProvider(viewIds.conversations, {
        resolveWebviewView: async (view) => (await use()).conversations.fillView(view),
      }),
    );
    store.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.conversations, {
        deserializeWebviewPanel: async (panel) => (await use()).conversations.restoreTab(panel),
      }),
    );
    for (const scheme of [textSchemes.chat, textSchemes.proposedCode]) {
      store.add(provideReadOnlyTexts(scheme, async (query) => (await use()).readDocument(scheme, query)));
    }
    for (const feature of ['chat', 'conversations', 'review'] as const) {
      store.add(commands.setFeatureLoader(feature, use));
    }
    // The chat is only loaded for hovers if the user wants to see all of them.
    const provideHover = async (document: vscode.TextDocument, { line }: vscode.Position) => {
      const shown = settings.authorshipHover();
      const running = shown === 'on' ? await use() : chat.featureIfLoaded;
      return shown === 'off' ? undefined : await running?.lineAuthors.hoverOf(document, line);
    };
    store.add(vscode.languages.registerHoverProvider({ scheme: 'file' }, { provideHover }));
    // Only the chat has the chosen agent and its state.
    store.add(status.onDidRequestRefresh(() => void refresh()));
    // Files that were open before the chat was loaded are suggested first.
    store.add(recent);
    recent.start();
    const open = { label: 'Open Chat', command: commandIds.chatOpen };
    status.set({ id, title, state: 'ready', summary: 'Starts when you open the chat.', actions: [open] });
    void this.reportInterruptedRestore();
    // The badge and the status bar then show what runs there.
    store.add(watchRunningWindows(windowsFolderIn(storageFolder), () => void use().catch(() => undefined)));
    void this.showWanted();
    store.add(vscode.window.onDidChangeWindowState(({ focused }) => void (focused && this.showWanted())));
    return Promise.resolve({ stop: () => chat.stop(), dispose: () => store.dispose() });
  }

  /** Shows the conversation that another window wants to be shown here. Loads the chat only if there is one. Never rejects. */
  private async showWanted(): Promise<void> {
    const { chat, clock, folders, log, storageFolder } = this.deps;
    try {
      const { workspaceFile } = vscode.workspace;
      const places = [...folders(), ...(workspaceFile?.scheme === 'file' ? [workspaceFile.fsPath] : [])];
      const id = await new ConversationToShow(storageFolder, () => clock.now()).take(places);
      if (id !== undefined) await (await chat.getOrLoad()).showConversation(id);
    } catch (error) {
      log.error('cannot show a conversation', error);
    }
  }

  /** Reports an interrupted restore. Loads the chat only if there is one. Never rejects. */
  private async reportInterruptedRestore(): Promise<void> {
    const { chat, hasInterruptedRestore, log } = this.deps;
    try {
      if (await hasInterruptedRestore()) await (await chat.getOrLoad()).notifyOfInterruptedRestore();
    } catch (error) {
      log.error('cannot report an interrupted restore', error);
    }
  }
}
