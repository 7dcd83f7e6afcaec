import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { PortRange } from '../../platform/common/settings';
import type { AmpState } from '../common/ampStatus';
import type { FailureCounts } from '../common/failureRateMonitor';

/** The part of the server that the supervisor needs. */
export interface SupervisedServer extends Disposable {
  /** The port of the server. Undefined until the server has started. */
  readonly port: number | undefined;
  readonly clients: readonly unknown[];
  readonly failureCountsIfFailing: FailureCounts | undefined;
  /** Fires when `clients` or `failureCounts` changes. */
  readonly onDidChangeStatus: Event<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  appendToPrompt(message: string): number;
}

interface AmpSupervisorDeps {
  /** Returns the range of ports for the server, or undefined if the server is turned off. Called for each refresh. */
  readonly desiredPortRange: () => PortRange | undefined;
  readonly createServer: (range: PortRange) => SupervisedServer;
  readonly onDidChangeState: () => void;
  readonly log: Logger;
}

/** Runs at most one server, according to the settings. Applies changes one after another. The owner awaits `stop`. */
export class AmpSupervisor {
  private runningServer:
    { readonly server: SupervisedServer; readonly range: PortRange; readonly listener: Disposable } | undefined;
  private state: AmpState = { kind: 'off' };
  private syncPromise: Promise<void> | undefined;
  private isSyncPending = false;
  private mustRestart = false;
  private isStopped = false;

  constructor(private readonly deps: AmpSupervisorDeps) {}

  get status(): AmpState {
    const { runningServer, state } = this;
    if (state.kind !== 'serving' || !runningServer) return state;
    const { clients, failureCountsIfFailing } = runningServer.server;
    return {
      ...state,
      clientCount: clients.length,
      ...(failureCountsIfFailing ? { failureCounts: failureCountsIfFailing } : {}),
    };
  }

  /** Applies the current settings if they have changed. Never rejects; `status` reports failures. */
  syncWithSettings(): Promise<void> {
    this.isSyncPending = true;
    this.syncPromise ??= this.syncWhilePending();
    return this.syncPromise;
  }

  /** Stops the server and starts a new one. Never rejects. */
  restart(): Promise<void> {
    this.mustRestart = true;
    return this.syncWithSettings();
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return this.syncWithSettings();
  }

  appendToPrompt(message: string): number {
    return this.runningServer?.server.appendToPrompt(message) ?? 0;
  }

  private async syncWhilePending(): Promise<void> {
    while (this.isSyncPending) {
      this.isSyncPending = false;
      await this.applySettings();
    }
    this.syncPromise = undefined;
  }

  private async applySettings(): Promise<void> {
    const wanted = this.isStopped ? undefined : this.deps.desiredPortRange();
    const isRight =
      wanted?.first === this.runningServer?.range.first && wanted?.last === this.runningServer?.range.last;
    if (isRight && !this.mustRestart && this.state.kind !== 'failed') return;
    this.mustRestart = false;
    await this.stopServer();
    if (wanted) await this.startServer(wanted);
    else this.setState({ kind: 'off' });
  }

  private async startServer(range: PortRange): Promise<void> {
    this.setState({ kind: 'starting' });
    const server = this.deps.createServer(range);
    try {
      await server.start();
      if (server.port === undefined) throw new Error('The server has no port.');
    } catch (error) {
      server.dispose();
      this.deps.log.error('the server could not start', error);
      this.setState({ kind: 'failed', message: messageOf(error) });
      return;
    }
    const listener = server.onDidChangeStatus(this.deps.onDidChangeState);
    this.runningServer = { server, range, listener };
    this.setState({ kind: 'serving', port: server.port, clientCount: 0 });
  }

  private async stopServer(): Promise<void> {
    const { runningServer } = this;
    this.runningServer = undefined;
    if (!runningServer) return;
    runningServer.listener.dispose();
    try {
      await runningServer.server.stop();
    } catch (error) {
      this.deps.log.error('the server did not stop cleanly', error);
    } finally {
      runningServer.server.dispose();
    }
  }

  private setState(state: AmpState): void {
    this.state = state;
    this.deps.onDidChangeState();
  }
}
