import { setImmediate } from 'node:timers/promises';
import { DeltaRedactor } from '../../../session/common/redaction/deltaRedactor';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
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
import { withObservedWrites, type ObservedWrites } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import { Approvals } from '../../common/approvals/approvals';
import { SessionEventMapper } from '../../common/session/sessionEventMapper';
import { turnEndOf } from '../../common/session/turnUsage';
import { requestedCallOf } from '../../common/approvals/requestedCall';
import { toToolRequest } from '../../common/approvals/toolRequests';
import type { PermissionRequest, SessionSetupResult, TurnResult } from '../../common/session/agentMessages';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { ConnectedAgent } from '../v1/agentConnection';
import { AgentUpdates } from './agentUpdates';
import { FileService } from '../v1/fileService';
import { PermissionService } from './permissionService';
import { toPromptBlocks } from './promptBlocks';
import { SessionBinding } from './sessionBinding';
import { SessionConfig } from './sessionConfig';
import type { SessionToolCaller } from '../../common/sessionToolCaller';
import { TerminalService } from '../process/terminalService';
import type { SessionPeer, AgentClient } from '../connection/agentClient';
import type { ProtocolVersion } from '../connection/protocolRequests';
import { isAuthRequired } from '../connection/agentErrors';

interface AcpSessionDeps {
  readonly agentId: string;
  readonly agent: AgentRequestRunner;
  readonly editor: EditorPort;
  readonly writes: ObservedWrites;
  readonly toolCaller: SessionToolCaller;
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
/** How often one prompt waits for the user to sign in. */
const maxSignIns = 5;

/** A session of an ACP agent. It outlives the agent's process: the next prompt resumes it in a new process. */
export class AcpSession implements BackendSession, SessionPeer {
  readonly files: FileService;
  readonly terminals: TerminalService;
  private readonly mapper: SessionEventMapper;
  private readonly updates: AgentUpdates;
  private readonly eventLog: EventLog;
  private readonly deltaRedactor: DeltaRedactor | undefined;
  private readonly approvals: Approvals;
  private readonly permissions: PermissionService;
  private readonly sessionConfig: SessionConfig;
  private readonly binding: SessionBinding;
  private readonly terminalCoalescer: Coalescer;
  private currentTurn: Turn | undefined;
  private turnCount = 0;
  private readonly lifetimeController = new AbortController();

  /** Without `client`, the session must be loaded first. */
  constructor(
    readonly id: string,
    private readonly creationParams: CreateSessionOptions,
    private readonly deps: AcpSessionDeps,
    client?: AgentClient,
  ) {
    const { agent, agentId, clock, editor, log, standing, toolCaller, writes } = deps;
    this.mapper = new SessionEventMapper(id, clock, () => agent.traits.knownAs);
    this.updates = new AgentUpdates(this.mapper);
    this.eventLog = new EventLog(() => setImmediate());
    this.deltaRedactor = deps.redactor && new DeltaRedactor(deps.redactor, (event) => this.eventLog.append(event));
    this.approvals = new Approvals(id, clock, creationParams.approvalTimeoutMs, (event) =>
      this.appendRedacted(this.mapper.recordApprovalRequest(event)),
    );
    const { cwd } = creationParams;
    const onDidChange = (): void => this.appendRedacted(this.mapper.configEvent());
    const onCommands = (commands: readonly SlashCommand[]): void => this.emit(this.mapper.mapCommands(commands));
    this.sessionConfig = new SessionConfig({ config: this.mapper.config, agent, onDidChange, onCommands });
    const bindingDeps = {
      id,
      folders: creationParams,
      agent,
      peer: this,
      toolCaller,
      config: this.sessionConfig,
      events: this.eventLog,
      log,
    };
    this.binding = new SessionBinding(bindingDeps, client);
    const modeName = () => this.mapper.config.modeName;
    const stopSignal = () => (this.endSignal.aborted ? AbortSignal.abort() : this.currentTurn?.controller.signal);
    const permissionDeps = {
      agentId,
      agentTitle: agent.title,
      cwd,
      approvals: this.approvals,
      standing,
      log,
      modeName,
      stopSignal,
    };
    const permissions = (this.permissions = new PermissionService(permissionDeps));
    toolCaller.attach({ permissions, stopSignal, writes });
    this.files = new FileService(withObservedWrites(editor, writes), {
      missingFile: () => agent.traits.missingFileReadsAs,
      permissions,
      protectionOf: (...changed) => editor.protectionOf(...changed),
    });
    this.terminals = new TerminalService({
      ...deps,
      cwd,
      maxTerminals,
      authorize: (request, signal) => permissions.mayRun(request, signal),
      onDidChange: (terminalId, view) => {
        this.mapper.setClientTerminal(terminalId, view);
        this.emit(this.mapper.takeTerminalUpdates());
      },
    });
    this.terminalCoalescer = new Coalescer(clock, terminalDelayMs, () => this.emit(this.mapper.takeTerminalUpdates()));
    this.appendRedacted({ event: 'session:start', data: { session_id: id } });
  }

  /** The agent's id of the session. It changes when the session is recreated. */
  get agentSessionId(): string {
    return this.binding.agentSessionId;
  }

  get isBusy(): boolean {
    return this.currentTurn !== undefined;
  }

  get config(): readonly ConfigOption[] {
    return this.sessionConfig.options;
  }

  get commands(): readonly SlashCommand[] {
    return this.mapper.commands;
  }

  events(options?: { afterSequence?: number; signal?: AbortSignal }): AsyncIterable<SequencedEvent> {
    return this.eventLog.read(options);
  }

