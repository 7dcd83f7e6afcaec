import type * as vscode from 'vscode';
import type * as z from 'zod/mini';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { HostMessage, NotificationType } from '../common/protocol';
import { RequestDispatcher, type RequestHandlers, type RequestTable } from '../common/requestHandlers';

/** The host's side of the protocol for one page. Does not own the webview. Dispose it when the webview is disposed. */
export class PageHost<Table extends RequestTable> implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly dispatcher: RequestDispatcher<Table>;

  constructor(
    private readonly webview: vscode.Webview,
    handlers: RequestHandlers<Table>,
    private readonly log: Logger,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.dispatcher = new RequestDispatcher<Table>(handlers, (method, error) =>
      log.error(`the page's request "${method}" failed`, error),
    );
  }

  start(): void {
    this.disposables.add(
      this.webview.onDidReceiveMessage((message: unknown) => {
        void this.handleMessage(message);
      }),
    );
  }

  /** Sends a notification. Hidden and loading pages do not get it; they request the state when they are ready. */
  notify<Params extends z.ZodMiniType>(type: NotificationType<Params>, params: z.infer<Params>): void {
    this.post({ method: type.method, params, at: this.clock.now() });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async handleMessage(message: unknown): Promise<void> {
    const answer = await this.dispatcher.dispatch(message);
    if (answer && !this.disposables.isDisposed) this.post(answer);
  }

  private post(message: HostMessage): void {
    this.webview
      .postMessage(message)
      .then(undefined, () => this.log.debug('a message arrived after its page was closed'));
  }
}
