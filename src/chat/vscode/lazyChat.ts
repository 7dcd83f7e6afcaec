import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, LazyFeature, RunningFeature } from '../../base/common/feature';
import { commandIds, panelTypes, textSchemes, viewIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { provideTexts } from '../../platform/vscode/readOnlyTexts';
import type { RunningChat } from './chatRoot';
import type { RecentFiles } from './recentFiles';

interface LazyChatOptions extends Pick<FeatureContext, 'commands' | 'status'> {
  readonly chat: LazyFeature<RunningChat>;
  readonly recent: RecentFiles;
}

/** The chat as VS Code knows it from the start. Its code is loaded when somebody needs it. */
export class LazyChat implements Feature {
  readonly id = 'chat';
  readonly title = 'Chat';

  constructor(private readonly options: LazyChatOptions) {}

  start(): Promise<RunningFeature> {
    const { id, title } = this;
    const { chat, commands, recent, status } = this.options;
    const store = new DisposableStore();
    const use = (): Promise<RunningChat> => chat.use();
    const refresh = (): Promise<void> =>
      use().then(
        (running) => running.refresh(),
        // It has said so where the user is looking.
        () => undefined,
      );

    store.add(chat);
    store.add(
      vscode.window.registerWebviewViewProvider(viewIds.chat, {
        resolveWebviewView: async (view) => (await use()).showIn(view),
      }),
    );
    store.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.chat, {
        deserializeWebviewPanel: async (panel, state) => (await use()).restore(panel, state),
      }),
    );
    for (const scheme of [textSchemes.chat, textSchemes.proposedCode]) {
      store.add(provideTexts(scheme, async (query) => (await use()).textOf(scheme, query)));
    }
    store.add(commands.handleLater(this.id, use));
    store.add(commands.handleLater('review', use));
    // What is chosen, and whether it is there, is known to the chat only.
    store.add(status.onDidLook(() => void refresh()));
    // What the user had in front of him before he came to the chat is mentioned first.
    store.add(recent);
    recent.start();
    const open = { label: 'Open the chat', command: commandIds.chatOpen };
    status.set({ id, title, state: 'ready', summary: 'It starts when it is opened.', actions: [open] });
    return Promise.resolve({ stop: () => chat.stop(), dispose: () => store.dispose() });
  }
}
