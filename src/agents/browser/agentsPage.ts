import * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { HostConnection, Requester, VsCodeApi } from '../../webview/browser/hostConnection';
import { announcementOfChanges } from '../common/page/agentSearch';
import {
  agentsRequests,
  didChangeAgents,
  didLoadIcon,
  didRequestForm,
  type AgentActionKind,
  type AgentsView,
  type OwnAgent,
} from '../common/page/agentsApi';

const SavedState = z.object({ query: z.string() });

const emptyForm: OwnAgent = { name: '', commandLine: '', folder: '', dialect: 'v1', variables: [], defaults: [] };

/** State of the page of agents, received from the host. */
export class AgentsPage {
  /** Sends a request to the host. The page shows errors. */
  readonly sendRequest: Requester;
  private readonly changeEmitter = new Emitter<void>(reportError);
  readonly onDidChange = this.changeEmitter.event;
  private currentView: AgentsView | undefined;
  private failureMessage: string | undefined;
  private currentAnnouncement = '';
  private currentQuery: string;
  private openForm: OwnAgent | undefined;
  private readonly iconsByKey = new Map<string, string>();

  constructor(
    private readonly connection: HostConnection,
    private readonly vscodeApi: Pick<VsCodeApi, 'getState' | 'setState'>,
  ) {
    this.sendRequest = connection.createRequester((error) => this.setFailureMessage(messageOf(error)));
    this.currentQuery = z.safeParse(SavedState, vscodeApi.getState()).data?.query ?? '';
  }

  /** Undefined until the host has sent it. */
  get view(): AgentsView | undefined {
    return this.currentView;
  }

  /** Error message of a failed request, until the user dismisses it. */
  get failure(): string | undefined {
    return this.failureMessage;
  }

  /** The text for screen readers. */
  get announcement(): string {
    return this.currentAnnouncement;
  }

  get query(): string {
    return this.currentQuery;
  }

  /** The form for an own agent, if it is open. */
  get form(): OwnAgent | undefined {
    return this.openForm;
  }

  /** A data URI of the icon, if the agent has one. */
  iconOf(key: string): string | undefined {
    return this.iconsByKey.get(key);
  }

  start(window: Window): void {
    this.connection.setNotificationListener(didChangeAgents, (view) => {
      this.currentAnnouncement =
        announcementOfChanges(this.currentView?.cards ?? [], view.cards) || this.currentAnnouncement;
      this.currentView = view;
      this.changeEmitter.fire();
    });
    this.connection.setNotificationListener(didLoadIcon, ({ key, svg }) => {
      this.iconsByKey.set(key, `data:image/svg+xml,${encodeURIComponent(svg)}`);
      this.changeEmitter.fire();
    });
    this.connection.setNotificationListener(didRequestForm, ({ name }) => void this.showForm(name));
    this.connection.start(window);
    this.saveState();
    void this.sendRequest(agentsRequests.ready, {});
  }

  search(query: string): void {
    this.currentQuery = query;
    this.saveState();
    this.changeEmitter.fire();
  }

  act(key: string, action: AgentActionKind): void {
    void this.sendRequest(agentsRequests.act, { key, action });
  }

  /** Opens the form: for a new agent, or for the named one. */
  async showForm(name?: string): Promise<void> {
    const form = name === undefined ? emptyForm : await this.sendRequest(agentsRequests.readOwnAgent, { name });
    if (!form) return;
    this.openForm = form;
    this.changeEmitter.fire();
  }

  closeForm(): void {
    this.openForm = undefined;
    void this.sendRequest(agentsRequests.cancelTest, {});
    this.changeEmitter.fire();
  }

  dismissFailure(): void {
    this.setFailureMessage(undefined);
  }

  private setFailureMessage(message: string | undefined): void {
    this.failureMessage = message;
    this.changeEmitter.fire();
  }

  /** VS Code restores a tab after a reload only if its page has saved a state. */
  private saveState(): void {
    this.vscodeApi.setState({ query: this.currentQuery } satisfies z.infer<typeof SavedState>);
  }
}
