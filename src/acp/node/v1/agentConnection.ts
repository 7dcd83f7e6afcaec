import { BackendError, type BackendState, isBackendError } from '../../../session/common/sessionBackend';
import { withDeadline } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { Emitter, type Event } from '../../../base/common/event';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import type { MessageStream, StreamClosed } from '../../../wire/common/messageStream';
import type { AgentDescription } from '../../common/session/agentMessages';
import { processWords, type ConnectionWords } from '../../common/session/connectionWords';
import type { AgentExit } from '../process/agentProcess';
import { CommandError } from '../process/commandLookup';
import { RunningAgents } from '../process/runningAgents';
import type { RestartPolicy } from '../process/restartPolicy';
import { AgentClient, type AgentClientDeps } from '../connection/agentClient';
import { toBackendError } from '../connection/agentErrors';

/** An agent that runs: a process, or a connection to a remote agent. */
export interface AgentProcessHandle {
  readonly stream: MessageStream;
  readonly onDidExit: Event<AgentExit>;
  stderrTail(): string;
  /** Resolves when the process has exited, or to `stillRunning`. Never rejects. */
  stop(): Promise<unknown>;
  killNow(): void;
}

export interface AgentConnectionDeps extends Omit<AgentClientDeps, 'agentTitle' | 'initializeTimeoutMs'> {
  readonly title: string;
  /** Starts the agent's process. The connection owns the result. */
  readonly startAgent: () => Promise<AgentProcessHandle>;
  /** Default: those for a process. */
  readonly words?: ConnectionWords;
  readonly restartPolicy: RestartPolicy;
  readonly mayDownload?: boolean;
  readonly limits: AcpLimits;
}

export interface AcpLimits {
  /** Time limit for the first start, which may download the agent. */
  readonly coldStartTimeoutMs: number;
  readonly initializeTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly authenticateTimeoutMs: number;
  /** How long a prompt waits for the user to sign in. */
  readonly signInTimeoutMs: number;
  readonly cancelGraceMs: number;
  /** How long running turns have to end before the agent is stopped. */
  readonly interruptGraceMs: number;
  /** How long to wait for a process to exit and write its stderr after it has closed its stream. */
  readonly exitGraceMs: number;
}

export interface ConnectedAgent {
  readonly client: AgentClient;
  readonly agent: AgentDescription;
}

interface StartedProcess {
  readonly process: AgentProcessHandle;
  readonly client: AgentClient;
  /** Settles when the process has exited and its stderr was read. */
  readonly exited: Promise<AgentExit>;
}

const maxStderrLength = 4_000;

/**
 * Runs at most one agent process, which starts when it is needed. After crashes, restarts are delayed and finally
 * refused.
 */
export class AgentConnection {
  private readonly stateEmitter = new Emitter<BackendState>((error) =>
    this.options.log.error('A listener of the agent’s state failed', error),
  );
  readonly onDidChangeState = this.stateEmitter.event;
  private currentState: BackendState = { kind: 'stopped' };
  private pendingStart: Promise<ConnectedAgent> | undefined;
  private currentProcess: StartedProcess | undefined;
  private readonly runningProcesses = new RunningAgents<AgentProcessHandle>();
  private currentAgent: ConnectedAgent | undefined;
  private hasStartedBefore = false;
  private restartAtMs = 0;
  private hasGivenUp = false;
  /** Why the last process ended: the reason given to `stop`, or a description of the exit. */
  private lastEndReason: Promise<BackendError> | undefined;
  private isDisposed = false;
  /** Aborts a start in progress. Each stop replaces it. */
  private startAbortController = new AbortController();

  constructor(private readonly options: AgentConnectionDeps) {}

  get state(): BackendState {
    return this.currentState;
  }

  setState(state: BackendState): void {
    this.currentState = state;
    this.stateEmitter.fire(state);
  }

  get connectedAgent(): ConnectedAgent | undefined {
    return this.currentAgent;
  }

  get mayDownloadPackage(): boolean {
    return this.options.mayDownload === true && !this.hasStartedBefore;
  }

  /**
   * Returns the running agent, or starts it. Aborting `signal` only ends the wait and not the start. @throws
   * BackendError
   */
  connect(signal?: AbortSignal): Promise<ConnectedAgent> {
    if (this.currentAgent) return Promise.resolve(this.currentAgent);
    if (this.isDisposed) return Promise.reject(new BackendError('closed', `${this.options.title} was stopped.`));
    this.pendingStart ??= this.start().finally(() => {
      this.pendingStart = undefined;
    });
    return rejectOnAbort(this.pendingStart, signal);
  }

  /**
   * Stops the process and rejects pending requests with `reason`. The next `connect` starts a new process. Never
   * rejects.
   */
  async stop(reason: BackendError): Promise<void> {
    const { currentProcess, pendingStart } = this;
    this.options.restartPolicy.reset();
    this.hasGivenUp = false;
    this.restartAtMs = 0;
    this.lastEndReason = Promise.resolve(reason);
    this.startAbortController.abort();
    this.startAbortController = new AbortController();
    if (currentProcess) this.markProcessEnded(currentProcess, this.lastEndReason);
    await this.runningProcesses.stopAll();
    await pendingStart?.catch(() => undefined);
    if (!this.currentProcess && !this.pendingStart) this.setState({ kind: 'stopped' });
  }

  dispose(): void {
    this.isDisposed = true;
    this.startAbortController.abort();
    const { currentProcess } = this;
    const reason = new BackendError('closed', `${this.options.title} was stopped.`);
    if (currentProcess) this.markProcessEnded(currentProcess, Promise.resolve(reason));
    this.runningProcesses.killAll();
    this.stateEmitter.dispose();
  }

