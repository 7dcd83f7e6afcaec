import { messageOf } from '../../base/common/errors';
import type { Requester, HostConnection, VsCodeApi } from '../../webview/browser/hostConnection';
import { PageState } from '../../webview/browser/page/pageState';
import { didChangePermissions, permissionsRequests, type PermissionsView } from '../common/page/permissionsApi';

interface PermissionsPageState {
  /** The contents of the page. Undefined until the host has sent them. */
  readonly view: PermissionsView | undefined;
  /** Error message of a failed request. Kept until the user dismisses it. */
  readonly failure: string | undefined;
}

/** The state of the permissions page, as received from the host. */
export class PermissionsPage extends PageState<PermissionsPageState> {
  /** Sends a request to the host. If it fails, the page shows the error. */
  readonly sendRequest: Requester;

  constructor(
    private readonly connection: HostConnection,
    private readonly vscodeApi: Pick<VsCodeApi, 'setState'>,
  ) {
    super({ view: undefined, failure: undefined });
    this.sendRequest = connection.createRequester((error) => this.update({ failure: messageOf(error) }));
  }

  start(window: Window): void {
    this.connection.setNotificationListener(didChangePermissions, (view) => this.update({ view }));
    this.connection.start(window);
    // After a reload, VS Code restores a tab only if its page has saved a state.
    this.vscodeApi.setState({});
    void this.sendRequest(permissionsRequests.ready, {});
  }
}
