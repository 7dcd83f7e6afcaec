import { EventLog } from '../../../session/common/eventLog';
import type { SessionEvent, ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type CreateSessionOptions,
  type PromptInput,
  type SequencedEvent,
} from '../../../session/common/sessionBackend';
import { Coalescer, withDeadline, type Clock } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { FileAccess } from '../../../editor/common/writeWitness';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { Approvals } from '../../common/approvals/approvals';
import type { AgentTraits } from '../../common/catalogue/knownAgents';
import { SessionMapping, turnEndOf } from '../../common/v1/sessionMapping';
import { toolRequest } from '../../common/approvals/toolRequests';
import { TurnUsage } from '../../common/v1/turnUsage';
import type { PermissionRequest, PromptResult, SessionSetup } from '../../common/v1/v1Schema';
import { FileService } from './fileService';
import { OptionSetter, type OptionHost } from './optionSetter';
import { PermissionService } from './permissionService';
import { promptBlocks } from './promptBlocks';
import { TerminalService } from '../process/terminalService';
import type { SessionPeer, V1Client } from './v1Client';
import { isAuthRequired } from './v1Errors';

interface V1SessionOptions {
  readonly agentId: string;
  readonly agentTitle: string;
  readonly editor: EditorPort;
  /** How the agent reads and writes files. */
  readonly files: FileAccess;
  readonly clock: Clock;
  readonly log: Logger;
  readonly standing: StandingPermissions;
  /** How to deal with the agent that runs now. */
  readonly traits: () => AgentTraits;
  /** The environment that the session's commands start from. */
  readonly env: Readonly<Record<string, string>>;
  /** How long an agent may take to end a turn that was cancelled. */
  readonly cancelGraceMs: number;
  readonly host: SessionHost;
}

/** What a session needs of the backend it belongs to. */
export interface SessionHost extends OptionHost {
  /** The connection with this session attached to it; starts the agent when it is gone. @throws BackendError */
  connect(session: V1Session, signal: AbortSignal): Promise<V1Client>;
  /** Resolves when the user has signed in, as `error` of the agent asks for. @throws BackendError */
  signIn(error: unknown, signal: AbortSignal): Promise<void>;
  /** What happened to the agent, when an error means that it is gone. */
  explain(error: unknown): Promise<BackendError>;
  /** Ends an agent that no longer listens. */
  kill(reason: string): Promise<void>;
  /** The session is over. */
  forget(session: V1Session): Promise<void>;
}

interface Turn {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const terminalDelayMs = 100;
const maxTerminals = 8;

/** One conversation with an ACP v1 agent. It outlives the agent's process: the next prompt takes it up in a new one. */
export class V1Session implements BackendSession, SessionPeer {
  readonly files: FileService;
  readonly terminals: TerminalService;
  /** The agent's name for the session; another one when it had to begin anew. */
  agentSessionId: string;
  private readonly mapping: SessionMapping;
  private readonly log: EventLog;
  private readonly approvals: Approvals;
  private readonly permissions: PermissionService;
  private readonly setter: OptionSetter;
  private readonly terminalUpdates: Coalescer;
  private turn: Turn | undefined;
  private turns = 0;
  private readonly life = new AbortController();
  private isMuted = false;
  private readonly usage = new TurnUsage();
  /** The agent had to begin anew, and has not been told what was said before. */
  private hasForgotten = false;

  constructor(
    readonly id: string,
    readonly folders: CreateSessionOptions,
    private readonly options: V1SessionOptions,
  ) {
    const { agentId, agentTitle, clock, editor, env, log, standing, traits } = options;
    this.agentSessionId = id;
    this.mapping = new SessionMapping(id, clock, () => traits().knownAs);
    this.log = new EventLog(() => new Promise((resolve) => setImmediate(resolve)));
    this.approvals = new Approvals(id, clock, folders.approvalTimeoutMs, (event) =>
      this.log.append(this.mapping.ofQuestion(event)),
    );
    const { cwd } = folders;
    this.setter = new OptionSetter({
      config: this.mapping.config,
      agentTitle,
      host: options.host,
      sessionId: () => this.agentSessionId,
      onDidSet: () => this.log.append(this.mapping.configEvent()),
    });
    const mode = () => this.mapping.config.modeName;
    const stopped = () => (this.ended.aborted ? AbortSignal.abort() : this.turn?.abort.signal);
    const asked = { agentId, agentTitle, cwd, approvals: this.approvals, standing, log, mode, stopped };
    const permissions = (this.permissions = new PermissionService(asked));
    this.files = new FileService(options.files, {
      missingFile: () => traits().missingFile,
      permissions,
      protectionOf: (...changed) => editor.protectionOf(...changed),
    });
    this.terminals = new TerminalService({
      editor,
      clock,
      cwd,
      env,
      maxTerminals,
      authorize: (request, signal) => permissions.mayRun(request, signal),
      onDidChange: (terminalId, view) => {
        this.mapping.setTerminal(terminalId, view);
        this.tell(this.mapping.takeTerminalUpdates());
      },
    });
    this.terminalUpdates = new Coalescer(clock, terminalDelayMs, () => this.tell(this.mapping.takeTerminalUpdates()));
    this.log.append({ event: 'session:start', data: { session_id: id } });
  }

