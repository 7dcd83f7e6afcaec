import type { SessionEvent } from '../../../session/common/sessionEvents';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import {
  shouldDropUpdates,
  nextBindingState,
  restoreMethodOf,
  type AttachedState,
  type BindingState,
  type BindingEvent,
  type HistoryKnowledge,
} from '../../common/session/bindingState';
import { TurnUsage } from '../../common/session/turnUsage';
import type { SessionToolCaller } from '../../common/sessionToolCaller';
import type { SessionSetupResult } from '../../common/session/agentMessages';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { ConnectedAgent } from '../connection/agentConnection';
import type { SessionConfig } from './sessionConfig';
import type { SessionPeer, AgentClient } from '../connection/agentClient';
import { isAuthRequired } from '../connection/agentErrors';
import type { WindowToolsOffer } from '../connection/windowToolsUse';
import { abandonedPeer } from './abandonedPeer';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';

interface SessionBindingDeps {
  /** Backline's id of the session, which is initially also the agent's id. */
  readonly id: string;
  readonly folders: CreateSessionOptions;
  readonly agent: AgentRequestRunner;
  readonly peer: SessionPeer;
  readonly toolCaller: () => SessionToolCaller;
  /** Called before the session is recreated while the agent still works in the earlier one. */
  readonly replaceToolCaller: () => void;
  readonly config: SessionConfig;
  readonly emit: (events: readonly SessionEvent[]) => void;
  /** How many updates the agent has sent. While more arrive, such as those of a history, restoring does not time out. */
  readonly updateCount: () => number;
  readonly log: Logger;
}

const closeTimeoutMs = 2_000;

/** Connects a session to its agent's process. In a new process it is resumed, or recreated if the agent lost it. */
export class SessionBinding {
  /** Token usage per turn. The counts restart when the session moves to a new process. */
  readonly usage = new TurnUsage();
  private state: BindingState<AgentClient>;
  private lastAttachAttempt: Promise<unknown> = Promise.resolve();

  /** Without `client`, the session is not attached to a process yet. */
  constructor(
    private readonly deps: SessionBindingDeps,
    client?: AgentClient,
  ) {
    const fields = { agentSessionId: deps.id, hasForgotten: false };
    this.state = client ? { ...fields, kind: 'attached', client } : { ...fields, kind: 'detached' };
  }

  get agentSessionId(): string {
    return this.state.agentSessionId;
  }

  /** The connection to the process that has the session. */
  get client(): AgentClient | undefined {
    return this.state.kind === 'attached' ? this.state.client : undefined;
  }

  get shouldDropUpdates(): boolean {
    return shouldDropUpdates(this.state);
  }

  /** Attaches the session to the agent's process, and starts that if needed. @throws BackendError, agent's error */
  async ensureAttached(signal: AbortSignal): Promise<AttachedState<AgentClient>> {
    const live = await this.deps.agent.connection.connect(signal);
    const attached = this.lastAttachAttempt.then(() => this.attach(live, signal));
    this.lastAttachAttempt = attached.catch(() => undefined);
    return await rejectOnAbort(attached, signal);
  }

  /** Loads the session. The agent replays the history before the result resolves. @throws the agent's error */
  load(
    connectedAgent: ConnectedAgent,
    offer: WindowToolsOffer,
    method: 'load' | 'resume',
    signal: AbortSignal,
  ): Promise<SessionSetupResult> {
    const request = () => this.requestRestore(connectedAgent, offer, method, signal);
    return this.trackRestore(connectedAgent, 'unknown', request);
  }

  /** Call when the agent has answered a prompt in its session `agentSessionId`. */
  markReminded(agentSessionId: string): void {
    if (agentSessionId === this.agentSessionId) this.applyBindingEvent({ kind: 'reminded' });
  }

  markProcessLost(): void {
    this.applyBindingEvent({ kind: 'processLost' });
  }

  /** Whether the process remembers the session. */
  get isAttached(): boolean {
    return this.state.kind === 'attached';
  }

  /** Whether the agent still works on a stopped turn, and nothing has replaced its session yet. */
  get isAbandoned(): boolean {
    return this.state.kind === 'abandoned';
  }

