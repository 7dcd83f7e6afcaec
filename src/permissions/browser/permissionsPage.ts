import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Ask, HostConnection, VsCodeApi } from '../../webview/browser/hostConnection';
import { didChangePermissions, permissionsRequests, type PermissionsView } from '../common/page/permissionsApi';

/** The page without its looks: it keeps what the host tells, and asks for what the user wants. */
export class PermissionsPage {
  /** What the host could not do is shown to the user. */
  readonly ask: Ask;
  private readonly changes = new Emitter<void>(reportError);
  readonly onDidChange = this.changes.event;
  private current: PermissionsView | undefined;
  private failed: string | undefined;

  constructor(
    private readonly connection: HostConnection,
    private readonly api: Pick<VsCodeApi, 'setState'>,
  ) {
    this.ask = connection.asker((error) => this.fail(messageOf(error)));
  }

  /** Undefined until the host has told it. */
  get view(): PermissionsView | undefined {
    return this.current;
  }

  /** A request that failed, until it is dismissed. */
  get failure(): string | undefined {
    return this.failed;
  }

  start(window: Window): void {
    this.connection.on(didChangePermissions, (view) => {
      this.current = view;
      this.changes.fire();
    });
    this.connection.start(window);
    // VS Code opens a tab again after a reload only when its page has kept something.
    this.api.setState({});
    void this.ask(permissionsRequests.ready, {});
  }

  dismissFailure(): void {
    this.fail(undefined);
  }

  private fail(message: string | undefined): void {
    this.failed = message;
    this.changes.fire();
  }
}
