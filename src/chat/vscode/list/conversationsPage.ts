import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { RequestHandlers } from '../../../webview/common/requestHandlers';
import { PageHost } from '../../../webview/vscode/pageHost';
import type { PageSurface } from '../../../webview/vscode/pageSurface';
import type { ConversationsFeed } from '../../common/page/feed/conversationsFeed';
import { HeartbeatMonitor } from '../../common/page/feed/heartbeatMonitor';
import {
  didInvokeConversationsCommand,
  didUpdateConversations,
  type conversationsRequests,
  type ConversationsUpdate,
} from '../../common/page/conversationsApi';

export type ConversationsCommand = 'focus' | 'search';
type Handlers = RequestHandlers<typeof conversationsRequests>;

export interface ConversationsPageDeps {
  /** Creates the feed of a page. `post` sends an update to it. */
  readonly createFeed: (post: (update: ConversationsUpdate) => void) => ConversationsFeed;
  /** Creates the handlers of a page. What they keep is disposed with `store`. */
  readonly createHandlers: (
    page: Pick<ConversationsPage, 'onAlive' | 'onReady' | 'onShown'>,
    store: DisposableStore,
  ) => Handlers;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The host of one page of all conversations. Does not own the webview. Dispose it when the webview is disposed. */
export class ConversationsPage implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly pageHost: PageHost<typeof conversationsRequests>;
  private readonly feed: ConversationsFeed;
  private readonly heartbeatMonitor: HeartbeatMonitor;
  private isHidden = false;
  private wasReloaded = false;
  private waitingCommand: ConversationsCommand | undefined;

  constructor(
    private readonly surface: PageSurface,
    /** Loads the page again. */
    private readonly reload: () => void,
    private readonly deps: Pick<ConversationsPageDeps, 'clock' | 'createFeed' | 'createHandlers' | 'log'>,
  ) {
    const { clock, createFeed, createHandlers, log } = deps;
    const handlers = createHandlers(this, this.disposables);
    this.pageHost = this.disposables.add(new PageHost(surface.webview, handlers, log, clock));
    this.feed = this.disposables.add(createFeed((update) => this.pageHost.notify(didUpdateConversations, update)));
    this.heartbeatMonitor = this.disposables.add(new HeartbeatMonitor(clock, () => this.onUnresponsive()));
  }

  /** The caller loads the page. */
  start(): void {
    const { disposables, surface } = this;
    this.pageHost.start();
    disposables.add(surface.onDidChangeVisibility(() => this.onVisibilityChange()));
    disposables.add(surface.webview.onDidReceiveMessage(() => this.heartbeatMonitor.recordHeartbeat()));
    if (this.isVisible) this.heartbeatMonitor.start();
  }

  get isVisible(): boolean {
    return this.surface.isVisible();
  }

  readonly onReady = (): void => {
    this.feed.connectPage();
    this.sendCommand();
  };

  readonly onShown = (): void => {
    this.feed.onShown();
    if (!this.isVisible) return;
    // It was kept while it was hidden.
    if (!this.feed.hasPage) this.feed.connectPage();
    this.sendCommand();
  };

  readonly onAlive = (): void => {
    this.wasReloaded = false;
  };

  /** Runs a command in the page as soon as that is ready. */
  runCommand(command: ConversationsCommand): void {
    this.waitingCommand = command;
    if (this.feed.hasPage) this.sendCommand();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private sendCommand(): void {
    const what = this.waitingCommand;
    this.waitingCommand = undefined;
    if (what) this.pageHost.notify(didInvokeConversationsCommand, { what });
  }

  private onUnresponsive(): void {
    const { log } = this.deps;
    if (this.wasReloaded) {
      log.error('the page of all conversations does not respond after a reload');
      return;
    }
    log.warn('the page of all conversations does not respond and is loaded again');
    this.wasReloaded = true;
    this.feed.disconnectPage();
    this.reload();
    this.heartbeatMonitor.start();
  }

  private onVisibilityChange(): void {
    const wasHidden = this.isHidden;
    this.isHidden = !this.isVisible;
    if (this.isHidden) this.heartbeatMonitor.dispose();
    else this.heartbeatMonitor.start();
    if (this.isHidden) this.feed.disconnectPage();
    // A page that VS Code loads again says when it is ready. One that it has kept does not, but it answers.
    else if (wasHidden && !this.feed.hasPage) this.pageHost.notify(didUpdateConversations, {});
  }
}
