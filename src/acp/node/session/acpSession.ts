import { setImmediate } from 'node:timers/promises';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import type { SessionEvent, ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type CreateSessionOptions,
  type PromptInput,
} from '../../../session/common/sessionBackend';
import { SessionEngine } from '../../../session/common/engine/sessionEngine';
import { endsBySilence } from '../../../session/common/engine/turnState';
import { whenTurnEnds, type SessionTurn } from '../../../session/common/sessionTurn';
import { Coalescer, withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import { withObservedWrites, type ObservedWrites } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { SessionEventMapper } from '../../common/session/sessionEventMapper';
import { turnEndOf } from '../../common/session/turnUsage';
import type { PermissionRequest, SessionSetupResult } from '../../common/session/agentMessages';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import { AgentUpdates } from './agentUpdates';
import { CallDecisions } from './callDecisions';
import { CallStopper } from './callStopper';
import { FileService } from './fileService';
import { OwnActionRecorder } from './ownActionRecorder';
import { PermissionService } from './permissionService';
import { PromptSender } from './promptSender';
import { SessionBinding } from './sessionBinding';
import { SessionConfig } from './sessionConfig';
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

const terminalDelayMs = 100;
const maxTerminals = 8;

/** A session of an ACP agent. It outlives the agent's process: the next prompt resumes it in a new process. */
export class AcpSession implements BackendSession, SessionPeer, ProcessUser {
  readonly files: FileService;
  readonly terminals: TerminalService;
  private readonly mapper: SessionEventMapper;
  private readonly updates: AgentUpdates;
  private readonly engine: SessionEngine;
  private readonly permissions: PermissionService;
  private readonly callDecisions: CallDecisions;
  private readonly callStopper: CallStopper;
  private readonly sessionConfig: SessionConfig;
  private readonly binding: SessionBinding;
  private readonly promptSender: PromptSender;
  private readonly processUse: Disposable;
  private toolCaller: SessionToolCaller;
  private readonly terminalCoalescer: Coalescer;
  private readonly actions: OwnActionRecorder;
  private turnCount = 0;
  /** How many updates the agent has sent, also dropped ones. After the first, loading again would repeat the history. */
  updateCount = 0;
  readonly holdBack = (): Disposable => this.deps.agent.connection.holdReading();
  readonly events: BackendSession['events'] = (options) => this.engine.events(options);
  readonly onDidChangeTurn: BackendSession['onDidChangeTurn'] = (listener) => this.engine.onDidChangeTurn(listener);
  readonly notify: SessionEngine['notify'] = (level, message) => this.engine.notify(level, message);
  readonly stopCall: NonNullable<BackendSession['stopCall']> = (callId) => this.callStopper.stop(callId);
  private readonly emit = (events: readonly SessionEvent[]): void => this.engine.report(events);
  private readonly lifetimeController = new AbortController();
  private readonly endSignal = this.lifetimeController.signal;

  /** Without `client`, the session must be loaded first. */
  constructor(
    readonly id: string,
    creationParams: CreateSessionOptions,
    private readonly deps: AcpSessionDeps,
    client?: AgentClient,
  ) {
    const { agent, agentId, clock, editor, log, standing, writes } = deps;
    this.toolCaller = deps.toolCaller;
    const { approvalTimeoutMs, cwd, isReadOnly, limits } = creationParams;
    const engine = (this.engine = new SessionEngine({
      ...{ id, clock, log, approvalTimeoutMs, redactor: deps.redactor, yieldToOthers: () => setImmediate() },
      onAsk: () => this.mapper.recordAskedAction(),
      onOwnTurnEnd: () => this.handleOwnTurnEnd(),
      hasOpenCalls: () => this.mapper.hasOpenCalls,
      onSilence: () => this.endUnreportedTurn('end_turn'),
      onDidReport: () => this.callStopper.check(),
    }));
    const { approvals, turns } = engine;
    this.onDidChangeTurn(() => agent.users.handleChange());
    this.mapper = new SessionEventMapper(id, clock, () => agent.traits.knownAs, turns);
    this.updates = new AgentUpdates(this.mapper, () => this.agentSessionId);
    const actions = (this.actions = new OwnActionRecorder({ clock, mapper: this.mapper, emit: this.emit, cwd }));
    const onDidChange = (): void => this.emit([this.mapper.configEvent()]);
    const onCommands = (commands: readonly SlashCommand[]): void => this.emit(this.mapper.mapCommands(commands));
    this.sessionConfig = new SessionConfig({
      ...{ config: this.mapper.config, agent, owner: this, onDidChange, onCommands, isReadOnly },
    });
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
      emit: this.emit,
      updateCount: () => this.updateCount,
      log,
    };
    this.binding = new SessionBinding(bindingDeps, client);
    this.promptSender = new PromptSender({
      ...{ agent, binding: this.binding, config: this.sessionConfig, editor, log, notify: this.notify, owner: this },
      updates: this.updates,
      onEnd: (result, signal) => this.endTurn(turnEndOf(result), signal),
    });
    const modeName = () => this.mapper.config.modeName;
    const isStopped = () => this.endSignal.aborted || this.binding.isAbandoned || turns.state.isStopped;
    const stopSignal = () => (isStopped() ? AbortSignal.abort() : turns.signal);
    const about = { agentId, agentTitle: agent.title, cwd, modeName, stopSignal, isReadOnly };
    const permissions = (this.permissions = new PermissionService({ ...about, approvals, standing, limits, log }));
    this.callDecisions = new CallDecisions({
      ...about,
      editor,
      mapper: this.mapper,
      permissions,
      warn: (message) => this.notify('warning', message),
      turnSignal: () => turns.signal,
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
    const { binding, mapper, terminals, updates } = this;
    this.callStopper = new CallStopper({ agent, binding, clock, mapper, terminals, updates });
    this.terminalCoalescer = new Coalescer(clock, terminalDelayMs, () => this.emit(this.mapper.takeTerminalUpdates()));
    this.processUse = agent.users.add(this);
  }

  /** The agent's id of the session. It changes when the session is recreated. */
  get agentSessionId(): string {
    return this.binding.agentSessionId;
  }

  get turn(): SessionTurn {
    return this.engine.turn;
  }

  get isWorking(): boolean {
    const isInTurn = this.turn !== 'none' && !this.promptSender.isWaitingForSignIn;
    return isInTurn || this.engine.turns.state.isAgentWorking || this.terminals.hasRunningCommands;
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
    this.emit(this.updates.mapUpdate(update, version, subagentId));
    this.callDecisions.checkForChanges();
    if (this.mapper.hasPendingTerminalUpdates) this.terminalCoalescer.schedule();
  }

  async requestPermission(asked: PermissionRequest, signal: AbortSignal) {
    const request = this.updates.toSessionRequest(asked);
    this.emit(this.mapper.mapPermissionRequest(request));
    this.callDecisions.checkForChanges();
    return await this.callStopper.during(asked.sessionId, signal, (live) => this.callDecisions.decide(request, live));
  }

  handleDisconnect(): void {
    this.binding.markProcessLost();
    this.engine.reportBoundary(this.updates.markIdle());
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
    this.applySetup(
      await loaded.finally(() => this.emit(this.mapper.endReplay(this.engine.turns.state.isAgentWorking))),
    );
  }

  sendPrompt(input: PromptInput): Promise<{ requestId: string }> {
    if (this.endSignal.aborted)
      return Promise.reject(new BackendError('closed', 'This session is closed. Start a new one.'));
    if (this.turn === 'own') {
      const message = `${this.deps.agent.title} is still working. Wait for it, or stop it first.`;
      return Promise.reject(new BackendError('busy', message));
    }
    const requestId = `${this.id}/${++this.turnCount}`;
    const events = this.mapper.startTurn(input.text, requestId);
    this.engine.turns.startWork((signal) => this.runTurn(input, signal));
    this.engine.reportBoundary(events);
    return Promise.resolve({ requestId });
  }

  get steer(): BackendSession['steer'] {
    return this.promptSender.steer;
  }

  async interrupt(): Promise<void> {
    const { approvals, turns } = this.engine;
    const { done } = turns;
    turns.abort();
    approvals.withdrawAll();
    await done;
  }

  async cancel(): Promise<void> {
    const { agent, clock } = this.deps;
    const { done, signal } = this.engine.turns;
    const interrupt = (): Promise<void> => (done ? this.interrupt() : this.interruptOthers());
    try {
      await withDeadline(clock, 'cancel', agent.limits.cancelGraceMs, interrupt);
    } catch {
      if (done) await this.endStuckTurn(done, signal);
      else if (this.turn !== 'own') this.endStuckTurnOfOthers();
    }
  }

  answerApproval(approvalId: string, option: string): Promise<void> {
    return this.engine.answerApproval(approvalId, option);
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
    const { done } = this.engine.turns;
    const { agent, clock } = this.deps;
    this.endSession('The session was closed.');
    await this.terminals.close();
    // A cancelled turn gets some time to end before its session is closed.
    if (done) await withDeadline(clock, 'close', agent.limits.cancelGraceMs, () => done).catch(() => undefined);
    await this.detach();
  }

  /** Closes immediately, without waiting for the agent. */
  dispose(): void {
    if (this.endSignal.aborted) return;
    this.endSession('The session was closed.');
    this.terminals.closeNow();
    void this.detach();
  }

  private detach(): Promise<void> {
    this.processUse.dispose();
    this.deps.onDidEnd();
    return this.binding.close();
  }

  /** Asks the agent to end a turn that no prompt of this session began. Resolves when it has ended. */
  private async interruptOthers(): Promise<void> {
    if (this.turn === 'none') return;
    const { approvals, turns } = this.engine;
    turns.apply({ type: 'stopped' });
    approvals.withdrawAll();
    await this.binding.cancelTurnOfOthers();
    this.endUnreportedTurn('cancelled');
    await whenTurnEnds(this);
  }

  /** Ends a turn whose end the agent will not report. What follows begins another one. */
  private endUnreportedTurn(stopReason: 'end_turn' | 'cancelled'): void {
    if (!endsBySilence(this.engine.turns.state)) return;
    this.engine.reportBoundary(this.mapper.endTurnOfOthers({ stopReason }));
  }

  private endStuckTurnOfOthers(): void {
    this.engine.reportBoundary(this.updates.markIdle());
    this.notify('warning', `${this.deps.agent.title} did not stop when asked. It may continue the stopped work.`);
  }

  private async endStuckTurn(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { agent, stuckTurns } = this.deps;
    if (!this.engine.turns.isOpen(signal)) return;
    this.emit(this.mapper.endTurn({ stopReason: 'interrupted' }));
    const measure = stuckTurns.measureFor(this);
    const notice = stuckTurnNotice(measure, agent.title);
    this.notify('warning', notice);
    if (measure === 'endProcess') {
      await agent.stop(notice);
      return;
    }
    this.binding.abandon(done);
    this.emit(this.updates.markIdle());
    stuckTurns.abandon(done);
    await this.terminals.endAll();
  }

  private endSession(reason: string): void {
    this.lifetimeController.abort();
    this.engine.turns.abort();
    this.terminalCoalescer.dispose();
    this.actions.dispose();
    this.permissions.dispose();
    this.toolCaller.end();
    this.engine.end(this.mapper.endTurn({ stopReason: 'cancelled' }), reason);
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
      if (!this.engine.turns.isOpen(signal)) return;
      if (signal.aborted) this.engine.reportBoundary(this.mapper.endTurn({ stopReason: 'cancelled' }));
      else this.engine.reportBoundary(this.mapper.failTurn(message, code, details));
    }
  }

  private endTurn(end: Parameters<SessionEventMapper['endTurn']>[0], signal: AbortSignal): void {
    if (this.engine.turns.isOpen(signal)) this.engine.reportBoundary(this.mapper.endTurn(end));
  }

  private handleOwnTurnEnd(): void {
    this.callDecisions.endTurn();
    this.updates.logIgnored(this.deps.log);
  }
}