  /** Converts an error to a message for the user. If the agent has ended, returns how it ended, with its stderr. */
  async toBackendError(error: unknown): Promise<BackendError> {
    const isGone = error instanceof ConnectionClosedError || (isBackendError(error) && error.code === 'closed');
    return isGone && this.lastEndReason ? this.lastEndReason : toBackendError(error, this.options.title);
  }

  private async start(): Promise<ConnectedAgent> {
    const { title, startAgent } = this.options;
    const { signal } = this.startAbortController;
    if (this.hasGivenUp) throw new BackendError('backend', this.givenUpMessage);
    await this.waitBeforeRestart(signal);
    this.setState({ kind: 'starting', message: this.words.starting(title, this.mayDownloadPackage) });
    let process: AgentProcessHandle;
    try {
      process = await startAgent();
    } catch (error) {
      const isExplained = isBackendError(error);
      throw this.setFailed(
        isExplained ? error : new BackendError('notReady', messageOf(error), detailsOf(error), { cause: error }),
      );
    }
    this.runningProcesses.add(process);
    if (!signal.aborted) return this.initializeAgent(process);
    if (this.isDisposed) this.runningProcesses.killAll();
    else await this.runningProcesses.stop(process);
    throw new BackendError('closed', `${title} was stopped.`);
  }

  private async initializeAgent(process: AgentProcessHandle): Promise<ConnectedAgent> {
    const { limits, title } = this.options;
    const initializeTimeoutMs = this.hasStartedBefore ? limits.initializeTimeoutMs : limits.coldStartTimeoutMs;
    const client = new AgentClient(process.stream, { ...this.options, agentTitle: title, initializeTimeoutMs });
    const exited = new Promise<AgentExit>((resolve) => process.onDidExit(resolve));
    const started: StartedProcess = { process, client, exited };
    this.currentProcess = started;
    process.stream.onDidClose((closed) => this.handleProcessEnd(started, closed));
    void exited.then(() => this.handleProcessEnd(started));
    try {
      const agent = await client.initialize();
      if (this.currentProcess !== started) throw new BackendError('closed', `${title} has ended.`);
      this.hasStartedBefore = true;
      this.currentAgent = { client, agent };
      const version = agent.agentInfo?.version;
      this.setState({ kind: 'ready', ...withoutUndefined({ version }) });
      return this.currentAgent;
    } catch (error) {
      const explained = await this.toBackendError(error);
      if (this.currentProcess !== started) throw explained;
      const words = detailsOfStderr(process.stderrTail());
      const failure = words && !explained.details ? withDetails(explained, words) : explained;
      this.markProcessEnded(started, Promise.resolve(failure));
      await this.runningProcesses.stop(process);
      throw this.setFailed(failure);
    }
  }

  private handleProcessEnd(started: StartedProcess, closed?: StreamClosed): void {
    if (this.currentProcess !== started) return;
    const { clock, restartPolicy } = this.options;
    const decision = restartPolicy.recordCrash();
    this.hasGivenUp = decision.kind === 'giveUp';
    if (decision.kind === 'restart') this.restartAtMs = clock.monotonicNow() + decision.delayMs;
    const { pendingStart } = this;
    const end = this.describeExit(started, closed?.error);
    this.markProcessEnded(started, end);
    void end.then((error) => {
      // The agent may have been stopped or restarted meanwhile.
      const isCurrent =
        this.lastEndReason === end && (this.pendingStart === undefined || this.pendingStart === pendingStart);
      if (isCurrent) this.setFailed(this.hasGivenUp ? withMessage(error, this.givenUpMessage) : error);
    });
  }

  private async describeExit({ exited, process }: StartedProcess, error?: Error): Promise<BackendError> {
    const { clock, limits, title } = this.options;
    const exit = await withDeadline(clock, 'exit', limits.exitGraceMs, () => exited).catch(() => undefined);
    await this.runningProcesses.stop(process);
    const details = detailsOfStderr(exit?.stderrTail ?? process.stderrTail());
    return new BackendError('backend', this.words.ended(title, { exit, error }), details);
  }

  private markProcessEnded(started: StartedProcess, end: Promise<BackendError>): void {
    this.lastEndReason = end;
    this.currentProcess = undefined;
    this.currentAgent = undefined;
    started.client.dispose();
    started.process.stream.dispose();
  }

  private async waitBeforeRestart(stopped: AbortSignal): Promise<void> {
    const { clock, title } = this.options;
    const delayMs = this.restartAtMs - clock.monotonicNow();
    if (delayMs <= 0) return;
    this.setState({ kind: 'starting', message: this.words.restarting(title) });
    const timers = new DisposableStore();
    const delay = new Promise<void>((resolve) => {
      timers.add(clock.setTimer(delayMs, resolve));
    });
    await rejectOnAbort(delay, stopped).finally(() => timers.dispose());
  }

  private setFailed(error: BackendError): BackendError {
    const { message, details } = error;
    this.setState({ kind: 'failed', message, ...(details === undefined ? {} : { details }) });
    return error;
  }

  private get givenUpMessage(): string {
    return this.words.givenUp(this.options.title);
  }

  private get words(): ConnectionWords {
    return this.options.words ?? processWords;
  }
}

function detailsOf(error: unknown): string | undefined {
  return error instanceof CommandError ? error.details : undefined;
}

function detailsOfStderr(stderr: string): string | undefined {
  const words = stderr.trim();
  return words === '' ? undefined : words.slice(-maxStderrLength);
}

function withDetails(error: BackendError, details: string): BackendError {
  return new BackendError(error.code, error.message, details, { cause: error });
}

function withMessage(error: BackendError, message: string): BackendError {
  return new BackendError(error.code, `${error.message} ${message}`, error.details, { cause: error });
}
