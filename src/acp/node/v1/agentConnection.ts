import { BackendError, type BackendState, isBackendError } from '../../../session/common/sessionBackend';
import { withDeadline } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { Emitter, type Event } from '../../../base/common/event';
import { untilAborted } from '../../../session/common/untilAborted';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import type { MessageStream } from '../../../wire/common/messageStream';
import type { InitializeResult } from '../../common/v1/v1Schema';
import type { AgentExit } from '../process/agentProcess';
import { CommandError } from '../process/commandLookup';
import { LivingAgents } from '../process/livingAgents';
import type { RestartPolicy } from '../process/restartPolicy';
import { V1Client, type V1ClientOptions } from './v1Client';
import { toBackendError } from './v1Errors';

/** The part of AgentProcess that a connection uses. */
export interface RunningAgent {
  readonly stream: MessageStream;
  readonly onDidExit: Event<AgentExit>;
  lastWords(): string;
  /** Resolves when the process has exited, or with `stillRunning`. Never rejects. */
  stop(): Promise<unknown>;
  killNow(): void;
}

export interface AgentConnectionOptions extends Omit<V1ClientOptions, 'agentTitle' | 'initializeTimeoutMs'> {
  readonly title: string;
  /** Starts the agent's process; the connection owns the result. */
  readonly startAgent: () => Promise<RunningAgent>;
  readonly restartPolicy: RestartPolicy;
  /** Whether the first start may download the agent. */
  readonly mayDownload?: boolean;
  readonly limits: AcpLimits;
}

/** Time-outs for the agent and for the user. */
export interface AcpLimits {
  /** For the first start, which may download the agent. */
  readonly coldStartTimeoutMs: number;
  readonly initializeTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly authenticateTimeoutMs: number;
  /** How long a prompt waits for the user to sign in. */
  readonly signInTimeoutMs: number;
  readonly cancelGraceMs: number;
  /** How long a process that closed its stream gets to exit on its own and write its stderr. */
  readonly exitGraceMs: number;
}

export interface LiveAgent {
  readonly client: V1Client;
  readonly agent: InitializeResult;
}

interface Started {
  readonly process: RunningAgent;
  readonly client: V1Client;
  /** Settles when the process has exited and its stderr was read. */
  readonly exited: Promise<AgentExit>;
}

const maxStderrLength = 4_000;

/**
 * Runs at most one agent process, started on demand. After a crash, pending requests reject. The next request restarts
 * the agent with a growing delay, but not after too many crashes.
 */
export class AgentConnection {
  private readonly states = new Emitter<BackendState>((error) =>
    this.options.log.error('A listener of the agent’s state failed', error),
  );
  readonly onDidChangeState = this.states.event;
  private currentState: BackendState = { kind: 'stopped' };
  private starting: Promise<LiveAgent> | undefined;
  private started: Started | undefined;
  private readonly living = new LivingAgents<RunningAgent>();
  private live: LiveAgent | undefined;
  private hasRun = false;
  private startAgainAtMs = 0;
  private gaveUp = false;
  /** Why the last process ended: the reason given to `stop`, or how it exited. */
  private lastEnd: Promise<BackendError> | undefined;
  private disposed = false;
  /** Replaced by each stop, which aborts a start in progress. */
  private stopped = new AbortController();

  constructor(private readonly options: AgentConnectionOptions) {}

  get state(): BackendState {
    return this.currentState;
  }

  setState(state: BackendState): void {
    this.currentState = state;
    this.states.fire(state);
  }

  get current(): LiveAgent | undefined {
    return this.live;
  }

  get mayDownload(): boolean {
    return this.options.mayDownload === true && !this.hasRun;
  }

  /** Returns the running agent, or starts it. Aborting `signal` ends the wait, not the start. @throws BackendError */
  connect(signal?: AbortSignal): Promise<LiveAgent> {
    if (this.live) return Promise.resolve(this.live);
    if (this.disposed) return Promise.reject(new BackendError('closed', `${this.options.title} was closed.`));
    this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return untilAborted(this.starting, signal);
  }

  /** Stops the process and rejects pending requests with `reason`. The next `connect` restarts it. Never rejects. */
  async stop(reason: BackendError): Promise<void> {
    const { started, starting } = this;
    this.options.restartPolicy.reset();
    this.gaveUp = false;
    this.startAgainAtMs = 0;
    this.lastEnd = Promise.resolve(reason);
    this.stopped.abort();
    this.stopped = new AbortController();
    if (started) this.lose(started, this.lastEnd);
    await this.living.stopAll();
    await starting?.catch(() => undefined);
    if (!this.started && !this.starting) this.setState({ kind: 'stopped' });
  }

  dispose(): void {
    this.disposed = true;
    this.stopped.abort();
    const { started } = this;
    const reason = new BackendError('closed', `${this.options.title} was closed.`);
    if (started) this.lose(started, Promise.resolve(reason));
    this.living.killNow();
    this.states.dispose();
  }

  /** Converts an error for the user; if the agent has ended, returns how it ended, with its stderr. */
  async explain(error: unknown): Promise<BackendError> {
    const isGone = error instanceof ConnectionClosedError || (isBackendError(error) && error.code === 'closed');
    return isGone && this.lastEnd ? this.lastEnd : toBackendError(error, this.options.title);
  }

