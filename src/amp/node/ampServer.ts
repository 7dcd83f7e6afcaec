import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { Coalescer, withDeadline, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import type { PortRange } from '../../platform/common/settings';
import type { TrafficTap } from '../../wire/common/traffic';
import type { AmpPolicy } from '../common/ampPolicy';
import { FailureRateMonitor, type FailureCounts } from '../common/failureRateMonitor';
import {
  appendToPromptNotification,
  editorNotifications,
  noVisibleFilesNotification,
  pluginMetadataNotification,
  type AmpNotification,
} from '../common/notifications';
import type { ProtectedEditApprovals } from '../common/protectedEditApprovals';
import { AmpRouter } from '../common/router';
import { ClientConnection } from './clientConnection';
import { LargeAnswerQueue } from './largeAnswerQueue';
import { defaultAmpLimits, type AmpLimits } from './limits';
import { ServerLockfiles } from './serverLockfiles';
import { SharedFrames } from './textFrame';
import { UpgradeGuard } from './upgradeGuard';
import { WebSocketListener } from './webSocketListener';

export interface AmpServerOptions {
  readonly editor: EditorPort;
  /** The approvals of protected edits. They outlive this server, so that answers are still valid after a restart. */
  readonly protectedEdits: Pick<ProtectedEditApprovals, 'requireGrant' | 'consumeGrant'>;
  readonly policy: () => AmpPolicy;
  readonly log: Logger;
  readonly clock: Clock;
  readonly traffic: TrafficTap;
  readonly portRange: PortRange;
  /** Absolute paths of the folders for lockfiles; see `ampLockfileFolders`. */
  readonly lockfileFolders: readonly [string, ...string[]];
  /** Editor name in the lockfile. The CLI looks for it after a reload, and deletes names that resemble `vscode`. */
  readonly ideName: string;
  /** Process ID of the extension host. When that process ends, this server ends, too. */
  readonly pid: number;
  readonly version: string;
  readonly limits?: Partial<AmpLimits>;
}

interface AmpClientInfo {
  readonly id: number;
  /** Whether the client may support `appendToPrompt`. Newer CLIs do not, which their `User-Agent` shows. */
  readonly mayReadPrompts: boolean;
}

/** Editor events within this time are combined into one notification. A delay of 100 ms would be noticeable. */
const notificationDelayMs = 10;
/** The `User-Agent` of CLIs that ignore `appendToPrompt` (September 2026). Earlier ones sent none (January 2026). */
const userAgentWithoutPrompts = /^undici\b/iu;

/** Serves the editor to local Amp clients, which find it by a lockfile. Await `stop`, or `dispose` it. */
export class AmpServer implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly token = randomBytes(32).toString('hex');
  private readonly limits: AmpLimits;
  private readonly lockfiles: ServerLockfiles;
  private readonly router: AmpRouter;
  private readonly listener: WebSocketListener;
  private readonly largeAnswers: LargeAnswerQueue;
  private readonly notificationFrames = new SharedFrames();
  private readonly connections = new Map<AmpClientInfo, ClientConnection>();
  private readonly failureMonitor: FailureRateMonitor;
  private readonly statusEmitter = new Emitter<void>((error) => this.options.log.error('A listener failed', error));
  /** Fires when a client connects or disconnects, or when `failureCounts` changes. */
  readonly onDidChangeStatus = this.statusEmitter.event;
  private lastClientId = 0;
  private listeningPort: number | undefined;
  private stopPromise: Promise<void> | undefined;

  constructor(private readonly options: AmpServerOptions) {
    const { editor, policy, protectedEdits, clock, log, pid, ideName, lockfileFolders } = options;
    this.limits = { ...defaultAmpLimits, ...options.limits };
    const { maxFrameBytes, handshakeTimeoutMs, maxHandshakes, maxClients } = this.limits;
    const guard = new UpgradeGuard(this.token);
    this.lockfiles = new ServerLockfiles({ folders: lockfileFolders, ideName, pid, log });
    this.router = new AmpRouter({ editor, policy, protectedEdits, log, isToken: (token) => guard.isToken(token) });
    this.largeAnswers = new LargeAnswerQueue(() => this.unreadBytes <= this.limits.maxTotalBufferedBytes);
    this.listener = new WebSocketListener({
      guard,
      clock,
      log,
      maxFrameBytes,
      handshakeTimeoutMs,
      maxHandshakes,
      isFull: () => this.connections.size >= maxClients,
      onConnection: (socket, request) => this.acceptClient(socket, request),
    });
    this.failureMonitor = new FailureRateMonitor(clock, () => this.statusEmitter.fire());
  }

  /** The port on which the server listens. Undefined until `start` has resolved. */
  get port(): number | undefined {
    return this.listeningPort;
  }

  get clients(): readonly AmpClientInfo[] {
    return [...this.connections.keys()];
  }

  get failureCountsIfFailing(): FailureCounts | undefined {
    return this.failureMonitor.failureCountsIfFailing;
  }

  /** Resources that requests are using. All numbers are zero if no request is pending. */
  get resourceUsage(): { readonly requests: number; readonly turns: number; readonly unreadBytes: number } {
    const requests = [...this.connections.values()].reduce(
      (sum, { pendingRequestCount }) => sum + pendingRequestCount,
      0,
    );
    return { requests, turns: this.largeAnswers.requestCount, unreadBytes: this.unreadBytes };
  }

  /** Starts listening, then writes the lockfile. Cleans up after a failure. @throws Error that explains what to do */
  async start(): Promise<void> {
    try {
      await this.startServing();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Inserts text into the prompt of clients that may support it. Returns to how many clients it was sent. */
  appendToPrompt(message: string): number {
    return this.sendToPromptReaders(appendToPromptNotification(message));
  }

  /** Removes the lockfile, notifies clients that no file is visible, and closes all connections. Never rejects. */
  stop(): Promise<void> {
    this.stopPromise ??= this.shutDown();
    return this.stopPromise;
  }

  /** Stops the server without waiting for connections to close. */
  dispose(): void {
    this.removeLockfilesAndListeners();
    for (const connection of this.connections.values()) connection.terminate();
    this.stopPromise ??= this.listener.stop();
  }

  private async startServing(): Promise<void> {
    const { options, lockfiles, listener, disposables } = this;
    const { editor, clock, portRange } = options;
    disposables.add(this.failureMonitor);
    lockfiles.createFolders();
    const port = await listener.start(portRange, (candidate) => lockfiles.isLockfileTaken(candidate));

    const coalescer = disposables.add(new Coalescer(clock, notificationDelayMs, () => this.sendState()));
    disposables.add(editor.onDidChangeSelection(() => coalescer.schedule()));
    disposables.add(editor.onDidChangeVisibleFiles(() => coalescer.schedule()));
    disposables.add(
      editor.onDidChangeFolders(() => {
        this.writeLockfiles(port).catch((error: unknown) => options.log.error('Could not rewrite the lockfile', error));
      }),
    );
    this.scheduleHeartbeat();

    await this.writeLockfiles(port);
    if (disposables.isDisposed) throw new Error('The server was stopped while it was starting.');
    this.listeningPort = port;
    void lockfiles.removeStale();
    options.log.info(`Serving on 127.0.0.1:${port}`);
  }

  private writeLockfiles(port: number): Promise<void> {
    const folders = this.options.editor.folders.map(({ path }) => path);
    return this.lockfiles.write(port, this.token, folders);
  }

  private removeLockfilesAndListeners(): void {
    this.disposables.dispose();
    this.lockfiles.dispose();
    this.listeningPort = undefined;
  }

  private async shutDown(): Promise<void> {
    this.removeLockfilesAndListeners();
    const listenerStopped = this.listener.stop();
    const connections = [...this.connections.values()];
    for (const connection of connections) {
      connection.notify(noVisibleFilesNotification);
      connection.close(1001, 'The editor is closing');
    }
    const allClosed = (): Promise<unknown> => Promise.all(connections.map(({ whenClosed }) => whenClosed));
    await withDeadline(this.options.clock, 'Closing', this.limits.closeTimeoutMs, allClosed).catch(() => undefined);
    for (const connection of connections) connection.terminate();
    await Promise.all([allClosed(), listenerStopped, this.lockfiles.whenIdle()]);
  }

  private acceptClient(socket: WebSocket, request: IncomingMessage): void {
    const { router, largeAnswers, notificationFrames } = this;
    const { clock, log, traffic, editor, version } = this.options;
    const id = ++this.lastClientId;
    const mayReadPrompts = !userAgentWithoutPrompts.test(request.headers['user-agent'] ?? '');
    const info: AmpClientInfo = { id, mayReadPrompts };
    const name = `client ${id}`;
    const connection = new ClientConnection(socket, {
      name,
      stream: request.socket,
      router,
      clock,
      log,
      traffic,
      limits: this.limits,
      largeAnswers,
      notificationFrames,
      onAnswer: ({ hasFailed }) => {
        if (hasFailed !== undefined) this.failureMonitor.record(hasFailed);
      },
    });
    connection.start();
    this.connections.set(info, connection);
    void connection.whenClosed.then(() => {
      this.connections.delete(info);
      this.statusEmitter.fire();
    });
    log.info(`${name} connected`);
    connection.notify(pluginMetadataNotification(version));
    connection.sendState(editorNotifications(editor));
    this.statusEmitter.fire();
  }

  private sendState(): void {
    if (this.connections.size === 0) return;
    const state = editorNotifications(this.options.editor);
    for (const connection of this.connections.values()) connection.sendState(state);
  }

  private sendToPromptReaders(notification: AmpNotification): number {
    return [...this.connections].filter(([info, connection]) => info.mayReadPrompts && connection.notify(notification))
      .length;
  }

  private get unreadBytes(): number {
    let bytes = 0;
    for (const connection of this.connections.values()) bytes += connection.unreadBytes;
    return bytes;
  }

  private scheduleHeartbeat(): void {
    const { disposables, limits } = this;
    const timer = disposables.add(
      this.options.clock.setTimer(limits.heartbeatMs, () => {
        disposables.removeWithoutDisposing(timer);
        for (const connection of this.connections.values()) connection.pingOrTerminate();
        this.scheduleHeartbeat();
      }),
    );
  }
}
