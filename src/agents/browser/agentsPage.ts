import * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import type { HostConnection, Requester, VsCodeApi } from '../../webview/browser/hostConnection';
import { PageState } from '../../webview/browser/page/pageState';
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

interface AgentsPageState {
  /** Undefined until the host has sent it. */
  readonly view: AgentsView | undefined;
  /** Error message of a failed request, until the user dismisses it. */
  readonly failure: string | undefined;
  /** The text for screen readers. */
  readonly announcement: string;
  readonly query: string;
  /** The form for an own agent, if it is open. */
  readonly form: OwnAgent | undefined;
  /** Data URIs of icons, by the key of the agent. */
  readonly iconsByKey: ReadonlyMap<string, string>;
}

/** State of the page of agents, received from the host. */
export class AgentsPage extends PageState<AgentsPageState> {
  /** Sends a request to the host. The page shows errors. */
  readonly sendRequest: Requester;

  constructor(
    private readonly connection: HostConnection,
    private readonly vscodeApi: Pick<VsCodeApi, 'getState' | 'setState'>,
  ) {
    super({
      view: undefined,
      failure: undefined,
      announcement: '',
      query: z.safeParse(SavedState, vscodeApi.getState()).data?.query ?? '',
      form: undefined,
      iconsByKey: new Map(),
    });
    this.sendRequest = connection.createRequester((error) => this.update({ failure: messageOf(error) }));
  }

  start(window: Window): void {
    this.connection.setNotificationListener(didChangeAgents, (view) => {
      const announcement = announcementOfChanges(this.state.view?.cards ?? [], view.cards) || this.state.announcement;
      this.update({ view, announcement });
    });
    this.connection.setNotificationListener(didLoadIcon, ({ key, svg }) => {
      const icon = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      this.update({ iconsByKey: new Map([...this.state.iconsByKey, [key, icon]]) });
    });
    this.connection.setNotificationListener(didRequestForm, ({ name }) => void this.showForm(name));
    this.connection.start(window);
    this.saveState();
    void this.sendRequest(agentsRequests.ready, {});
  }

  search(query: string): void {
    this.update({ query });
    this.saveState();
  }

  act(key: string, action: AgentActionKind): void {
    void this.sendRequest(agentsRequests.act, { key, action });
  }

  /** Opens the form: for a new agent, or for the named one. */
  async showForm(name?: string): Promise<void> {
    const form = name === undefined ? emptyForm : await this.sendRequest(agentsRequests.readOwnAgent, { name });
    if (form) this.update({ form });
  }

  closeForm(): void {
    void this.sendRequest(agentsRequests.cancelTest, {});
    this.update({ form: undefined });
  }

  /** VS Code restores a tab after a reload only if its page has saved a state. */
  private saveState(): void {
    this.vscodeApi.setState({ query: this.state.query } satisfies z.infer<typeof SavedState>);
  }
}
