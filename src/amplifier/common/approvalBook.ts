import { denyOption, isDenial } from './approvalOptions';
import type { AmplifierEvent, EventData } from './events';

interface Entry {
  readonly id: string;
  readonly wireId: string;
  readonly deny: string | undefined;
  readonly callId: string | undefined;
  readonly prompt: string;
  /** Known from the session's status only, so that the event of the same request may still come. */
  isRebuilt: boolean;
}

/**
 * What waits for the user, and what became of it. Gives every request an id of its own, because a server may use one id for
 * all requests of a session, and judges an answer by the decision in it: servers say "granted" of a denial.
 */
export class ApprovalBook {
  private readonly pending = new Map<string, Entry>();
  private readonly used = new Set<string>();

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: AmplifierEvent) => void,
    private readonly onDenied: (callId: string) => void,
  ) {}

  get isWaiting(): boolean {
    return this.pending.size > 0;
  }

  /** Whether a request that the server names so waits already. */
  isPending(wireId: string): boolean {
    return this.byWireId(wireId) !== undefined;
  }

  isDenial(id: string, decision: string): boolean {
    const entry = this.pending.get(id);
    return entry !== undefined && this.denies(entry, decision);
  }

  isSame(id: string, { approval_id, prompt }: { readonly approval_id: string; readonly prompt: string }): boolean {
    const entry = this.pending.get(id);
    return entry?.wireId === approval_id && entry.prompt === prompt;
  }

  required(data: EventData<'approval:required'>, callId: string | undefined, isRebuilt = false): void {
    const { approval_id: wireId, options, option_kinds: kinds, prompt } = data;
    const superseded = this.byWireId(wireId);
    if (superseded?.isRebuilt && superseded.prompt === prompt) {
      superseded.isRebuilt = false;
      return;
    }
    if (superseded) {
      this.close(superseded, 'unanswerable');
      this.notice(
        'The agent asked for two approvals at once, and this server takes an answer to the last one only. ' +
          'Stop the session if the first must not run.',
      );
    }
    const id = this.uniqueId(wireId);
    this.pending.set(id, { id, wireId, deny: denyOption(options, kinds), callId, prompt, isRebuilt });
    this.emit({
      event: 'approval:required',
      data: { ...data, approval_id: id, ...(callId === undefined ? {} : { call_id: callId }) },
    });
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

  /** It can no longer be answered, and how it was decided is not known. */
  expire(id: string, reason: string): void {
    const entry = this.pending.get(id);
    if (entry) this.close(entry, reason);
  }

  expireAll(reason: string): void {
    for (const entry of [...this.pending.values()]) this.close(entry, reason);
  }

  private settle(entry: Entry, decision: string, isDenied: boolean, reason: string | undefined): void {
    if (!isDenied) {
      this.pending.delete(entry.id);
      const data = { session_id: this.sessionId, approval_id: entry.id, decision };
      this.emit({ event: 'approval:granted', data });
      return;
    }
    if (entry.callId !== undefined) this.onDenied(entry.callId);
    this.close(entry, reason ?? 'user_denied', decision);
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
    for (let n = 2; this.used.has(id); n++) id = `${wireId}#${n}`;
    this.used.add(id);
    return id;
  }
}

interface Resolution {
  readonly approval_id: string;
  readonly decision: string;
  readonly reason?: string | undefined;
}
