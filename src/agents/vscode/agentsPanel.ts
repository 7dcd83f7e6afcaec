import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { panelTypes } from '../../manifest';
import { LatestViewSender } from '../../webview/common/latestViewSender';
import type { RequestHandlers } from '../../webview/common/requestHandlers';
import { loadPage } from '../../webview/vscode/loadPage';
import { PageHost } from '../../webview/vscode/pageHost';
import {
  agentsRequests,
  didChangeAgents,
  didLoadIcon,
  didRequestForm,
  type AgentActionKind,
  type AgentsView,
  type OwnAgent,
  type OwnAgentTest,
} from '../common/page/agentsApi';

export interface AgentsPageModel {
  readonly onDidChange: Event<void>;
  loadView(): Promise<AgentsView>;
  /** Calls `post` for each icon, as it is loaded. Never rejects. */
  loadIcons(post: (key: string, svg: string) => void, signal: AbortSignal): Promise<void>;
  refresh(): Promise<void>;
  /** Runs an action of a card. `edit` calls `showForm`. */
  act(key: string, action: AgentActionKind, showForm: (name: string) => void): Promise<void>;
  manageTrust(): PromiseLike<unknown>;
  readOwnAgent(name: string): Promise<OwnAgent>;
  testOwnAgent(agent: OwnAgent, signal: AbortSignal): Promise<OwnAgentTest>;
  saveOwnAgent(agent: OwnAgent): Promise<void>;
}

interface AgentsPanelDeps {
  readonly model: AgentsPageModel;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Progress can be reported many times a second. */
const viewDelayMs = 50;

/** The editor tab with the page of agents; at most one per window. */
export class AgentsPanel implements Disposable {
  private openTab: { readonly panel: vscode.WebviewPanel; readonly store: DisposableStore } | undefined;

  constructor(private readonly deps: AgentsPanelDeps) {}

  show(): void {
    if (this.openTab) this.openTab.panel.reveal();
    else {
      const panel = vscode.window.createWebviewPanel(panelTypes.agents, 'Agents', vscode.ViewColumn.Active);
      this.initialize(panel);
    }
  }

  /** Restores a tab after the window is reloaded. */
  restore(panel: vscode.WebviewPanel): void {
    if (this.openTab) panel.dispose();
    else this.initialize(panel);
  }

  /** Does not close the tab, because VS Code restores it after a reload. */
  dispose(): void {
    this.openTab?.store.dispose();
    this.openTab = undefined;
  }

  private initialize(panel: vscode.WebviewPanel): void {
    const { clock, extensionUri, log, model } = this.deps;
    const store = new DisposableStore();
    const newest = new LatestViewSender(
      () => model.loadView(),
      (view) => {
        if (!store.isDisposed) host.notify(didChangeAgents, view);
      },
    );
    const notify: PageHost<typeof agentsRequests>['notify'] = (type, params) => {
      if (!store.isDisposed) host.notify(type, params);
    };
    const handlers = createHandlers(model, { view: newest, notify, store });
    const host = store.add(new PageHost<typeof agentsRequests>(panel.webview, handlers, log, clock));
    const send = (): void => {
      newest.refresh().catch((error: unknown) => log.error('cannot show the agents', error));
    };
    const sending = store.add(new Coalescer(clock, viewDelayMs, send));
    store.add(model.onDidChange(() => sending.schedule()));
    store.add(
      panel.onDidChangeViewState(() => {
        if (panel.visible) sending.schedule();
      }),
    );
    this.openTab = { panel, store };
    panel.onDidDispose(() => {
      store.dispose();
      if (this.openTab?.panel === panel) this.openTab = undefined;
    });
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    host.start();
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'pages');
    loadPage(panel.webview, { folder, name: 'agents' }, { title: 'Agents' });
  }
}

interface PageParts {
  readonly view: LatestViewSender<AgentsView>;
  readonly notify: PageHost<typeof agentsRequests>['notify'];
  /** Disposed with the page. */
  readonly store: DisposableStore;
}

function createHandlers(
  model: AgentsPageModel,
  { notify, store, view }: PageParts,
): RequestHandlers<typeof agentsRequests> {
  let test = new AbortController();
  const icons = new AbortController();
  store.add({
    dispose: () => {
      test.abort();
      icons.abort();
    },
  });
  const loadIcons = (): void => void model.loadIcons((key, svg) => notify(didLoadIcon, { key, svg }), icons.signal);
  return {
    ready: agentsRequests.ready.withHandler(async () => {
      await view.refresh();
      loadIcons();
    }),
    refresh: agentsRequests.refresh.withHandler(async () => {
      await model.refresh();
      loadIcons();
    }),
    act: agentsRequests.act.withHandler(({ key, action }) =>
      model.act(key, action, (name) => notify(didRequestForm, { name })),
    ),
    manageTrust: agentsRequests.manageTrust.withHandler(() => model.manageTrust()),
    readOwnAgent: agentsRequests.readOwnAgent.withHandler(({ name }) => model.readOwnAgent(name)),
    testOwnAgent: agentsRequests.testOwnAgent.withHandler((agent) => {
      test.abort();
      test = new AbortController();
      return model.testOwnAgent(agent, test.signal);
    }),
    saveOwnAgent: agentsRequests.saveOwnAgent.withHandler((agent) => model.saveOwnAgent(agent)),
    cancelTest: agentsRequests.cancelTest.withHandler(() => test.abort()),
  };
}
