import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import type { PermissionRequest } from '../../common/session/agentMessages';
import { SubagentUpdates } from '../../common/session/subagentUpdates';
import { v1ShownSubagentUpdateOf, V1Updates } from '../../common/v1/v1Updates';
import { v2ShownSubagentUpdateOf } from '../../common/v2/v2Subagents';
import { V2Updates } from '../../common/v2/v2Updates';
import type { ProtocolVersion } from '../connection/protocolRequests';

/** After this time without an update, a turn has ended whose end the agent has no way to report. */
const quietMs = 5_000;
/** The same while a call is open, whose end the agent may have forgotten. */
const openCallQuietMs = 10 * 60_000;

/** Reads the updates of a session in the version of its current connection. */
export class AgentUpdates implements Disposable {
  private readonly v1: V1Updates;
  private readonly v2: V2Updates;
  private readonly subagents: SubagentUpdates;
  private lastActivityAtMs = 0;
  private quietTimer: Disposable | undefined;
  private wasStopped = false;
  private isDisposed = false;

  /**
   * `isAsking`: whether the user has to answer a request of the agent. `onQuiet` gets the events that end a turn whose end
   * is not reported.
   */
  constructor(
    private readonly mapper: SessionEventMapper,
    private readonly clock: Clock,
    private readonly isAsking: () => boolean,
    private readonly onQuiet: (events: readonly SessionEvent[]) => void,
  ) {
    this.subagents = new SubagentUpdates(mapper, () => this.isWorking);
    this.v1 = new V1Updates(mapper, this.subagents);
    this.v2 = new V2Updates(mapper, this.subagents);
  }

  /** Whether the agent is working, according to its last report. Version 1 has no such reports. */
  get isWorking(): boolean {
    return this.v2.isWorking;
  }

  /** With `subagentId`, the update belongs to the session of that subagent. */
  mapUpdate(update: { readonly sessionUpdate: string }, version: ProtocolVersion, subagentId?: string): SessionEvent[] {
    if (subagentId === undefined) {
      const events = (version === 1 ? this.v1 : this.v2).mapUpdate(update);
      if (events.some(({ event }) => event === 'prompt:submit')) this.wasStopped = false;
      return events;
    }
    const shown = (version === 1 ? v1ShownSubagentUpdateOf : v2ShownSubagentUpdateOf)(update);
    return shown ? this.subagents.mapUpdate(subagentId, shown) : [];
  }

  /**
   * Returns a permission request of this session or one of its subagents. Its call is the one shown in this session.
   */
  toSessionRequest(request: PermissionRequest): PermissionRequest {
    return this.subagents.toParentRequest(request);
  }

  /** Call when the agent's process has ended, or no longer matters. Returns the events that end its turn, if it began one. */
  markIdle(): SessionEvent[] {
    this.v2.markIdle();
    this.subagents.markAllIdle();
    return this.mapper.endTurnOfOthers({ stopReason: 'interrupted' });
  }

  /** Call after each update and each event. */
  noteActivity(): void {
    // The agent may go on until it hears of the end of the session.
    if (this.isDisposed || !this.isEndUnreported) return;
    this.lastActivityAtMs = this.clock.monotonicNow();
    this.quietTimer ??= this.clock.setTimer(quietMs, () => this.endIfQuiet());
  }

  /** Whether the user has stopped a turn of others. The agent may then ask nothing until the next prompt. */
  get isStopped(): boolean {
    return this.wasStopped;
  }

  markStopped(): void {
    this.wasStopped = true;
  }

  /** Begins the turn of a prompt of this session. */
  startTurn(prompt: string, requestId: string): SessionEvent[] {
    this.wasStopped = false;
    return this.mapper.startTurn(prompt, requestId);
  }

  /** Ends a turn whose end the agent will not report. What follows begins another one. */
  endUnreportedTurn(stopReason: 'end_turn' | 'cancelled'): SessionEvent[] {
    return this.isEndUnreported ? this.mapper.endTurnOfOthers({ stopReason }) : [];
  }

  dispose(): void {
    this.isDisposed = true;
    this.quietTimer?.dispose();
  }

  /** Whether an unprompted turn is open whose end the agent will not report: in version 1, or if version 2 reported no work. */
  private get isEndUnreported(): boolean {
    return this.mapper.openTurn === 'agent' && !this.isWorking;
  }

  private endIfQuiet(): void {
    this.quietTimer = undefined;
    // The end of the approval or of the work is activity, too.
    if (!this.isEndUnreported || this.isAsking()) return;
    const limitMs = this.mapper.hasOpenCalls ? openCallQuietMs : quietMs;
    const leftMs = this.lastActivityAtMs + limitMs - this.clock.monotonicNow();
    // Asked again soon, because the call may end before.
    if (leftMs > 0) this.quietTimer = this.clock.setTimer(Math.min(leftMs, quietMs), () => this.endIfQuiet());
    else this.onQuiet(this.endUnreportedTurn('end_turn'));
  }
}