  /** Fires at the end of the session. */
  get ended(): AbortSignal {
    return this.life.signal;
  }

  get isBusy(): boolean {
    return this.turn !== undefined;
  }

  get config(): readonly ConfigOption[] {
    return this.mapping.config.all;
  }

  get commands(): readonly SlashCommand[] {
    return this.mapping.commands;
  }

  events(options?: { afterSequence?: number; signal?: AbortSignal }): AsyncIterable<SequencedEvent> {
    return this.log.read(options);
  }

  // What the agent says.

  update(update: { readonly sessionUpdate: string }): void {
    if (this.isMuted) return;
    this.tell(this.mapping.update(update));
    if (this.mapping.hasTerminalUpdates) this.terminalUpdates.schedule();
  }

  async requestPermission(request: PermissionRequest, signal: AbortSignal) {
    this.tell(this.mapping.askedCall(request.toolCall));
    const { agentId, editor } = this.options;
    const call = this.mapping.describeCall(request.toolCall.toolCallId);
    if (!call || this.ended.aborted || this.turn?.abort.signal.aborted) return { outcome: 'cancelled' as const };
    const wanted = await toolRequest(call, {
      agent: agentId,
      cwd: this.folders.cwd,
      resolve: (path) => editor.resolve(path),
      protectionOf: (path) => editor.protectionOf(path),
    });
    // The turn may have been cancelled meanwhile, and with it every question.
    const turnSignal = this.turn?.abort.signal;
    return this.permissions.decideTool(
      request,
      call,
      wanted,
      turnSignal ? AbortSignal.any([signal, turnSignal]) : signal,
    );
  }

  disconnected(): void {
    this.approvals.withdrawAll();
    this.permissions.forgetMemory();
    void this.terminals.endAll();
  }

  // What the backend says.

  /** Takes the session's opening answer. */
  setUp(setup: SessionSetup): void {
    this.mapping.config.setUp(setup);
    if (this.config.length > 0) this.log.append(this.mapping.configEvent());
  }

  /** Another process of the agent has the session from now on. */
  joinedProcess(): void {
    this.usage.restart();
  }

  /** The agent does not remember the session and has begun another one in its place. */
  beginAnew(agentSessionId: string, setup: SessionSetup): void {
    this.agentSessionId = agentSessionId;
    this.hasForgotten = true;
    this.log.append({ event: 'session:info', data: { session_id: this.id, agent_session_id: agentSessionId } });
    this.notice('warning', `${this.options.agentTitle} was started again and does not remember this conversation.`);
    this.setUp(setup);
  }

  /**
   * Another process has taken it up, or begun anew. What one that remembers says of its options holds, unless it would ask the
   * user less than before. @throws BackendError `optionRefused`
   */
  async restoreOptions(
    client: V1Client,
    before: readonly ConfigOption[],
    isRemembered: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const change = await this.setter.restore(client, before, isRemembered, signal);
    if (change !== undefined) this.notice('info', change);
  }

  /** The agent tells the history until the returned function is called. */
  startReplay(): () => void {
    this.mapping.startReplay();
    return () => this.tell(this.mapping.endReplay());
  }

  /** The agent tells a history that this session knows already, until the returned function is called. */
  mute(): () => void {
    this.isMuted = true;
    return () => {
      this.isMuted = false;
    };
  }

  notice(level: 'info' | 'warning', message: string): void {
    this.log.append({ event: 'notice', data: { session_id: this.id, level, message } });
  }

  // What the user says.

  prompt(input: PromptInput): Promise<{ requestId: string }> {
    if (this.ended.aborted)
      return Promise.reject(new BackendError('closed', 'This session is closed. Start a new one.'));
    if (this.turn) {
      const message = `${this.options.agentTitle} is still at work. Wait for it, or stop it first.`;
      return Promise.reject(new BackendError('busy', message));
    }
    const requestId = `${this.id}/${++this.turns}`;
    this.tell(this.mapping.startTurn(input.text, requestId));
    const abort = new AbortController();
    // Deferred, so that the turn is known when it starts to run.
    const done = Promise.resolve().then(() => this.runTurn(input, abort.signal));
    const turn: Turn = { abort, done };
    this.turn = turn;
    void done.finally(() => this.endOf(turn));
    return Promise.resolve({ requestId });
  }

