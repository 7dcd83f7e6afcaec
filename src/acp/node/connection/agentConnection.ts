import { BackendError, type BackendState, isBackendError } from '../../../session/common/sessionBackend';
import { pause, withDeadline } from '../../../base/common/async';
import { toDisposable, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { Emitter, type Event } from '../../../base/common/event';
import { cancelledError, rejectOnAbort } from '../../../session/common/rejectOnAbort';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import type { MessageStream, StreamClosed } from '../../../wire/common/messageStream';
import type { ProtocolSetting } from '../../common/catalogue/agentSettings';
import type { AgentLimit } from '../../common/connection/agentLimitStore';
import type { AgentDescription } from '../../common/session/agentMessages';
import { processConnectionTexts, type ConnectionTexts } from '../../common/connection/connectionTexts';
import type { AgentExit } from '../process/agentProcess';
import { CommandError } from '../process/commandLookup';
import { RunningAgents } from '../process/runningAgents';
import type { RestartPolicy } from '../process/restartPolicy';
import { AgentClient, type AgentClientDeps } from './agentClient';
import { toBackendError } from './agentErrors';
import { RemoteAgentError } from '../remote/remoteErrors';
import { mayWorkWithVersion1, offeredVersion } from './handshake';
import type { ProtocolVersion } from './protocolRequests';

/** A running agent: a process, or a connection to a remote agent. */
export interface RunningAgent {
  readonly stream: MessageStream;
  readonly onDidExit: Event<AgentExit>;
  stderrTail(): string;
  /** Resolves when the process has exited, or to `stillRunning`. Never rejects. */
  stop(): Promise<unknown>;
  killNow(): void;
}

export interface AgentConnectionDeps extends Omit<AgentClientDeps, 'agentTitle' | 'initializeTimeoutMs'> {
  readonly title: string;
  /** Default `auto`: offers the highest version, then version 1 if the agent fails. */
  readonly protocol?: ProtocolSetting;
  /** Stored for all windows. By default, the memory is limited to this connection. */
  readonly agentVersionMemory?: () => AgentLimit;
  /** Starts the agent's process. The connection owns the result. */
  readonly startAgent: () => Promise<RunningAgent>;
  /** Called after the handshake, before the first session. The agent is not used if it rejects. */
  readonly prepareAgent?: (client: AgentClient, signal: AbortSignal) => Promise<void>;
  /** Default: the texts for a process. */
  readonly texts?: ConnectionTexts;
  readonly restartPolicy: RestartPolicy;
  readonly mayDownload?: boolean;
  readonly limits: AcpLimits;
}

export interface AcpLimits {
  /** Time limit for the first start, which may download the agent. */
  readonly coldStartTimeoutMs: number;
  /**
   * Time limit for the answer to an offer of version 2, if the agent need not be downloaded. Then version 1 is offered.
   */
  readonly offerTimeoutMs: number;
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
  readonly process: RunningAgent;
  readonly client: AgentClient;
  /** Whether the process is restarted with an offer of version 1 if it ends now. */
  canFallBack: boolean;
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
    this.deps.log.error('A listener of the agent’s state failed', error),
  );
  readonly onDidChangeState = this.stateEmitter.event;
  private currentState: BackendState = { kind: 'stopped' };
  private pendingStart: Promise<ConnectedAgent> | undefined;
  private currentProcess: StartedProcess | undefined;
  private readonly runningProcesses = new RunningAgents<RunningAgent>();
  private currentAgent: ConnectedAgent | undefined;
  private hasStartedBefore = false;
  /** Whether the agent has answered an offer of version 2, so that a later failure has other reasons. */
  private hasAnsweredVersion2Offer = false;
  private isLimitedToVersion1 = false;
  private restartAtMs = 0;
  private hasGivenUp = false;
  /** Why the last process ended: the reason given to `stop`, or a description of the exit. */
  private lastEndReason: Promise<BackendError> | undefined;
  private isDisposed = false;
  /** Aborts a start in progress. Each stop replaces it. */
  private startAbortController = new AbortController();

  constructor(private readonly deps: AgentConnectionDeps) {}

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

  /** Stops reading what the agent's current process sends, if its transport can do that. */
  holdReading(): Disposable {
    return this.currentProcess?.process.stream.holdReading?.() ?? toDisposable(() => undefined);
  }

  get mayDownloadPackage(): boolean {
    return this.deps.mayDownload === true && !this.hasStartedBefore;
  }

  /**
   * Returns the running agent, or starts it. Aborting `signal` only ends the wait and not the start. @throws
   * BackendError
   */
  connect(signal?: AbortSignal): Promise<ConnectedAgent> {
    if (this.currentAgent) return Promise.resolve(this.currentAgent);
    if (this.isDisposed) return Promise.reject(new BackendError('closed', `${this.deps.title} was stopped.`));
    this.pendingStart ??= this.start().finally(() => {
      this.pendingStart = undefined;
    });
    return rejectOnAbort(this.pendingStart, signal);
  }

  /** Starts the agent without a delay when it is used next, also after it has crashed too often. */
  forgetCrashes(): void {
    this.deps.restartPolicy.reset();
    this.hasGivenUp = false;
    this.restartAtMs = 0;
  }

  /**
   * Stops the process and rejects pending requests with `reason`. The next `connect` starts a new process. Never
   * rejects.
   */
  async stop(reason: BackendError): Promise<void> {
    const { currentProcess, pendingStart } = this;
    this.forgetCrashes();
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
    const reason = new BackendError('closed', `${this.deps.title} was stopped.`);
    if (currentProcess) this.markProcessEnded(currentProcess, Promise.resolve(reason));
    this.runningProcesses.killAll();
    this.stateEmitter.dispose();
  }

  /** Converts an error to a message for the user. If the agent has ended, returns how it ended, with its stderr. */
  async toBackendError(error: unknown): Promise<BackendError> {
    const isGone = error instanceof ConnectionClosedError || (isBackendError(error) && error.code === 'closed');
    return isGone && this.lastEndReason ? this.lastEndReason : toBackendError(error, this.deps.title);
  }

  private async start(): Promise<ConnectedAgent> {
    const { title } = this.deps;
    const { signal } = this.startAbortController;
    if (this.hasGivenUp) throw new BackendError('backend', this.givenUpMessage);
    await this.waitBeforeRestart(signal);
    this.setState({ kind: 'starting', message: this.texts.starting(title, this.mayDownloadPackage) });
    const { protocol = 'auto' } = this.deps;
    const memory = this.version1Limit();
    const offered = offeredVersion(protocol, memory.isLimited);
    const canFallBack = protocol === 'auto' && offered === 2 && !this.hasAnsweredVersion2Offer;
    const connected = await this.initializeAgent(await this.startProcess(signal), offered, canFallBack);
    if (connected) {
      this.hasAnsweredVersion2Offer ||= offered === 2;
      if (offered === 2) memory.recordSuccess();
      else memory.recordStart(connected.agent.agentInfo?.version);
      return connected;
    }
    if (signal.aborted) throw new BackendError('closed', `${title} was stopped.`);
    this.setState({ kind: 'starting', message: this.texts.startingWithVersion1(title) });
    const second = await this.initializeAgent(await this.startProcess(signal), 1, false);
    memory.recordFailure(second.agent.agentInfo?.version);
    return second;
  }

  private version1Limit(): AgentLimit {
    const { agentVersionMemory } = this.deps;
    if (agentVersionMemory) return agentVersionMemory();
    const recordFailure = (): void => void (this.isLimitedToVersion1 = true);
    const ignore = (): void => undefined;
    return { isLimited: this.isLimitedToVersion1, recordFailure, recordSuccess: ignore, recordStart: ignore };
  }

  private async startProcess(signal: AbortSignal): Promise<RunningAgent> {
    const { title, startAgent } = this.deps;
    let process: RunningAgent;
    try {
      process = await startAgent();
    } catch (error) {
      const isExplained = isBackendError(error);
      throw this.setFailed(
        isExplained ? error : new BackendError('notReady', messageOf(error), detailsOf(error), { cause: error }),
      );
    }
    this.runningProcesses.add(process);
    if (!signal.aborted) return process;
    if (this.isDisposed) this.runningProcesses.killAll();
    else await this.runningProcesses.stop(process);
    throw new BackendError('closed', `${title} was stopped.`);
  }

  /** With `canFallBack`, resolves to undefined if the agent failed because of the offered version. Its process has then ended. */
  private initializeAgent(process: RunningAgent, offered: 1, canFallBack: false): Promise<ConnectedAgent>;
  private initializeAgent(
    process: RunningAgent,
    offered: ProtocolVersion,
    canFallBack: boolean,
  ): Promise<ConnectedAgent | undefined>;
  private async initializeAgent(
    process: RunningAgent,
    offered: ProtocolVersion,
    canFallBack: boolean,
  ): Promise<ConnectedAgent | undefined> {
    const { log, title } = this.deps;
    const initializeTimeoutMs = this.initializeTimeoutMs(canFallBack);
    const client = new AgentClient(process.stream, { ...this.deps, agentTitle: title, initializeTimeoutMs });
    const exited = new Promise<AgentExit>((resolve) => process.onDidExit(resolve));
    const started: StartedProcess = { process, client, exited, canFallBack };
    this.currentProcess = started;
    process.stream.onDidClose((closed) => this.handleProcessEnd(started, closed));
    void exited.then(() => this.handleProcessEnd(started));
    try {
      const agent = await client.initialize(offered);
      started.canFallBack = false;
      await this.prepareAgent(client);
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
      if (started.canFallBack && mayWorkWithVersion1(error)) {
        log.warn(`${title} broke on an offer of version 2 of ACP: ${explained.message}`);
        return undefined;
      }
      throw this.setFailed(failure);
    }
  }

  private async prepareAgent(client: AgentClient): Promise<void> {
    const { clock, limits, prepareAgent } = this.deps;
    if (!prepareAgent) return;
    await withDeadline(clock, 'preparing', limits.requestTimeoutMs, (signal) => prepareAgent(client, signal));
  }

  private initializeTimeoutMs(canFallBack: boolean): number {
    const { coldStartTimeoutMs, initializeTimeoutMs, offerTimeoutMs } = this.deps.limits;
    if (this.hasStartedBefore) return initializeTimeoutMs;
    return canFallBack && !this.mayDownloadPackage ? offerTimeoutMs : coldStartTimeoutMs;
  }

  private handleProcessEnd(started: StartedProcess, closed?: StreamClosed): void {
    if (this.currentProcess !== started) return;
    if (started.canFallBack && isOfAgent(closed?.error)) {
      // The handshake fails immediately, and then the agent is restarted.
      started.client.dispose();
      return;
    }
    const { clock, restartPolicy } = this.deps;
    const decision = restartPolicy.recordCrash();
    this.hasGivenUp = decision.kind === 'giveUp';
    if (decision.kind === 'restart') this.restartAtMs = clock.monotonicNow() + decision.delayMs;
    const { pendingStart } = this;
    const end = this.describeExit(started, closed?.error);
    this.markProcessEnded(started, end);
    void end.then((error) => {
      // The agent may have been stopped or restarted in the meantime.
      const isCurrent =
        this.lastEndReason === end && (this.pendingStart === undefined || this.pendingStart === pendingStart);
      if (isCurrent) this.setFailed(this.hasGivenUp ? withMessage(error, this.givenUpMessage) : error);
    });
  }

  private async describeExit({ exited, process }: StartedProcess, error?: Error): Promise<BackendError> {
    const { clock, limits, title } = this.deps;
    const exit = await withDeadline(clock, 'exit', limits.exitGraceMs, () => exited).catch(() => undefined);
    await this.runningProcesses.stop(process);
    const details = detailsOfStderr(exit?.stderrTail ?? process.stderrTail());
    return new BackendError('backend', this.texts.ended(title, { exit, error }), details);
  }

  private markProcessEnded(started: StartedProcess, end: Promise<BackendError>): void {
    this.lastEndReason = end;
    this.currentProcess = undefined;
    this.currentAgent = undefined;
    started.client.dispose();
    started.process.stream.dispose();
  }

  private async waitBeforeRestart(stopped: AbortSignal): Promise<void> {
    const { clock, title } = this.deps;
    const delayMs = this.restartAtMs - clock.monotonicNow();
    if (delayMs <= 0) return;
    this.setState({ kind: 'starting', message: this.texts.restarting(title) });
    await pause(clock, delayMs, stopped, cancelledError);
  }

  private setFailed(error: BackendError): BackendError {
    const { message, details } = error;
    this.setState({ kind: 'failed', message, ...(details === undefined ? {} : { details }) });
    return error;
  }

  private get givenUpMessage(): string {
    return this.texts.givenUp(this.deps.title);
  }

  private get texts(): ConnectionTexts {
    return this.deps.texts ?? processConnectionTexts;
  }
}

/** Whether the agent itself has ended, not only its connection. */
function isOfAgent(error: Error | undefined): boolean {
  return !(error instanceof RemoteAgentError) || error.mayMeanAgentEnded;
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