  handleUpdate(update: { readonly sessionUpdate: string }, version: ProtocolVersion, subagentId?: string): void {
    if (this.binding.shouldDropUpdates) return;
    this.emit(this.updates.mapUpdate(update, version, subagentId));
    if (this.mapper.hasPendingTerminalUpdates) this.terminalCoalescer.schedule();
  }

  async requestPermission(asked: PermissionRequest, signal: AbortSignal) {
    const request = this.updates.toSessionRequest(asked);
    this.emit(this.mapper.mapPermissionRequest(request));
    const { agentId, editor } = this.deps;
    const call = requestedCallOf(request, this.mapper);
    if (!call || this.endSignal.aborted || this.currentTurn?.controller.signal.aborted)
      return { outcome: 'cancelled' as const };
    const toolRequested = await toToolRequest(call, {
      agent: agentId,
      cwd: this.creationParams.cwd,
      resolve: (path) => editor.realPathOf(path),
      protectionOf: (path) => editor.protectionOf(path),
    });
    // The turn may have been cancelled in the meantime, and all requests with it.
    const turnSignal = this.currentTurn?.controller.signal;
    return this.permissions.decideToolCall(
      request,
      call,
      toolRequested,
      turnSignal ? AbortSignal.any([signal, turnSignal]) : signal,
    );
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
  async load(connectedAgent: ConnectedAgent, method: 'load' | 'resume', signal: AbortSignal): Promise<void> {
    this.mapper.startReplay();
    const loaded = this.binding.load(connectedAgent, method, signal);
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
      const reason = `${agent.title} did not stop when asked and was ended. The next prompt restarts it.`;
      this.emit(this.mapper.endTurn({ stopReason: 'interrupted' }));
      this.emitNotice('warning', reason);
      this.clearTurn(turn);
      await agent.stop(reason);
    }
  }

  answerApproval(approvalId: string, option: string): Promise<void> {
    return Promise.resolve().then(() => this.approvals.answer(approvalId, option));
  }

  async setConfig(optionId: string, value: string | boolean): Promise<void> {
    this.sessionConfig.requireValidOption(optionId, value);
    try {
      const attached = await this.binding.ensureAttached(this.endSignal);
      await this.sessionConfig.setOption(attached, optionId, value, this.endSignal);
    } catch (error) {
      throw await this.deps.agent.connection.toBackendError(error);
    }
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
    this.deps.onDidEnd();
    return this.binding.close();
  }

  private endSession(reason: string): void {
    this.lifetimeController.abort();
    this.currentTurn?.controller.abort();
    this.terminalCoalescer.dispose();
    this.permissions.dispose();
    this.deps.toolCaller.end();
    this.emitTurnBoundary(this.mapper.endTurn({ stopReason: 'cancelled' }));
    this.appendRedacted({ event: 'session:end', data: { session_id: this.id, reason } });
    this.eventLog.end();
  }

  /** Runs a turn to its end. Never rejects; failures become events. */
  private async runTurn(input: PromptInput, signal: AbortSignal): Promise<void> {
    const { agent } = this.deps;
    try {
      const { counts, stopReason } = await this.promptAgentWithSignIn(input, signal);
      // The usage of a detached turn is also counted, so that the next turn does not include it.
      const usage = counts && this.binding.usage.usageOfTurn(counts, agent.traits.usageScope);
      this.endTurn({ stopReason, ...(usage ? { usage } : {}) }, signal);
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

  private async promptAgentWithSignIn(input: PromptInput, signal: AbortSignal): Promise<TurnResult> {
    const { signIn } = this.deps.agent;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.promptAgentOnce(input, signal);
        signIn.recordAccepted('prompt');
        return result;
      } catch (error) {
        if (!isAuthRequired(error) || attempt === maxSignIns || signIn.methods.length === 0) throw error;
        await signIn.waitForSignIn(error, signal, 'prompt');
      }
    }
  }

  private async promptAgentOnce(input: PromptInput, signal: AbortSignal): Promise<TurnResult> {
    const { editor, log } = this.deps;
    const { agentSessionId, client, hasForgotten } = await this.binding.ensureAttached(signal);
    const { embeddedContext, images } = client.abilities;
    const reminder = hasForgotten ? (input.reminder?.() ?? []) : [];
    const whole = { text: input.text, attachments: [...reminder, ...(input.attachments ?? [])] };
    const { blocks, notes } = await toPromptBlocks(whole, { images, embeddedContext }, editor);
    if (reminder.length > 0) this.emitNotice('info', 'A summary of the conversation was sent with your prompt.');
    for (const note of notes) this.emitNotice('warning', note);
    signal.throwIfAborted();
    const cancel = (): void => {
      client.cancel(agentSessionId).catch((error: unknown) => log.debug(`Could not cancel: ${String(error)}`));
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const result = await client.prompt(agentSessionId, blocks, (end) => this.endTurn(turnEndOf(end), signal));
      this.binding.markReminded();
      return result;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  private clearTurn(turn: Turn): void {
    if (this.currentTurn !== turn) return;
    this.currentTurn = undefined;
    for (const [kind, count] of this.mapper.ignoredUpdateCounts) {
      this.deps.log.debug(`Updates that were not understood so far: ${kind} (${count})`);
    }
  }

  private emitNotice(level: 'info' | 'warning', message: string): void {
    this.appendRedacted({ event: 'notice', data: { session_id: this.id, level, message } });
  }

  private emit(events: readonly SessionEvent[]): void {
    for (const event of events) this.appendRedacted(event);
  }

  private appendRedacted(event: SessionEvent): void {
    if (this.deltaRedactor && this.deps.redactor?.isEmpty === false) this.deltaRedactor.emitRedacted(event);
    else this.eventLog.append(event);
  }
}
