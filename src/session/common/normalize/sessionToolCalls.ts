import type { EventData, EventOf, SessionEvent, ToolKind } from '../sessionEvents';
import { inferToolKind } from './toolKinds';

interface OpenCall {
  readonly id: string;
  readonly toolName: string;
  readonly operation: string;
  isDenied: boolean;
}

/** Number of ended calls that are remembered, so that late events do not start them again. */
const maxEnded = 1000;

/**
 * Gives each tool call of a session one id, one start and one end. Repeated starts and ends become updates. A result
 * without an id belongs to the oldest open call of the same tool and operation.
 */
export class SessionToolCalls {
  private readonly openCallById = new Map<string, OpenCall>();
  private readonly endedCallById = new Map<string, OpenCall>();
  private generatedIdCount = 0;

  constructor(
    private readonly emit: (event: SessionEvent) => void,
    private readonly idPrefix: string,
  ) {}

  /** The id of the only open call; undefined if there are none or several. */
  get onlyOpenId(): string | undefined {
    const [id] = this.openCallById.keys();
    return this.openCallById.size === 1 ? id : undefined;
  }

  isOpen(id: string): boolean {
    return this.openCallById.has(id);
  }

  isEnded(id: string | undefined): id is string {
    return id !== undefined && this.endedCallById.has(id);
  }

  startCall({ data }: EventOf<'tool:pre'>): void {
    if (data.call_id !== undefined && this.openCallById.has(data.call_id)) {
      const { input, ...changes } = data;
      // An empty input does not replace the earlier one.
      const update = Object.keys(input).length > 0 ? data : changes;
      this.emit({ event: 'tool:update', data: { ...update, call_id: data.call_id } });
      return;
    }
    const { id } = this.addOpenCall(data);
    this.emit({ event: 'tool:pre', data: { ...data, call_id: id, kind: data.kind ?? inferToolKind(data) } });
  }

  updateCall(event: EventOf<'tool:update'>): void {
    const { call_id: id, kind, session_id } = event.data;
    this.ensureStarted(session_id, id, kind);
    this.emit(event);
  }

  /** Starts the call if its start was lost. */
  ensureStarted(sessionId: string, id: string, kind: ToolKind = 'other'): void {
    if (this.openCallById.has(id) || this.endedCallById.has(id)) return;
    this.startMissingCall({ session_id: sessionId, call_id: id, kind, tool_name: kind, operation: kind });
  }

  /** Ends a call with its result. Returns the call if it had been denied before. */
  completeCall({ data }: EventOf<'tool:post'>): { readonly operation: string } | undefined {
    const known = data.call_id === undefined ? undefined : this.endedCallById.get(data.call_id);
    if (known) {
      const status = data.result.success ? 'completed' : 'failed';
      this.emit({ event: 'tool:update', data: { ...data, call_id: known.id, status } });
      return known.isDenied ? known : undefined;
    }
    const call = this.endMatchingCall(data);
    this.emit({ event: 'tool:post', data: { ...data, call_id: call.id } });
    return call.isDenied ? call : undefined;
  }

  failCall({ data }: EventOf<'tool:error'>): void {
    if (!this.isEnded(data.call_id)) {
      this.emit({ event: 'tool:error', data: { ...data, call_id: this.endMatchingCall(data).id } });
    } else if (!data.unfinished) {
      this.emit({ event: 'tool:update', data: { ...data, call_id: data.call_id, status: 'failed' } });
    }
  }

  setDenied(id: string, isDenied: boolean): void {
    const call = this.openCallById.get(id);
    if (call) call.isDenied = isDenied;
  }

  endAllCalls(sessionId: string, reason: string): void {
    for (const call of [...this.openCallById.values()]) {
      this.moveToEnded(call);
      const { id, isDenied, operation, toolName } = call;
      const data = { session_id: sessionId, tool_name: toolName, operation, call_id: id };
      this.emit({
        event: 'tool:error',
        data: isDenied
          ? { ...data, error: 'Not run because it was denied.' }
          : { ...data, error: reason, unfinished: true },
      });
    }
  }

  /** Ends the call to which a result belongs. Starts the call first if its start was lost. */
  private endMatchingCall(data: EventData<'tool:post' | 'tool:error'>): OpenCall {
    const open = data.call_id === undefined ? this.findOldestOpenCall(data) : this.openCallById.get(data.call_id);
    const call = open ?? this.startMissingCall(data);
    this.moveToEnded(call);
    return call;
  }

  private findOldestOpenCall({ tool_name, operation }: ToolName): OpenCall | undefined {
    return [...this.openCallById.values()].find((call) => call.toolName === tool_name && call.operation === operation);
  }

  private startMissingCall(data: UnheardCall): OpenCall {
    const call = this.addOpenCall(data);
    const { operation, session_id, tool_name } = data;
    const kind = data.kind ?? inferToolKind(data);
    this.emit({ event: 'tool:pre', data: { session_id, tool_name, operation, call_id: call.id, input: {}, kind } });
    return call;
  }

  private addOpenCall({
    call_id,
    tool_name,
    operation,
  }: ToolName & { readonly call_id?: string | undefined }): OpenCall {
    const call = { id: call_id ?? this.generateId(), toolName: tool_name, operation, isDenied: false };
    this.openCallById.set(call.id, call);
    this.endedCallById.delete(call.id);
    return call;
  }

  private generateId(): string {
    let id: string;
    do id = `${this.idPrefix}-${++this.generatedIdCount}`;
    while (this.openCallById.has(id) || this.endedCallById.has(id));
    return id;
  }

  private moveToEnded(call: OpenCall): void {
    this.openCallById.delete(call.id);
    this.endedCallById.set(call.id, call);
    const [oldest] = this.endedCallById.keys();
    if (this.endedCallById.size > maxEnded && oldest !== undefined) this.endedCallById.delete(oldest);
  }
}

type ToolName = Pick<EventData<'tool:pre'>, 'tool_name' | 'operation'>;
type UnheardCall = ToolName & Pick<EventData<'tool:pre'>, 'session_id' | 'call_id' | 'kind'>;