  private async start(): Promise<LiveAgent> {
    const { title, startAgent } = this.options;
    const { signal } = this.stopped;
    if (this.gaveUp) throw new BackendError('backend', this.gaveUpMessage);
    await this.backOff(signal);
    const wait = this.mayDownload ? ' This may take minutes if it has to be downloaded.' : '';
    this.setState({ kind: 'starting', message: `Starting ${title}…${wait}` });
    let process: RunningAgent;
    try {
      process = await startAgent();
    } catch (error) {
      const isExplained = isBackendError(error);
      throw this.fail(
        isExplained ? error : new BackendError('notReady', messageOf(error), detailsOf(error), { cause: error }),
      );
    }
    this.living.add(process);
    if (!signal.aborted) return this.open(process);
    if (this.disposed) this.living.killNow();
    else await this.living.stop(process);
    throw new BackendError('closed', `${title} was stopped.`);
  }

  private async open(process: RunningAgent): Promise<LiveAgent> {
    const { limits, title } = this.options;
    const initializeTimeoutMs = this.hasRun ? limits.initializeTimeoutMs : limits.coldStartTimeoutMs;
    const client = new V1Client(process.stream, { ...this.options, agentTitle: title, initializeTimeoutMs });
    const exited = new Promise<AgentExit>((resolve) => process.onDidExit(resolve));
    const started: Started = { process, client, exited };
    this.started = started;
    process.stream.onDidClose(() => this.onGone(started));
    void exited.then(() => this.onGone(started));
    try {
      const agent = await client.start();
      if (this.started !== started) throw new BackendError('closed', `${title} is gone.`);
      this.hasRun = true;
      this.live = { client, agent };
      const version = agent.agentInfo?.version;
      this.setState({ kind: 'ready', ...withoutUndefined({ version }) });
      return this.live;
    } catch (error) {
      const explained = await this.explain(error);
      // A lost connection was already reported.
      if (this.started !== started) throw explained;
      const words = lastWordsOf(process.lastWords());
      const failure = words && !explained.details ? withDetails(explained, words) : explained;
      this.lose(started, Promise.resolve(failure));
      await this.living.stop(process);
      throw this.fail(failure);
    }
  }

  /** Handles a process that exited or closed its stream. */
  private onGone(started: Started): void {
    if (this.started !== started) return;
    const { clock, restartPolicy } = this.options;
    const decision = restartPolicy.crashed();
    this.gaveUp = decision.kind === 'giveUp';
    if (decision.kind === 'restart') this.startAgainAtMs = clock.monotonicNow() + decision.delayMs;
    const { starting } = this;
    const end = this.describeEnd(started);
    this.lose(started, end);
    void end.then((error) => {
      // The agent may have been stopped or restarted meanwhile.
      const isNews = this.lastEnd === end && (this.starting === undefined || this.starting === starting);
      if (isNews) this.fail(this.gaveUp ? withMessage(error, this.gaveUpMessage) : error);
    });
  }

  private async describeEnd({ exited, process }: Started): Promise<BackendError> {
    const { clock, limits, title } = this.options;
    const exit = await withDeadline(clock, 'exit', limits.exitGraceMs, () => exited).catch(() => undefined);
    await this.living.stop(process);
    const how = exit ? `(${exit.signal ?? `exit code ${exit.code ?? 'unknown'}`})` : '(it closed the connection)';
    const details = lastWordsOf(exit?.lastWords ?? process.lastWords());
    return new BackendError('backend', `${title} ended unexpectedly ${how}.`, details);
  }

  private lose(started: Started, end: Promise<BackendError>): void {
    this.lastEnd = end;
    this.started = undefined;
    this.live = undefined;
    started.client.dispose();
    started.process.stream.dispose();
  }

  private async backOff(stopped: AbortSignal): Promise<void> {
    const { clock, title } = this.options;
    const delayMs = this.startAgainAtMs - clock.monotonicNow();
    if (delayMs <= 0) return;
    this.setState({ kind: 'starting', message: `${title} ended unexpectedly. Starting it again…` });
    const timers = new DisposableStore();
    const delay = new Promise<void>((resolve) => {
      timers.add(clock.setTimer(delayMs, resolve));
    });
    await untilAborted(delay, stopped).finally(() => timers.dispose());
  }

  private fail(error: BackendError): BackendError {
    const { message, details } = error;
    this.setState({ kind: 'failed', message, ...(details === undefined ? {} : { details }) });
    return error;
  }

  private get gaveUpMessage(): string {
    return `${this.options.title} has ended unexpectedly several times and is no longer restarted automatically. Check its log, then restart it.`;
  }
}

function detailsOf(error: unknown): string | undefined {
  return error instanceof CommandError ? error.details : undefined;
}

function lastWordsOf(stderr: string): string | undefined {
  const words = stderr.trim();
  return words === '' ? undefined : words.slice(-maxStderrLength);
}

function withDetails(error: BackendError, details: string): BackendError {
  return new BackendError(error.code, error.message, details, { cause: error });
}

function withMessage(error: BackendError, message: string): BackendError {
  return new BackendError(error.code, `${error.message} ${message}`, error.details, { cause: error });
}
