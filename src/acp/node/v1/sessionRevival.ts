import { TimeoutError, messageOf } from '../../../base/common/errors';
import type { CreateSessionOptions } from '../../../session/common/sessionBackend';
import type { Logger } from '../../../base/common/log';
import type { SessionSetup } from '../../common/v1/v1Schema';
import type { LiveAgent } from './agentConnection';
import type { SessionParams } from './v1Client';
import { isAuthRequired } from './v1Errors';
import type { V1Session } from './v1Session';

interface SessionRevivalPorts {
  readonly title: string;
  readonly log: Logger;
  readonly params: (live: LiveAgent, folders: CreateSessionOptions) => Promise<SessionParams>;
  /** @throws TimeoutError, and what `request` throws */
  readonly inTime: <T>(
    what: string,
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ) => Promise<T>;
  readonly isCurrent: (live: LiveAgent) => boolean;
  /** The agent knows the session from now on. */
  readonly onAttached: (session: V1Session, live: LiveAgent) => void;
}

/** Takes sessions up in a process of the agent that does not have them yet. */
export class SessionRevival {
  constructor(private readonly ports: SessionRevivalPorts) {}

  /** Where the agent remembers the conversation, else begins a new one and says so; with the options it had. */
  async attachAgain(session: V1Session, live: LiveAgent, signal: AbortSignal): Promise<void> {
    const before = session.config;
    const isResumed = await this.resume(session, live, signal);
    if (!isResumed) await this.beginAnew(session, live, signal);
    // Before options are set: what fails then has been told, and the session is there.
    this.ports.onAttached(session, live);
    await session.restoreOptions(live.client, before, isResumed, signal);
  }

  async takeUp(
    session: V1Session,
    live: LiveAgent,
    how: 'load' | 'resume',
    signal: AbortSignal,
  ): Promise<SessionSetup> {
    const { client } = live;
    const params = { ...(await this.ports.params(live, session.folders)), sessionId: session.agentSessionId };
    client.attach(session.agentSessionId, session);
    return how === 'resume' ? client.resumeSession(params, signal) : client.loadSession(params, signal);
  }

  private async resume(session: V1Session, live: LiveAgent, signal: AbortSignal): Promise<boolean> {
    const { inTime, isCurrent, log, title } = this.ports;
    const { loadSession, sessionCapabilities } = live.client.capabilities;
    const how = sessionCapabilities?.resume ? 'resume' : loadSession ? 'load' : undefined;
    if (!how) return false;
    const unmute = session.mute();
    try {
      session.setUp(await inTime(`session/${how}`, signal, (deadline) => this.takeUp(session, live, how, deadline)));
      return true;
    } catch (error) {
      live.client.detach(session.agentSessionId);
      if (isAuthRequired(error) || error instanceof TimeoutError || signal.aborted) throw error;
      if (!isCurrent(live)) throw error;
      log.warn(`${title} could not take up a conversation: ${messageOf(error)}`);
      return false;
    } finally {
      unmute();
    }
  }

  private async beginAnew(session: V1Session, live: LiveAgent, signal: AbortSignal): Promise<void> {
    const params = await this.ports.params(live, session.folders);
    await this.ports.inTime('session/new', signal, (deadline) =>
      live.client.newSession(
        params,
        (sessionId, setup) => {
          session.beginAnew(sessionId, setup);
          return session;
        },
        deadline,
      ),
    );
  }
}
