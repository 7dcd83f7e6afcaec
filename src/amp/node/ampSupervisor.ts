import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { PortRange } from '../../platform/common/settings';
import type { AmpState } from '../common/ampStatus';
import type { FailingAnswers } from '../common/answerHealth';

/** The server interface that the supervisor needs. */
export interface SupervisedServer extends Disposable {
  /** Undefined until started. */
  readonly port: number | undefined;
  readonly clients: readonly unknown[];
  /** Set while too many requests fail. */
  readonly failing: FailingAnswers | undefined;
  /** Fires when `clients` or `failing` changes. */
  readonly onDidChangeStatus: Event<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  appendToPrompt(message: string): number;
}

interface AmpSupervisorOptions {
  /** Returns the port range to serve on, or undefined if the server is off. Called for each refresh. */
  readonly wanted: () => PortRange | undefined;
  readonly createServer: (range: PortRange) => SupervisedServer;
  readonly onDidChangeState: () => void;
  readonly log: Logger;
}

/** Keeps at most one server, as the settings require. Applies changes one after another. The owner awaits `stop`. */
export class AmpSupervisor {
  private current:
    { readonly server: SupervisedServer; readonly range: PortRange; readonly listener: Disposable } | undefined;
  private state: AmpState = { kind: 'off' };
  private running: Promise<void> | undefined;
  private isQueued = false;
  private mustRestart = false;
  private isStopped = false;

  constructor(private readonly options: AmpSupervisorOptions) {}

  get status(): AmpState {
    const { current, state } = this;
    if (state.kind !== 'serving' || !current) return state;
    const { clients, failing } = current.server;
    return { ...state, clients: clients.length, ...(failing ? { failing } : {}) };
  }

  /** Applies the current settings if they have changed. Never rejects: failures are in `status`. */
  refresh(): Promise<void> {
    this.isQueued = true;
    this.running ??= this.run();
    return this.running;
  }

  /** Stops the server and starts a new one. Never rejects. */
  restart(): Promise<void> {
    this.mustRestart = true;
    return this.refresh();
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return this.refresh();
  }

  /** Returns the number of clients it was sent to. */
  appendToPrompt(message: string): number {
    return this.current?.server.appendToPrompt(message) ?? 0;
  }

  private async run(): Promise<void> {
    while (this.isQueued) {
      this.isQueued = false;
      await this.apply();
    }
    this.running = undefined;
  }

  private async apply(): Promise<void> {
    const wanted = this.isStopped ? undefined : this.options.wanted();
    const isRight = wanted?.first === this.current?.range.first && wanted?.last === this.current?.range.last;
    if (isRight && !this.mustRestart && this.state.kind !== 'failed') return;
    this.mustRestart = false;
    await this.end();
    if (wanted) await this.begin(wanted);
    else this.setState({ kind: 'off' });
  }

  private async begin(range: PortRange): Promise<void> {
    this.setState({ kind: 'starting' });
    const server = this.options.createServer(range);
    try {
      await server.start();
      if (server.port === undefined) throw new Error('The server has no port.');
    } catch (error) {
      server.dispose();
      this.options.log.error('the server could not start', error);
      this.setState({ kind: 'failed', message: messageOf(error) });
      return;
    }
    const listener = server.onDidChangeStatus(this.options.onDidChangeState);
    this.current = { server, range, listener };
    this.setState({ kind: 'serving', port: server.port, clients: 0 });
  }

  private async end(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (!current) return;
    current.listener.dispose();
    try {
      await current.server.stop();
    } catch (error) {
      this.options.log.error('the server did not stop cleanly', error);
    } finally {
      current.server.dispose();
    }
  }

  private setState(state: AmpState): void {
    this.state = state;
    this.options.onDidChangeState();
  }
}
