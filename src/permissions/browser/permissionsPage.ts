import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Requester, HostConnection, VsCodeApi } from '../../webview/browser/hostConnection';
import { didChangePermissions, permissionsRequests, type PermissionsView } from '../common/page/permissionsApi';

/** The state of the permissions page, as received from the host. */
export class PermissionsPage {
  /** Sends a request to the host. If it fails, the page shows the error. */
  readonly sendRequest: Requester;
  private readonly changeEmitter = new Emitter<void>(reportError);
  readonly onDidChange = this.changeEmitter.event;
  private currentView: PermissionsView | undefined;
  private failureMessage: string | undefined;

  constructor(
    private readonly connection: HostConnection,
    private readonly vscodeApi: Pick<VsCodeApi, 'setState'>,
  ) {
    this.sendRequest = connection.createRequester((error) => this.setFailureMessage(messageOf(error)));
  }

  /** The contents of the page. Undefined until the host has sent them. */
  get view(): PermissionsView | undefined {
    return this.currentView;
  }

  /** Error message of a failed request. Kept until the user dismisses it. */
  get failure(): string | undefined {
    return this.failureMessage;
  }

  start(window: Window): void {
    this.connection.setNotificationListener(didChangePermissions, (view) => {
      this.currentView = view;
      this.changeEmitter.fire();
    });
    this.connection.start(window);
    // After a reload, VS Code restores a tab only if its page has saved a state.
    this.vscodeApi.setState({});
    void this.sendRequest(permissionsRequests.ready, {});
  }

  dismissFailure(): void {
    this.setFailureMessage(undefined);
  }

  private setFailureMessage(message: string | undefined): void {
    this.failureMessage = message;
    this.changeEmitter.fire();
  }
}
