import { RequestError } from '@agentclientprotocol/sdk';
import { withDeadline, type Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { BackendError } from '../../../session/common/sessionBackend';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import { wireIdOf } from '../../common/actions/agentCallIds';
import type { StopTarget } from '../../common/calls/stoppableParts';
import { reasonOfAgentError } from '../../common/session/agentErrorText';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { TerminalService } from '../process/terminalService';
import type { AgentUpdates } from './agentUpdates';
import type { SessionBinding } from './sessionBinding';

interface CallStopperDeps {
  readonly agent: Pick<AgentRequestRunner, 'limits' | 'title'>;
  readonly binding: Pick<SessionBinding, 'attached'>;
  readonly clock: Clock;
  readonly mapper: Pick<SessionEventMapper, 'stopTargetOf'>;
  readonly terminals: Pick<TerminalService, 'kill'>;
  readonly updates: Pick<AgentUpdates, 'isInside' | 'partOf'>;
}

/** Stops single calls, terminals and subagents of a session, while its turn goes on. */
export class CallStopper {
  private readonly stopping = new Map<string, Promise<void>>();
  private readonly whenEndedByCallId = new Map<string, () => void>();
  private readonly questions = new Set<{ readonly sessionId: string; readonly controller: AbortController }>();

  constructor(private readonly deps: CallStopperDeps) {}

  /** Resolves when the call has ended, by whatever. See `BackendSession.stopCall`. @throws BackendError */
  stop(callId: string): Promise<void> {
    const known = this.stopping.get(callId);
    if (known) return known;
    const stopped = this.stopNow(callId).finally(() => this.stopping.delete(callId));
    this.stopping.set(callId, stopped);
    return stopped;
  }

  /** Call whenever a call may have ended. */
  check(): void {
    for (const [callId, resolve] of this.whenEndedByCallId) if (!this.deps.mapper.stopTargetOf(callId)) resolve();
  }

  /** Runs a question to the user for a session or subagent. `signal` also fires when the user stops that subagent. */
  async during<T>(sessionId: string, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const question = { sessionId, controller: new AbortController() };
    this.questions.add(question);
    try {
      return await ask(AbortSignal.any([signal, question.controller.signal]));
    } finally {
      this.questions.delete(question);
    }
  }

  private async stopNow(callId: string): Promise<void> {
    const { agent, clock, mapper } = this.deps;
    const target = mapper.stopTargetOf(callId);
    if (!target) throw new BackendError('invalidRequest', 'This has already ended, or can no longer be stopped.');
    const { promise: ended, resolve } = Promise.withResolvers<undefined>();
    this.whenEndedByCallId.set(callId, () => resolve(undefined));
    try {
      await withDeadline(clock, 'stopping a call', agent.limits.cancelGraceMs, (signal) =>
        // The agent may answer late, or never, although the call has ended.
        Promise.race([ended, this.send(target, signal).then(() => ended)]),
      );
    } catch (error) {
      // The end of the agent is the end of the call, and its turn says so.
      if (!(error instanceof ConnectionClosedError)) throw this.explain(error);
    } finally {
      this.whenEndedByCallId.delete(callId);
    }
  }

  private async send(target: StopTarget, signal: AbortSignal): Promise<void> {
    const { binding, terminals, updates } = this.deps;
    if (target.kind === 'ownTerminal') {
      await terminals.kill(target.terminalId);
      return;
    }
    const { attached } = binding;
    if (!attached) throw new BackendError('closed', `${this.deps.agent.title} is not running.`);
    const { agentSessionId, client } = attached;
    const protocol = client.requireProtocolRequests();
    if (target.kind === 'terminal') {
      await protocol.cancelPart?.(agentSessionId, { terminalId: target.terminalId }, signal);
      return;
    }
    const { sessionId, toolCallId } = updates.partOf(target.callId) ?? {
      sessionId: agentSessionId,
      toolCallId: wireIdOf(target.callId),
    };
    if (toolCallId !== undefined) {
      await protocol.cancelPart?.(sessionId, { toolCallId }, signal);
      return;
    }
    for (const question of this.questions)
      if (updates.isInside(question.sessionId, sessionId)) question.controller.abort();
    await client.cancel(sessionId, 'other');
  }

  private explain(error: unknown): BackendError {
    const { title } = this.deps.agent;
    if (error instanceof TimeoutError)
      return new BackendError('timeout', `${title} did not stop this in time. It may still be running.`);
    const reason = error instanceof RequestError ? reasonOfAgentError(error) : undefined;
    const message = `${title} did not stop this${reason === undefined ? '.' : `: ${reason}`}`;
    return new BackendError('backend', message, String(error), { cause: error });
  }
}
