import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import type { SessionEvent, ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type CreateSessionOptions,
  type PromptInput,
} from '../../../session/common/sessionBackend';
import { Coalescer, withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import { withObservedWrites, type ObservedWrites } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { Approvals } from '../../common/approvals/approvals';
import { SessionEventMapper } from '../../common/session/sessionEventMapper';
import { turnEndOf } from '../../common/session/turnUsage';
import type { PermissionRequest, SessionSetupResult } from '../../common/session/agentMessages';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import { AgentUpdates } from './agentUpdates';
import { CallDecisions } from './callDecisions';
import { FileService } from './fileService';
import { OwnActionRecorder } from './ownActionRecorder';
import { PermissionService } from './permissionService';
import { PromptSender } from './promptSender';
import { SessionBinding } from './sessionBinding';
import { SessionConfig } from './sessionConfig';
import { SessionOutput } from './sessionOutput';
import { SessionToolCaller } from '../../common/sessionToolCaller';
import { stuckTurnNotice, type StuckTurns } from './stuckTurns';
import { TerminalService } from '../process/terminalService';
import type { SessionPeer, AgentClient } from '../connection/agentClient';
import type { ProcessUser } from '../connection/processUsers';
import type { ProtocolVersion } from '../connection/protocolRequests';

interface AcpSessionDeps {
  readonly agentId: string;
  readonly agent: AgentRequestRunner;
  readonly editor: EditorPort;
  readonly writes: ObservedWrites;
  /** Identifies the session in calls of the window's tools. The session owns it. */
  readonly toolCaller: SessionToolCaller;
  readonly stuckTurns: StuckTurns;
  readonly isFolder?: (path: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly standing: StandingPermissions;
  readonly env: Readonly<Record<string, string>>;
  /** Removes the user's keys from streamed text. They are already removed from complete texts. */
  readonly redactor?: SecretRedactor;
  /** Called when the session has ended, before the agent is notified. */
  readonly onDidEnd: () => void;
}

interface Turn {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

const terminalDelayMs = 100;
const maxTerminals = 8;

/** A session of an ACP agent. It outlives the agent's process: the next prompt resumes it in a new process. */
export class AcpSession implements BackendSession, SessionPeer, ProcessUser {
  readonly files: FileService;
  readonly terminals: TerminalService;
  private readonly mapper: SessionEventMapper;
  private readonly updates: AgentUpdates;
  readonly output: SessionOutput;
  private readonly approvals: Approvals;
  private readonly permissions: PermissionService;
  private readonly callDecisions: CallDecisions;
  private readonly sessionConfig: SessionConfig;
  private readonly binding: SessionBinding;
  private readonly promptSender: PromptSender;
  private readonly processUse: Disposable;
  private toolCaller: SessionToolCaller;
  private readonly terminalCoalescer: Coalescer;
  private readonly actions: OwnActionRecorder;
  private currentTurn: Turn | undefined;
  private turnCount = 0;
  /** How many updates the agent has sent, also dropped ones. After the first, loading again would repeat the history. */
  updateCount = 0;
  readonly holdBack = (): Disposable => this.deps.agent.connection.holdReading();
  readonly events: BackendSession['events'] = (options) => this.output.read(options);
  private readonly emit = (events: readonly SessionEvent[]): void => this.output.appendAll(events);
  private readonly lifetimeController = new AbortController();

  /** Without `client`, the session must be loaded first. */
  constructor(
    readonly id: string,
    creationParams: CreateSessionOptions,
    private readonly deps: AcpSessionDeps,
    client?: AgentClient,
  ) {
    const { agent, agentId, clock, editor, log, standing, writes } = deps;
    this.toolCaller = deps.toolCaller;
    this.mapper = new SessionEventMapper(id, clock, () => agent.traits.knownAs);
    this.updates = new AgentUpdates(this.mapper);
    this.output = new SessionOutput(id, deps.redactor);
    const { approvalTimeoutMs, cwd } = creationParams;
    const onApproval = (event: SessionEvent): void => this.output.append(this.mapper.recordApprovalRequest(event));
    const approvals = (this.approvals = new Approvals(id, clock, approvalTimeoutMs, onApproval));
    const actions = (this.actions = new OwnActionRecorder({ clock, mapper: this.mapper, emit: this.emit, cwd }));
    const onDidChange = (): void => this.output.append(this.mapper.configEvent());
    const onCommands = (commands: readonly SlashCommand[]): void => this.emit(this.mapper.mapCommands(commands));
    const { config } = this.mapper;
    this.sessionConfig = new SessionConfig({ config, agent, owner: this, onDidChange, onCommands });
    const replaceToolCaller = (): void => {
      this.toolCaller.end();
      this.toolCaller = new SessionToolCaller();
      this.toolCaller.attach({ permissions, stopSignal, writes, actions });
    };
    const bindingDeps = {
      id,
      folders: creationParams,
      agent,
      peer: this,
      toolCaller: () => this.toolCaller,
      replaceToolCaller,
      config: this.sessionConfig,
      events: this.output,
      updateCount: () => this.updateCount,
      log,
    };
    this.binding = new SessionBinding(bindingDeps, client);
    this.promptSender = new PromptSender({
      agent,
      binding: this.binding,
      editor,
      log,
      notify: (level, message) => this.output.notify(level, message),
      onEnd: (result, signal) => this.endTurn(turnEndOf(result), signal),
    });
    const modeName = () => this.mapper.config.modeName;
    const isStopped = () => this.endSignal.aborted || this.binding.isAbandoned;
    const stopSignal = () => (isStopped() ? AbortSignal.abort() : this.currentTurn?.controller.signal);
    const about = { agentId, agentTitle: agent.title, cwd, modeName, stopSignal };
    const permissions = (this.permissions = new PermissionService({ ...about, approvals, standing, log }));
    this.callDecisions = new CallDecisions({
      ...about,
      editor,
      mapper: this.mapper,
      permissions,
      warn: (message) => this.output.notify('warning', message),
      turnSignal: () => this.currentTurn?.controller.signal,
      isEnded: () => this.endSignal.aborted,
    });
    this.toolCaller.attach({ permissions, stopSignal, writes, actions });
    this.files = new FileService(withObservedWrites(editor, writes), {
      missingFile: () => agent.traits.missingFileReadsAs,
      permissions,
      protectionOf: (...changed) => editor.protectionOf(...changed),
      onDidWrite: (path) => actions.recordWrite(path),
    });
    this.terminals = new TerminalService({
      ...deps,
      cwd,
      maxTerminals,
      authorize: (request, signal) => permissions.mayStart(request, signal),
      onDidStart: (terminalId, command) => actions.startCommand(terminalId, command),
      onDidChange: (terminalId, view) => {
        this.mapper.setClientTerminal(terminalId, view);
        actions.updateCommand(terminalId, view);
        this.emit(this.mapper.takeTerminalUpdates());
      },
      onDidEnd: () => agent.users.handleChange(),
    });
    this.terminalCoalescer = new Coalescer(clock, terminalDelayMs, () => this.emit(this.mapper.takeTerminalUpdates()));
    this.processUse = agent.users.add(this);
    this.output.append({ event: 'session:start', data: { session_id: id } });
  }

  /** The agent's id of the session. It changes when the session is recreated. */
  get agentSessionId(): string {
    return this.binding.agentSessionId;
  }

  get isBusy(): boolean {
    return this.currentTurn !== undefined;
  }

  get isWorking(): boolean {
    const isPrompting = this.isBusy && !this.promptSender.isWaitingForSignIn;
    return isPrompting || this.updates.isWorking || this.terminals.hasRunningCommands;
  }

  get name(): string | undefined {
    return this.mapper.promptTitle;
  }

  get isRemembered(): boolean {
    return this.turnCount > 0 && this.binding.isAttached;
  }

  get config(): readonly ConfigOption[] {
    return this.sessionConfig.options;
  }

  get commands(): readonly SlashCommand[] {
    return this.mapper.commands;
  }

  handleUpdate(update: { readonly sessionUpdate: string }, version: ProtocolVersion, subagentId?: string): void {
    this.updateCount++;
    if (this.binding.shouldDropUpdates) return;
    const { isWorking: wasWorking } = this.updates;
    this.emit(this.updates.mapUpdate(update, version, subagentId));
    this.callDecisions.checkForChanges();
    if (wasWorking && !this.updates.isWorking) this.deps.agent.users.handleChange();
    if (this.mapper.hasPendingTerminalUpdates) this.terminalCoalescer.schedule();
  }

  async requestPermission(asked: PermissionRequest, signal: AbortSignal) {
    const request = this.updates.toSessionRequest(asked);
    this.emit(this.mapper.mapPermissionRequest(request));
    this.callDecisions.checkForChanges();
    return await this.callDecisions.decide(request, signal);
  }

  handleDisconnect(): void {
    this.binding.markProcessLost();
    this.updates.markIdle();
    this.approvals.withdrawAll();
    this.permissions.clearAgentGrants();
    void this.terminals.endAll();
  }

  applySetup(setup: SessionSetupResult): void {
    this.sessionConfig.applySetup(setup);
  }

  /** Loads the session. Updates that arrive before the result are its history. @throws the agent's error */
  async load(...request: Parameters<SessionBinding['load']>): Promise<void> {
    this.mapper.startReplay();
    const loaded = this.binding.load(...request);
    this.applySetup(await loaded.finally(() => this.emit(this.mapper.endReplay(this.updates.isWorking))));
  }

  sendPrompt(input: PromptInput): Promise<{ requestId: string }> {
    if (this.endSignal.aborted)
      return Promise.reject(new BackendError('closed', 'This session is closed. Start a new one.'));
    if (this.currentTurn) {
      const message = `${this.deps.agent.title} is still working. Wait for it, or stop it first.`;
      return Promise.reject(new BackendError('busy', message));
    }
    const requestId = `${this.id}/${++this.turnCount}`;
    this.emitTurnBoundary(this.mapper.startTurn(input.text, requestId));
    const abort = new AbortController();
    // The turn starts asynchronously, so that `currentTurn` is set before.
    const done = Promise.resolve().then(() => this.runTurn(input, abort.signal));
    const turn: Turn = { controller: abort, done };
    this.currentTurn = turn;
    void done.finally(() => this.clearTurn(turn));
    return Promise.resolve({ requestId });
  }

  async interrupt(): Promise<void> {
    const { currentTurn: turn } = this;
    turn?.controller.abort();
    this.approvals.withdrawAll();
    await turn?.done.catch(() => undefined);
  }

  async cancel(): Promise<void> {
    const { currentTurn: turn } = this;
    if (!turn) return;
    const { agent, clock } = this.deps;
    try {
      await withDeadline(clock, 'cancel', agent.limits.cancelGraceMs, () => this.interrupt());
    } catch {
      await this.endStuckTurn(turn);
    }
  }

  answerApproval(approvalId: string, option: string): Promise<void> {
    return Promise.resolve().then(() => this.approvals.answer(approvalId, option));
  }

  async setConfig(optionId: string, value: string | boolean): Promise<void> {
    this.sessionConfig.requireValidOption(optionId, value);
    const { connection, limits, users } = this.deps.agent;
    const change = async (): Promise<void> => {
      const attached = await this.binding.ensureAttached(this.endSignal);
      await this.sessionConfig.setOption(attached, optionId, value, this.endSignal);
    };
    await users.during(change, { owner: this, patienceMs: limits.cancelGraceMs }).catch(async (error: unknown) => {
      throw await connection.toBackendError(error);
    });
  }

  async close(): Promise<void> {
    if (this.endSignal.aborted) return;
    const { currentTurn: turn } = this;
    const { agent, clock } = this.deps;
    this.endSession('The session was closed.');
    await this.terminals.close();
    // A cancelled turn gets some time to end before its session is closed.
    if (turn) await withDeadline(clock, 'close', agent.limits.cancelGraceMs, () => turn.done).catch(() => undefined);
    await this.detach();
  }

  /** Closes immediately, without waiting for the agent. */
  dispose(): void {
    if (this.endSignal.aborted) return;
    this.endSession('The session was closed.');
    this.terminals.closeNow();
    void this.detach();
  }

  private get endSignal(): AbortSignal {
    return this.lifetimeController.signal;
  }

  private detach(): Promise<void> {
    this.processUse.dispose();
    this.deps.onDidEnd();
    return this.binding.close();
  }

  private async endStuckTurn(turn: Turn): Promise<void> {
    const { agent, stuckTurns } = this.deps;
    this.emit(this.mapper.endTurn({ stopReason: 'interrupted' }));
    this.clearTurn(turn);
    const measure = stuckTurns.measureFor(this);
    const notice = stuckTurnNotice(measure, agent.title);
    this.output.notify('warning', notice);
    if (measure === 'endProcess') {
      await agent.stop(notice);
      return;
    }
    this.binding.abandon(turn.done);
    this.updates.markIdle();
    stuckTurns.abandon(turn.done);
    await this.terminals.endAll();
  }

  private endSession(reason: string): void {
    this.lifetimeController.abort();
    this.currentTurn?.controller.abort();
    this.terminalCoalescer.dispose();
    this.actions.dispose();
    this.permissions.dispose();
    this.toolCaller.end();
    this.emitTurnBoundary(this.mapper.endTurn({ stopReason: 'cancelled' }));
    this.output.append({ event: 'session:end', data: { session_id: this.id, reason } });
    this.output.end();
  }

  /** Runs a turn to its end. Never rejects; failures become events. */
  private async runTurn(input: PromptInput, signal: AbortSignal): Promise<void> {
    const { agent } = this.deps;
    try {
      const { counts, stopReason, unknownReason } = await this.promptSender.send(input, signal);
      // The usage of a detached turn is also counted, so that the next turn does not include it.
      const usage = counts && this.binding.usage.usageOfTurn(counts, agent.traits.usageScope);
      this.endTurn({ stopReason, unknownReason, ...(usage ? { usage } : {}) }, signal);
    } catch (error) {
      const { code, message, details } = await agent.explainAndRecordRefusal(error, 'prompt');
      // The answer of a detached turn may arrive during the next turn and is ignored.
      if (!this.isCurrent(signal)) return;
      if (signal.aborted) this.emitTurnBoundary(this.mapper.endTurn({ stopReason: 'cancelled' }));
      else this.emitTurnBoundary(this.mapper.failTurn(message, code, details));
    }
  }

  /** Does nothing if the turn was abandoned, or has ended already. */
  private endTurn(end: Parameters<SessionEventMapper['endTurn']>[0], signal: AbortSignal): void {
    const { currentTurn: turn } = this;
    if (!turn || !this.isCurrent(signal)) return;
    // Listeners of the last event may send the next prompt.
    this.clearTurn(turn);
    this.emitTurnBoundary(this.mapper.endTurn(end));
  }

  /** Emits the start or end of a turn. Withdraws its approvals, because nothing waits for their answers any more. */
  private emitTurnBoundary(events: readonly SessionEvent[]): void {
    this.approvals.withdrawAll();
    this.emit(events);
  }

  private isCurrent(signal: AbortSignal): boolean {
    return this.currentTurn?.controller.signal === signal;
  }

  private clearTurn(turn: Turn): void {
    if (this.currentTurn !== turn) return;
    this.currentTurn = undefined;
    this.callDecisions.endTurn();
    this.deps.agent.users.handleChange();
    for (const [kind, count] of this.mapper.ignoredUpdateCounts) {
      this.deps.log.debug(`Updates that were not understood so far: ${kind} (${count})`);
    }
  }
}