  /** Leaves the agent's session alone until its turn, which was stopped, has `ended`. */
  abandon(ended: Promise<unknown>): void {
    if (this.state.kind !== 'attached') return;
    const { agentSessionId, client } = this.state;
    this.applyBindingEvent({ kind: 'abandoned' });
    client.attach(agentSessionId, abandonedPeer);
    void ended.then(() => {
      const { state } = this;
      // The session that has replaced it may have been left, too.
      const isCurrent = state.agentSessionId === agentSessionId;
      const isUnchanged = isCurrent && state.kind === 'abandoned' && state.client === client;
      if (client !== this.deps.agent.connection.connectedAgent?.client) {
        if (isUnchanged) this.markProcessLost();
      } else if (isUnchanged) {
        client.attach(agentSessionId, this.deps.peer);
        this.applyBindingEvent({ kind: 'freed' });
      } else if (!isCurrent) client.detach(agentSessionId);
      else if (state.kind === 'recreating' && state.client === client) this.applyBindingEvent({ kind: 'freed' });
    });
  }

  /** Where requests about running work go. Undefined without a process. */
  get attached(): AttachedState<AgentClient> | undefined {
    return this.state.kind === 'attached' ? this.state : undefined;
  }

  /** Asks the agent to stop what it does without a prompt of this session. Never rejects. */
  async cancelTurnOfOthers(): Promise<void> {
    if (this.state.kind !== 'attached') return;
    const { agentSessionId, client } = this.state;
    const { log } = this.deps;
    await client.cancel(agentSessionId, 'other').catch((error: unknown) => {
      log.debug(`Could not cancel: ${messageOf(error)}`);
    });
  }

  /** Ends the session and notifies the agent. Never rejects. */
  async close(): Promise<void> {
    const { agent, log, peer } = this.deps;
    const { state } = this;
    this.applyBindingEvent({ kind: 'close' });
    const isInProcess = state.kind === 'attached' || state.kind === 'abandoned';
    if (!isInProcess || state.client !== agent.connection.connectedAgent?.client) return;
    const { agentSessionId, client } = state;
    client.detach(agentSessionId);
    if (!client.abilities.close) return;
    const close = (): Promise<void> => client.closeSession(agentSessionId);
    await agent.requestWithTimeout('session/close', undefined, close, peer, closeTimeoutMs).catch((error: unknown) => {
      log.debug(`Could not close a session: ${messageOf(error)}`);
    });
  }

  private async attach(connectedAgent: ConnectedAgent, signal: AbortSignal): Promise<AttachedState<AgentClient>> {
    const { config } = this.deps;
    signal.throwIfAborted();
    if (this.state.kind === 'attached' && this.state.client === connectedAgent.client) return this.state;
    const before = config.options;
    const isStuck = this.state.kind === 'abandoned' && this.state.client === connectedAgent.client;
    if (isStuck) this.deps.replaceToolCaller();
    const isRemembered = !isStuck && (await this.tryRestore(connectedAgent, signal));
    if (!isRemembered) await this.recreateSession(signal, isStuck);
    const attached = this.requireAttached();
    const message = await config.restoreOptions(attached, before, isRemembered, signal);
    if (message !== undefined) this.notify('info', message);
    return attached;
  }

  /** Returns whether the agent could restore the session. */
  private async tryRestore(connectedAgent: ConnectedAgent, signal: AbortSignal): Promise<boolean> {
    const { agent, config, folders, log, peer, updateCount } = this.deps;
    const method = restoreMethodOf(connectedAgent.client.abilities, 'known');
    if (!method || !(await agent.mayRestore(this.agentSessionId, folders.cwd, signal))) return false;
    let lastUsed = connectedAgent;
    const restore = (live: ConnectedAgent, offer: WindowToolsOffer): Promise<SessionSetupResult> => {
      lastUsed = live;
      return this.trackRestore(live, 'known', () =>
        agent.requestWithTimeout(
          `session/${method}`,
          signal,
          (deadline) => this.requestRestore(live, offer, method, deadline),
          peer,
          undefined,
          updateCount,
        ),
      );
    };
    try {
      const { notice, opened: setup } = await agent.openSession(restore, signal, undefined, peer);
      config.applySetup(setup);
      if (notice !== undefined) this.notify('warning', notice);
      return true;
    } catch (error) {
      const isRefusal = !isAuthRequired(error) && !(error instanceof TimeoutError) && !signal.aborted;
      const isGone = agent.connection.connectedAgent !== lastUsed || this.state.kind === 'closed';
      if (!isRefusal || isGone) throw error;
      log.warn(`${agent.title} could not resume a session: ${messageOf(error)}`);
      return false;
    }
  }

