import type { Logger } from '../../../base/common/log';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import type { PermissionRequest } from '../../common/session/agentMessages';
import { SubagentUpdates, type SubagentPart } from '../../common/subagents/subagentUpdates';
import { v1ShownSubagentUpdateOf, V1Updates } from '../../common/v1/v1Updates';
import { v2ShownSubagentUpdateOf } from '../../common/v2/v2Subagents';
import type { ExpectedReport } from '../../common/v2/promptReports';
import { V2Updates } from '../../common/v2/v2Updates';
import type { ProtocolVersion } from '../connection/protocolRequests';

/** Reads the updates of a session and its subagents in the version of its current connection. */
export class AgentUpdates {
  private readonly v1: V1Updates;
  private readonly v2: V2Updates;
  private readonly subagents: SubagentUpdates;

  /** `rootId` returns the agent's id of the session. */
  constructor(
    private readonly mapper: SessionEventMapper,
    rootId: () => string,
  ) {
    this.subagents = new SubagentUpdates(mapper, rootId);
    this.v1 = new V1Updates(mapper, this.subagents);
    this.v2 = new V2Updates(mapper, this.subagents);
  }

  /** With `subagentId`, the update belongs to the session of that subagent. */
  mapUpdate(update: { readonly sessionUpdate: string }, version: ProtocolVersion, subagentId?: string): SessionEvent[] {
    if (subagentId === undefined) return (version === 1 ? this.v1 : this.v2).mapUpdate(update);
    const shown = (version === 1 ? v1ShownSubagentUpdateOf : v2ShownSubagentUpdateOf)(update);
    return shown ? this.subagents.mapUpdate(subagentId, shown) : [];
  }

  /**
   * Returns a permission request of this session or one of its subagents. Its call is the one shown in this session.
   */
  toSessionRequest(request: PermissionRequest): PermissionRequest {
    return this.subagents.toParentRequest(request);
  }

  /** See `V2Updates`. An agent of version 1 reports no prompts. */
  expectSteered(id: string, text: string): ExpectedReport {
    return this.v2.expectSteered(id, text);
  }

  /** See `V2Updates`. */
  handleOwnTurnEnd(isStopped: boolean): void {
    this.v2.handleOwnTurnEnd(isStopped);
  }

  logIgnored(log: Logger): void {
    for (const [kind, count] of this.mapper.ignoredUpdateCounts)
      log.debug(`Updates that were not understood so far: ${kind} (${count})`);
  }

  /** See `SubagentUpdates`. */
  partOf(callId: string): SubagentPart | undefined {
    return this.subagents.partOf(callId);
  }

  isInside(sessionId: string, subagentId: string): boolean {
    return this.subagents.isInside(sessionId, subagentId);
  }

  /** Call when the agent's process has ended, or no longer matters. Returns the events that end its turn, if it began one. */
  markIdle(): SessionEvent[] {
    this.v2.markIdle();
    this.subagents.markAllIdle();
    return this.mapper.endTurnOfOthers({ stopReason: 'interrupted' });
  }
}
