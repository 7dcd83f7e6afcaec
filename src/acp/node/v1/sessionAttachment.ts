import { messageOf, TimeoutError } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { EventLog } from '../../../session/common/eventLog';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import {
  isMuted,
  nextAttachment,
  wayBack,
  type Attached,
  type Attachment,
  type AttachmentEvent,
  type Past,
} from '../../common/v1/attachment';
import { TurnUsage } from '../../common/v1/turnUsage';
import type { SessionSetup } from '../../common/v1/v1Schema';
import type { AgentAccess } from './agentAccess';
import type { LiveAgent } from './agentConnection';
import type { SessionConfig } from './sessionConfig';
import type { SessionPeer, V1Client } from './v1Client';
import { isAuthRequired } from './v1Errors';
import { untilAborted } from '../../../session/common/untilAborted';

interface SessionAttachmentPorts {
  /** Our id of the session, and initially the agent's. */
  readonly id: string;
  readonly folders: CreateSessionOptions;
  readonly agent: AgentAccess;
  readonly peer: SessionPeer;
  readonly config: SessionConfig;
  readonly events: EventLog;
  readonly log: Logger;
}

const closeTimeoutMs = 2_000;

/** Binds a session to its agent's process: resumes it in a new process, or recreates it if the agent forgot it. */
export class SessionAttachment {
  /** Token usage per turn; counts restart when the session moves to a new process. */
  readonly usage = new TurnUsage();
  private state: Attachment<V1Client>;
  /** Settles when the last attempt to attach has ended. */
  private settled: Promise<unknown> = Promise.resolve();

  /** Without `client`, the session is not attached yet. */
  constructor(
    private readonly ports: SessionAttachmentPorts,
    client?: V1Client,
  ) {
    const conversation = { agentSessionId: ports.id, hasForgotten: false };
    this.state = client ? { ...conversation, kind: 'attached', client } : { ...conversation, kind: 'detached' };
  }

  get agentSessionId(): string {
    return this.state.agentSessionId;
  }

  get isMuted(): boolean {
    return isMuted(this.state);
  }

  /** Attaches the session, starting the agent if needed. @throws BackendError, or the agent's error */
  async join(signal: AbortSignal): Promise<Attached<V1Client>> {
    const live = await this.ports.agent.connection.connect(signal);
    const attached = this.settled.then(() => this.attach(live, signal));
    this.settled = attached.catch(() => undefined);
    return await untilAborted(attached, signal);
  }

  /** Loads the session; the agent replays its history before this resolves. @throws the agent's error */
  load(live: LiveAgent, how: 'load' | 'resume', signal: AbortSignal): Promise<SessionSetup> {
    return this.comeBack(live, 'unknown', () => this.takeUp(live, how, signal));
  }

  reminded(): void {
    this.step({ kind: 'reminded' });
  }

  lost(): void {
    this.step({ kind: 'lost' });
  }

  /** Ends the session and tells the agent. Never rejects. */
  async leave(): Promise<void> {
    const { agent, log } = this.ports;
    const { state } = this;
    this.step({ kind: 'leave' });
    if (state.kind !== 'attached' || state.client !== agent.connection.current?.client) return;
    const { agentSessionId, client } = state;
    client.detach(agentSessionId);
    if (!client.capabilities.sessionCapabilities?.close) return;
    const close = (): Promise<void> => client.closeSession(agentSessionId);
    await agent.inTime('session/close', undefined, close, closeTimeoutMs).catch((error: unknown) => {
      log.debug(`Could not close a session: ${messageOf(error)}`);
    });
  }

  private async attach(live: LiveAgent, signal: AbortSignal): Promise<Attached<V1Client>> {
    const { config, events, id } = this.ports;
    signal.throwIfAborted();
    if (this.state.kind === 'attached' && this.state.client === live.client) return this.state;
    const before = config.all;
    const isRemembered = await this.resume(live, signal);
    if (!isRemembered) await this.recreateSession(live, signal);
    const attached = this.requireAttached();
    const message = await config.restore(attached, before, isRemembered, signal);
    if (message !== undefined) events.append({ event: 'notice', data: { session_id: id, level: 'info', message } });
    return attached;
  }

  /** Returns whether the agent remembers the session. */
  private async resume(live: LiveAgent, signal: AbortSignal): Promise<boolean> {
    const { agent, config, log } = this.ports;
    const how = wayBack(live.client.capabilities, 'known');
    if (!how) return false;
    try {
      const setup = await this.comeBack(live, 'known', () =>
        agent.inTime(`session/${how}`, signal, (deadline) => this.takeUp(live, how, deadline)),
      );
      config.setUp(setup);
      return true;
    } catch (error) {
      const isRefusal = !isAuthRequired(error) && !(error instanceof TimeoutError) && !signal.aborted;
      const isGone = agent.connection.current !== live || this.state.kind === 'left';
      if (!isRefusal || isGone) throw error;
      log.warn(`${agent.title} could not take up a conversation: ${messageOf(error)}`);
      return false;
    }
  }

  private async comeBack(
    { client }: LiveAgent,
    past: Past,
    request: () => Promise<SessionSetup>,
  ): Promise<SessionSetup> {
    this.step({ kind: 'return', client, past });
    try {
      const setup = await request();
      this.step({ kind: 'returned', client });
      this.requireAttached();
      return setup;
    } catch (error) {
      client.detach(this.agentSessionId);
      this.step({ kind: 'failed', client });
      throw error;
    }
  }

  private async takeUp(live: LiveAgent, how: 'load' | 'resume', signal: AbortSignal): Promise<SessionSetup> {
    const { agent, folders, peer } = this.ports;
    const { client } = live;
    const params = { ...(await agent.sessionParams(live, folders)), sessionId: this.agentSessionId };
    signal.throwIfAborted();
    client.attach(params.sessionId, peer);
    return how === 'resume' ? client.resumeSession(params, signal) : client.loadSession(params, signal);
  }

  private async recreateSession(live: LiveAgent, signal: AbortSignal): Promise<void> {
    const { agent, folders, peer } = this.ports;
    const { client } = live;
    const params = await agent.sessionParams(live, folders);
    const begun = (agentSessionId: string, setup: SessionSetup): SessionPeer => {
      this.step({ kind: 'begunAnew', client, agentSessionId });
      this.reportRecreated(this.requireAttached(), setup);
      return peer;
    };
    this.step({ kind: 'recreateSession', client });
    try {
      await agent.inTime('session/new', signal, (deadline) => client.newSession(params, begun, deadline));
    } catch (error) {
      this.step({ kind: 'failed', client });
      throw error;
    }
  }

  private reportRecreated({ agentSessionId }: Attached<V1Client>, setup: SessionSetup): void {
    const { agent, config, events, id } = this.ports;
    const message = `${agent.title} was restarted and doesn’t remember this conversation.`;
    events.append({ event: 'session:info', data: { session_id: id, agent_session_id: agentSessionId } });
    events.append({ event: 'notice', data: { session_id: id, level: 'warning', message } });
    config.setUp(setup);
  }

  /** @throws BackendError `closed` if the process or the session has ended meanwhile */
  private requireAttached(): Attached<V1Client> {
    if (this.state.kind === 'attached') return this.state;
    throw new BackendError('closed', `${this.ports.agent.title} is gone.`);
  }

  private step(event: AttachmentEvent<V1Client>): void {
    const { kind } = this.state;
    this.state = nextAttachment(this.state, event);
    if (this.state.kind === 'attached' && kind !== 'attached') this.usage.restart();
  }
}
