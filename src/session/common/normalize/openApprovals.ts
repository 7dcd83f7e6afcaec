import { isWithdrawnReason } from '../approvalOptions';
import type { EventOf, SessionEvent } from '../sessionEvents';

type Answer = EventOf<'approval:granted' | 'approval:denied'>;

/** The pending approvals of a session, each with the tool call that waits for it. */
export class OpenApprovals {
  private readonly callIdByApprovalId = new Map<string, string | undefined>();

  constructor(private readonly emit: (event: SessionEvent) => void) {}

  has(id: string): boolean {
    return this.callIdByApprovalId.has(id);
  }

  /** Adds an approval. `onlyCallId` is the id of the waiting call if the event does not name one. */
  addApproval(event: EventOf<'approval:required'>, onlyCallId: string | undefined): void {
    const { data } = event;
    const call = data.call_id ?? onlyCallId;
    this.callIdByApprovalId.set(data.approval_id, call);
    this.emit(call === data.call_id ? event : { ...event, data: { ...data, call_id: call } });
  }

  /** Closes an approval. Returns the id of the waiting call, unless the approval was withdrawn. */
  closeApproval(event: Answer): string | undefined {
    const { approval_id: id, decision, reason } = event.data;
    const call = this.callIdByApprovalId.get(id);
    if (!this.callIdByApprovalId.delete(id)) return undefined;
    this.emit(event);
    const isDecided = decision !== '' && !(typeof reason === 'string' && isWithdrawnReason(reason));
    return isDecided ? call : undefined;
  }

  denyAll(sessionId: string): void {
    for (const id of [...this.callIdByApprovalId.keys()]) {
      const data = { session_id: sessionId, approval_id: id, decision: '', reason: 'turn_ended' };
      this.closeApproval({ event: 'approval:denied', data });
    }
  }
}
