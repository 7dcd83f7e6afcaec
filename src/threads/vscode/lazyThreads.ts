import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, LazyFeature, RunningFeature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import { panelTypes, textSchemes, viewIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { provideReadOnlyTexts } from '../../platform/vscode/readOnlyTexts';
import { LazyThreadConversations } from '../common/exports/lazyThreadConversations';
import type { PeerThreads } from '../common/exports/peerThreads';
import type { ThreadConversations } from '../common/exports/threadConversations';
import { threadsSummaryBeforeListing, threadsStatus } from '../common/tree/threadsStatus';
import { hasAmpThreads } from '../node/ampFolder/ampData';
import { loadFilters, setFilterContextKeys } from './storedFilters';
import { LazyTree } from './lazyTree';
import type { ThreadsView } from './threadsView';

/** The loaded feature, for VS Code and other features. */
export interface RunningThreadsFeature extends RunningFeature {
  readonly list: ThreadsView;
  /** Restores a tab after a reload of the window. */
  restore(panel: vscode.WebviewPanel, state: unknown): void;
  /** Returns the text of a read-only document; see `textSchemes.thread`. @throws ThreadError; Error if it is missing */
  textOf(query: string): Promise<string>;
  /** The threads for peers of the draft protocol. */
  readonly peerThreads: PeerThreads;
  /** The threads for the list of all conversations. */
  readonly conversations: ThreadConversations;
}

interface LazyThreadsDeps extends Pick<FeatureContext, 'commands' | 'log' | 'status'> {
  readonly threads: LazyFeature<RunningThreadsFeature>;
  /** Stores the filters of the list. */
  readonly workspaceState: Memento;
  /** Returns the absolute path of the `amp` executable. Undefined if it is not installed. Never rejects. */
  readonly findAmp: () => Promise<string | undefined>;
}

/** Registers the threads feature with VS Code. Its code is loaded on first use. */
export class LazyThreads implements Feature {
  readonly id = 'threads';
  readonly title = 'Amp threads';

  /** The threads for the list of all conversations. */
  readonly conversations: LazyThreadConversations;

  constructor(private readonly deps: LazyThreadsDeps) {
    const { findAmp, log, threads } = deps;
    const isUsed = async (): Promise<boolean> =>
      threads.featureIfLoaded !== undefined || hasAmpThreads(process.env, homedir()) || (await findAmp()) !== undefined;
    this.conversations = new LazyThreadConversations({
      load: async () => (await threads.getOrLoad()).conversations,
      isUsed,
      log,
    });
  }

  start(): Promise<RunningFeature> {
    const { id, title } = this;
    const { commands, status, threads, workspaceState } = this.deps;
    const disposables = new DisposableStore();
    const load = async (): Promise<RunningThreadsFeature> => {
      const running = await threads.getOrLoad();
      this.conversations.noteLoaded(running.conversations);
      return running;
    };

    disposables.add(threads);
    disposables.add(this.conversations);
    const tree = disposables.add(new LazyTree(viewIds.threads, async () => (await load()).list));
    tree.start();
    disposables.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.thread, {
        deserializeWebviewPanel: async (panel, state) => (await load()).restore(panel, state),
      }),
    );
    disposables.add(provideReadOnlyTexts(textSchemes.thread, async (query) => await (await load()).textOf(query)));
    disposables.add(commands.setFeatureLoader(this.id, load));
    setFilterContextKeys(loadFilters(workspaceState));
    status.set({ id, title, ...threadsStatus(threadsSummaryBeforeListing) });
    return Promise.resolve({ stop: () => threads.stop(), dispose: () => disposables.dispose() });
  }
}