  private async trackRestore(
    { client }: ConnectedAgent,
    history: HistoryKnowledge,
    request: () => Promise<SessionSetupResult>,
  ): Promise<SessionSetupResult> {
    this.applyBindingEvent({ kind: 'restoreRequested', client, history });
    try {
      const setup = await request();
      this.applyBindingEvent({ kind: 'restored', client });
      this.requireAttached();
      return setup;
    } catch (error) {
      client.detach(this.agentSessionId);
      this.applyBindingEvent({ kind: 'failed', client });
      throw error;
    }
  }

  private async requestRestore(
    connectedAgent: ConnectedAgent,
    offer: WindowToolsOffer,
    method: 'load' | 'resume',
    signal: AbortSignal,
  ): Promise<SessionSetupResult> {
    const { agent, folders, peer, toolCaller } = this.deps;
    const { client } = connectedAgent;
    const params = {
      ...(await agent.sessionParamsFor(connectedAgent, folders, toolCaller(), offer)),
      sessionId: this.agentSessionId,
    };
    signal.throwIfAborted();
    client.attach(params.sessionId, peer);
    return client.restoreSession(params, method === 'load', signal);
  }

  private async recreateSession(signal: AbortSignal, isStuck: boolean): Promise<void> {
    const { agent, peer } = this.deps;
    const create = (live: ConnectedAgent, offer: WindowToolsOffer): Promise<SessionPeer> =>
      this.requestNewSession(live, offer, signal, isStuck);
    const { notice } = await agent.openSession(create, signal, undefined, peer);
    if (notice !== undefined) this.notify('warning', notice);
  }

  private async requestNewSession(
    connectedAgent: ConnectedAgent,
    offer: WindowToolsOffer,
    signal: AbortSignal,
    isStuck: boolean,
  ): Promise<SessionPeer> {
    const { agent, folders, peer, toolCaller } = this.deps;
    const { client } = connectedAgent;
    const params = await agent.sessionParamsFor(connectedAgent, folders, toolCaller(), offer);
    const onCreated = (agentSessionId: string, setup: SessionSetupResult): SessionPeer => {
      this.applyBindingEvent({ kind: 'recreated', client, agentSessionId });
      this.reportRecreated(this.requireAttached(), setup, isStuck);
      return peer;
    };
    this.applyBindingEvent({ kind: 'recreateRequested', client });
    try {
      return await agent.requestWithTimeout(
        'session/new',
        signal,
        (deadline) => client.newSession(params, onCreated, deadline),
        peer,
      );
    } catch (error) {
      this.applyBindingEvent({ kind: 'failed', client });
      throw error;
    }
  }

  private reportRecreated(
    { agentSessionId }: AttachedState<AgentClient>,
    setup: SessionSetupResult,
    isStuck: boolean,
  ): void {
    const { agent, config, emit, id } = this.deps;
    const message = isStuck
      ? `${agent.title} continues in a new session because the stopped turn has not ended. It doesn’t remember this conversation.`
      : `${agent.title} was restarted and doesn’t remember this conversation.`;
    emit([{ event: 'session:info', data: { session_id: id, agent_session_id: agentSessionId } }]);
    this.notify('warning', message);
    config.applySetup(setup);
  }

  private notify(level: 'info' | 'warning', message: string): void {
    this.deps.emit([{ event: 'notice', data: { session_id: this.deps.id, level, message } }]);
  }

  /**
   * Returns the attached state.
   * @throws BackendError `closed` if the process or the session has ended in the meantime
   */
  private requireAttached(): AttachedState<AgentClient> {
    if (this.state.kind === 'attached') return this.state;
    throw new BackendError('closed', `${this.deps.agent.title} has ended.`);
  }

  private applyBindingEvent(event: BindingEvent<AgentClient>): void {
    const { kind } = this.state;
    this.state = nextBindingState(this.state, event);
    if (this.state.kind === 'attached' && kind !== 'attached') this.usage.reset();
  }
}
