import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionEventMapper } from '../../common/session/sessionEventMapper';
import { V1Updates } from '../../common/v1/v1Updates';
import { V2Updates } from '../../common/v2/v2Updates';
import type { ProtocolVersion } from '../connection/protocolSurface';

/** Reads the updates of a session in the version of its current connection. */
export class AgentUpdates {
  private readonly v1: V1Updates;
  private readonly v2: V2Updates;

  constructor(mapper: SessionEventMapper) {
    this.v1 = new V1Updates(mapper);
    this.v2 = new V2Updates(mapper);
  }

  /** Whether the agent works, by its last report. Version 1 has no such reports. */
  get isWorking(): boolean {
    return this.v2.isWorking;
  }

  mapUpdate(update: { readonly sessionUpdate: string }, version: ProtocolVersion): SessionEvent[] {
    return (version === 1 ? this.v1 : this.v2).mapUpdate(update);
  }

  /** Call when the agent's process has ended. */
  reset(): void {
    this.v2.reset();
  }
}