  async cancel(): Promise<void> {
    const { turn } = this;
    if (!turn) return;
    const { agentTitle, cancelGraceMs, clock, host } = this.options;
    turn.abort.abort();
    this.approvals.withdrawAll();
    try {
      await withDeadline(clock, 'cancel', cancelGraceMs, () => turn.done);
    } catch {
      const reason = `${agentTitle} did not stop when asked to, so it was ended. The next prompt starts it again.`;
      this.tell(this.mapping.endTurn({ stopReason: 'interrupted' }));
      this.notice('warning', reason);
      this.endOf(turn);
      await host.kill(reason);
    }
  }

  approve(approvalId: string, option: string): Promise<void> {
    return Promise.resolve().then(() => this.approvals.answer(approvalId, option));
  }

  async setConfig(optionId: string, value: string | boolean): Promise<void> {
    const { host } = this.options;
    this.setter.check(optionId, value);
    try {
      const client = await host.connect(this, this.ended);
      await this.setter.set(client, optionId, value, this.ended);
    } catch (error) {
      throw await host.explain(error);
    }
  }

  async close(): Promise<void> {
    if (this.ended.aborted) return;
    const { turn } = this;
    this.end('The session was closed.');
    await this.terminals.close();
    // An agent that has been told to stop gets the chance to say so before its session goes away.
    if (turn)
      await withDeadline(this.options.clock, 'close', this.options.cancelGraceMs, () => turn.done).catch(
        () => undefined,
      );
    await this.options.host.forget(this);
  }

  /** The same at once, without telling the agent. */
  dispose(): void {
    if (this.ended.aborted) return;
    this.end('The session was closed.');
    this.terminals.closeNow();
    void this.options.host.forget(this);
  }

  private end(reason: string): void {
    this.life.abort();
    this.approvals.withdrawAll();
    this.turn?.abort.abort();
    this.terminalUpdates.dispose();
    this.permissions.dispose();
    this.tell(this.mapping.endTurn({ stopReason: 'cancelled' }));
    this.log.append({ event: 'session:end', data: { session_id: this.id, reason } });
    this.log.end();
  }

  /** Never rejects: whatever happens, the turn ends by an event. */
  private async runTurn(input: PromptInput, signal: AbortSignal): Promise<void> {
    try {
      const result = await this.send(input, signal);
      // Counted for a turn that was given up, too: the next one must not be charged with it.
      const end = turnEndOf(result, (counted) => this.usage.ofTurn(counted, this.options.traits().usageOf));
      if (this.isCurrent(signal)) this.tell(this.mapping.endTurn(end));
    } catch (error) {
      const { code, message, details } = await this.options.host.explain(error);
      // The answer of a turn that was given up may come when the next one is open.
      if (!this.isCurrent(signal)) return;
      if (signal.aborted) this.tell(this.mapping.endTurn({ stopReason: 'cancelled' }));
      else this.tell(this.mapping.failTurn(message, code, details));
    }
  }

  private isCurrent(signal: AbortSignal): boolean {
    return this.turn?.abort.signal === signal;
  }

  private async send(input: PromptInput, signal: AbortSignal): Promise<PromptResult> {
    const { host } = this.options;
    try {
      return await this.sendOnce(input, signal);
    } catch (error) {
      if (!isAuthRequired(error)) throw error;
      await host.signIn(error, signal);
    }
    return this.sendOnce(input, signal);
  }

  private async sendOnce(input: PromptInput, signal: AbortSignal): Promise<PromptResult> {
    const { editor, host, log } = this.options;
    const client = await host.connect(this, signal);
    const { promptCapabilities } = client.capabilities;
    const images = promptCapabilities?.image === true;
    const embeddedContext = promptCapabilities?.embeddedContext === true;
    const reminder = this.hasForgotten ? (input.reminder?.() ?? []) : [];
    const whole = { text: input.text, attachments: [...reminder, ...(input.attachments ?? [])] };
    const { blocks, notes } = await promptBlocks(whole, { images, embeddedContext }, editor);
    if (reminder.length > 0) this.notice('info', 'A summary of the conversation was sent along with your prompt.');
    for (const note of notes) this.notice('warning', note);
    signal.throwIfAborted();
    const cancel = (): void => {
      client.cancel(this.agentSessionId).catch((error: unknown) => log.debug(`Could not cancel: ${String(error)}`));
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const result = await client.prompt(this.agentSessionId, blocks);
      this.hasForgotten = false;
      return result;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  private endOf(turn: Turn): void {
    if (this.turn !== turn) return;
    this.turn = undefined;
    // A question of a turn that is over has nobody left to hear the answer.
    this.approvals.withdrawAll();
    for (const [kind, count] of this.mapping.ignored) {
      this.options.log.debug(`Updates that were not understood so far: ${kind} (${count})`);
    }
  }

  private tell(events: readonly SessionEvent[]): void {
    for (const event of events) this.log.append(event);
  }
}
