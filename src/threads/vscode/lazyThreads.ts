import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, LazyFeature, RunningFeature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import { panelTypes, textSchemes, viewIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { provideTexts } from '../../platform/vscode/readOnlyTexts';
import type { PeerThreads } from '../common/exports/peerThreads';
import { notListed, threadsStatus } from '../common/tree/threadsStatus';
import { keptFilters, showFilterKeys } from './keptFilters';
import { LazyTree } from './lazyTree';
import type { ThreadsView } from './threadsView';

/** What VS Code and other features ask of the threads. */
export interface RunningThreads extends RunningFeature {
  readonly list: ThreadsView;
  /** Fills a tab of a window that was loaded again. */
  restore(panel: vscode.WebviewPanel, state: unknown): void;
  /** Of a document, see `textSchemes.thread`. @throws ThreadError; Error when it is not there */
  textOf(query: string): Promise<string>;
  /** For peers of the agent protocol's draft. */
  readonly peerThreads: PeerThreads;
}

interface LazyThreadsOptions extends Pick<FeatureContext, 'commands' | 'status'> {
  readonly threads: LazyFeature<RunningThreads>;
  /** Of the workspace: what the list shows. */
  readonly workspaceState: Memento;
}

/** Amp's threads as VS Code knows them from the start. Their code is loaded when somebody looks at one. */
export class LazyThreads implements Feature {
  readonly id = 'threads';
  readonly title = 'Amp threads';

  constructor(private readonly options: LazyThreadsOptions) {}

  start(): Promise<RunningFeature> {
    const { id, title } = this;
    const { commands, status, threads, workspaceState } = this.options;
    const store = new DisposableStore();
    const use = (): Promise<RunningThreads> => threads.use();

    store.add(threads);
    const tree = store.add(new LazyTree(viewIds.threads, async () => (await use()).list));
    tree.start();
    store.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.thread, {
        deserializeWebviewPanel: async (panel, state) => (await use()).restore(panel, state),
      }),
    );
    store.add(provideTexts(textSchemes.thread, async (query) => await (await use()).textOf(query)));
    store.add(commands.handleLater(this.id, use));
    showFilterKeys(keptFilters(workspaceState));
    status.set({ id, title, ...threadsStatus(notListed) });
    return Promise.resolve({ stop: () => threads.stop(), dispose: () => store.dispose() });
  }
}
