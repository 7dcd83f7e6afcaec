import type * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import type { DisposableStore } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { panelTypes } from '../../manifest';
import { LatestViewSender } from '../../webview/common/latestViewSender';
import type { RequestHandlers } from '../../webview/common/requestHandlers';
import { PageHost } from '../../webview/vscode/pageHost';
import { PageTab } from '../../webview/vscode/pageTab';
import {
  agentsRequests,
  didChangeAgents,
  didLoadIcon,
  didRequestForm,
  type AgentActionKind,
  type AgentsView,
  type OwnAgent,
  type OwnAgentTestResult,
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
  testOwnAgent(agent: OwnAgent, signal: AbortSignal): Promise<OwnAgentTestResult>;
  saveOwnAgent(agent: OwnAgent): Promise<void>;
}

interface AgentsTabDeps {
  readonly model: AgentsPageModel;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Progress can be reported many times a second. */
const viewDelayMs = 50;

export function createAgentsTab({ clock, extensionUri, log, model }: AgentsTabDeps): PageTab {
  return new PageTab({
    ...{ viewType: panelTypes.agents, title: 'Agents', name: 'agents', extensionUri },
    createHost: (panel, store) => {
      const newest = new LatestViewSender(
        () => model.loadView(),
        (view) => notify(didChangeAgents, view),
      );
      const notify: PageHost<typeof agentsRequests>['notify'] = (type, params) => {
        if (!store.isDisposed) host.notify(type, params);
      };
      const handlers = createHandlers(model, { view: newest, notify, store });
      const host = store.add(new PageHost<typeof agentsRequests>(panel.webview, handlers, log, clock));
      const send = (): void => {
        newest.loadAndSend().catch((error: unknown) => log.error('cannot show the agents', error));
      };
      const sending = store.add(new Coalescer(clock, viewDelayMs, send));
      store.add(model.onDidChange(() => sending.schedule()));
      store.add(
        panel.onDidChangeViewState(() => {
          if (panel.visible) sending.schedule();
        }),
      );
      return host;
    },
  });
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
      await view.loadAndSend();
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
