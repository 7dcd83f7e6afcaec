import type { ApprovalAnswer, PendingApproval } from './apiSchema';
import { denyOption, isDenial } from '../../session/common/approvalOptions';
import type { SessionEvent, EventData } from '../../session/common/sessionEvents';

interface Entry {
  readonly id: string;
  readonly wireId: string;
  readonly deny: string | undefined;
  readonly callId: string | undefined;
  readonly prompt: string;
  /** Told by the session's status or before a new connection, just now: an event that looks the same is of the same request. */
  mayComeAgain: boolean;
  /** Nobody has answered in time. */
  isTimedOut: boolean;
}

export interface ApprovalBookPorts {
  readonly onDenied: (callId: string) => void;
  /**
   * Called before a request is told as over although the server may still wait for its answer. `failsClosed`: it speaks our
   * extensions, and takes silence for a no.
   */
  readonly onLeft: (approvalId: string, failsClosed: boolean) => void;
  /** A request took the place of another one, which can be answered by nobody any more. */
  readonly onSuperseded: () => void;
}

/** How a request is named to its server. */
interface Address {
  readonly wireId: string | number;
  /** Servers that say what options mean speak our extensions, and read which request an answer is for. */
  readonly isRead: boolean;
}

/**
 * What waits for the user, and what became of it. Gives every request an id of its own, because a server may use one id for
 * all requests of a session, and judges an answer by the decision in it: servers say "granted" of a denial.
 */
export class ApprovalBook {
  private readonly pending = new Map<string, Entry>();
  private readonly addresses = new Map<string, Address>();

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: SessionEvent) => void,
    private readonly ports: ApprovalBookPorts,
  ) {}

  get isWaiting(): boolean {
    return this.pending.size > 0;
  }

  /** Whether a request that the server names so waits already. */
  isPending(wireId: string): boolean {
    return this.byWireId(wireId) !== undefined;
  }

  /** What the server is sent. Of several requests it is told which one is meant, as an extension of the API. */
  answer(id: string, decision: string): ApprovalAnswer {
    const address = this.addresses.get(id);
    const isNamed = address !== undefined && (address.isRead || this.pending.size > 1);
    return isNamed ? { decision, approval_id: address.wireId } : { decision };
  }

  /**
   * What an allowance of a request would be for when the server says that `waiting` waits: it is `meant`, or only `later`, after
   * another one that is shown, or it is `gone`.
   */
  judge(id: string, waiting: PendingApproval): 'meant' | 'later' | 'gone' {
    const entry = this.pending.get(id);
    if (!entry) return 'gone';
    if (entry.wireId === waiting.approval_id) {
      return (waiting.prompt ?? entry.prompt) === entry.prompt ? 'meant' : 'gone';
    }
    if (!this.isPending(waiting.approval_id)) return 'gone';
    return this.addresses.get(id)?.isRead === true ? 'meant' : 'later';
  }

  required(data: EventData<'approval:required'>, callId: string | undefined, mayComeAgain = false): void {
    const { wire_id: numberOnWire, ...told } = data;
    const { approval_id: wireId, options, option_kinds: kinds, prompt } = told;
    const superseded = this.byWireId(wireId);
    // Servers that speak our extensions use an id once.
    if (superseded?.prompt === prompt && (superseded.mayComeAgain || kinds !== undefined)) {
      superseded.mayComeAgain = false;
      return;
    }
    if (superseded) {
      this.close(superseded, 'unanswerable');
      this.notice(
        'The agent asked for two approvals at once, and this server takes an answer to the last one only: the turn is ' +
          'stopped. Look at what the agent did: the first one cannot be denied, and the server may run it.',
      );
    }
    const id = this.uniqueId(wireId);
    this.addresses.set(id, { wireId: numberOnWire ?? wireId, isRead: kinds !== undefined });
    this.pending.set(id, {
      id,
      wireId,
      deny: denyOption(options, kinds),
      callId,
      prompt,
      mayComeAgain,
      isTimedOut: false,
    });
    this.emit({
      event: 'approval:required',
      data: { ...told, approval_id: id, ...(callId === undefined ? {} : { call_id: callId }) },
    });
    if (superseded) this.ports.onSuperseded();
  }

  /** Whether an event of what waits now may tell it once more, as on a new connection, or whatever comes now is new. */
  expectAgain(isExpected: boolean): void {
    for (const entry of this.pending.values()) entry.mayComeAgain = isExpected;
  }

  /** The server's word on a request. A second one, and one on a request that nobody knows, is dropped. */
  resolvedOnWire({ approval_id: wireId, decision, reason }: Resolution, saysDenied: boolean): void {
    const entry = this.byWireId(wireId);
    if (entry) this.settle(entry, decision, decision === '' ? saysDenied : this.denies(entry, decision), reason);
  }

  /** The server took the user's answer. */
  answered(id: string, decision: string): void {
    const entry = this.pending.get(id);
    if (entry) this.settle(entry, decision, this.denies(entry, decision), undefined);
  }

  /** The denial that follows is not the user's. */
  timedOut(id: string): void {
    const entry = this.pending.get(id);
    if (entry) entry.isTimedOut = true;
  }

  /** It can no longer be answered, and how it was decided is not known. */
  expire(id: string, reason: string): void {
    const entry = this.pending.get(id);
    if (entry) this.close(entry, reason);
  }

  /** The server waits for none of them any more. */
  expireAll(reason: string): void {
    for (const entry of [...this.pending.values()]) this.close(entry, reason);
  }

  /** Nobody will answer, whatever the server waits for. */
  leaveAll(reason: string): void {
    for (const entry of [...this.pending.values()]) {
      this.ports.onLeft(entry.id, this.addresses.get(entry.id)?.isRead === true);
      this.close(entry, reason);
    }
  }

  private settle(entry: Entry, decision: string, isDenied: boolean, reason: string | undefined): void {
    if (!isDenied) {
      this.pending.delete(entry.id);
      const data = { session_id: this.sessionId, approval_id: entry.id, decision };
      this.emit({ event: 'approval:granted', data });
      return;
    }
    if (entry.callId !== undefined) this.ports.onDenied(entry.callId);
    this.close(entry, reason ?? (entry.isTimedOut ? 'timeout' : 'user_denied'), decision);
  }

  private close(entry: Entry, reason: string, decision = ''): void {
    this.pending.delete(entry.id);
    const data = { session_id: this.sessionId, approval_id: entry.id, decision, reason };
    this.emit({ event: 'approval:denied', data });
  }

  private denies(entry: Entry, decision: string): boolean {
    return decision === entry.deny || isDenial(decision);
  }

  private notice(message: string): void {
    this.emit({ event: 'notice', data: { session_id: this.sessionId, level: 'warning', message } });
  }

  private byWireId(wireId: string): Entry | undefined {
    return [...this.pending.values()].find((entry) => entry.wireId === wireId);
  }

  private uniqueId(wireId: string): string {
    let id = wireId;
    for (let n = 2; this.addresses.has(id); n++) id = `${wireId}#${n}`;
    return id;
  }
}

interface Resolution {
  readonly approval_id: string;
  readonly decision: string;
  readonly reason?: string | undefined;
}
