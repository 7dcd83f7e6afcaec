import type { EventData, EventOf, SessionEvent, ToolKind } from '../sessionEvents';
import { toolKindOf } from './toolKinds';

interface OpenCall {
  readonly id: string;
  readonly toolName: string;
  readonly operation: string;
  isDenied: boolean;
}

/** Ended calls are remembered, so that late events do not start them again. */
const maxEnded = 1000;

/**
 * Normalizes the tool calls of a session: each gets one id, one start and one end; other events become updates. A result
 * without an id belongs to the oldest open call of the same tool and operation.
 */
export class SessionCalls {
  private readonly open = new Map<string, OpenCall>();
  private readonly ended = new Map<string, OpenCall>();
  private count = 0;

  /** `idPrefix` is the prefix of generated ids. */
  constructor(
    private readonly emit: (event: SessionEvent) => void,
    private readonly idPrefix: string,
  ) {}

  /** The id of the only open call; undefined if there are none or several. */
  get onlyOpenId(): string | undefined {
    const [id] = this.open.keys();
    return this.open.size === 1 ? id : undefined;
  }

  isOpen(id: string): boolean {
    return this.open.has(id);
  }

  isEnded(id: string | undefined): id is string {
    return id !== undefined && this.ended.has(id);
  }

  pre({ data }: EventOf<'tool:pre'>): void {
    if (data.call_id !== undefined && this.open.has(data.call_id)) {
      const { input, ...changes } = data;
      // An empty input does not replace the earlier one.
      const update = Object.keys(input).length > 0 ? data : changes;
      this.emit({ event: 'tool:update', data: { ...update, call_id: data.call_id } });
      return;
    }
    const { id } = this.begin(data);
    this.emit({ event: 'tool:pre', data: { ...data, call_id: id, kind: data.kind ?? kindOf(data) } });
  }

  update(event: EventOf<'tool:update'>): void {
    const { call_id: id, kind, session_id } = event.data;
    this.expect(session_id, id, kind);
    this.emit(event);
  }

  /** Starts the call if its start was lost. */
  expect(sessionId: string, id: string, kind: ToolKind = 'other'): void {
    if (this.open.has(id) || this.ended.has(id)) return;
    this.beginUnheard({ session_id: sessionId, call_id: id, kind, tool_name: kind, operation: kind });
  }

  /** Returns the call if it was denied, even if it had already ended. */
  post({ data }: EventOf<'tool:post'>): { readonly operation: string } | undefined {
    const known = data.call_id === undefined ? undefined : this.ended.get(data.call_id);
    if (known) {
      const status = data.result.success ? 'completed' : 'failed';
      this.emit({ event: 'tool:update', data: { ...data, call_id: known.id, status } });
      return known.isDenied ? known : undefined;
    }
    const call = this.take(data);
    this.emit({ event: 'tool:post', data: { ...data, call_id: call.id } });
    return call.isDenied ? call : undefined;
  }

  error({ data }: EventOf<'tool:error'>): void {
    if (!this.isEnded(data.call_id)) {
      this.emit({ event: 'tool:error', data: { ...data, call_id: this.take(data).id } });
    } else if (!data.unfinished) {
      this.emit({ event: 'tool:update', data: { ...data, call_id: data.call_id, status: 'failed' } });
    }
  }

  decide(id: string, isDenied: boolean): void {
    const call = this.open.get(id);
    if (call) call.isDenied = isDenied;
  }

  endAll(sessionId: string, reason: string): void {
    for (const call of [...this.open.values()]) {
      this.end(call);
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

  /** Ends the call of a result. Starts it first if its start was lost. */
  private take(data: EventData<'tool:post' | 'tool:error'>): OpenCall {
    const open = data.call_id === undefined ? this.oldest(data) : this.open.get(data.call_id);
    const call = open ?? this.beginUnheard(data);
    this.end(call);
    return call;
  }

  private oldest({ tool_name, operation }: ToolName): OpenCall | undefined {
    return [...this.open.values()].find((call) => call.toolName === tool_name && call.operation === operation);
  }

  private beginUnheard(data: UnheardCall): OpenCall {
    const call = this.begin(data);
    const { operation, session_id, tool_name } = data;
    const kind = data.kind ?? kindOf(data);
    this.emit({ event: 'tool:pre', data: { session_id, tool_name, operation, call_id: call.id, input: {}, kind } });
    return call;
  }

  private begin({ call_id, tool_name, operation }: ToolName & { readonly call_id?: string | undefined }): OpenCall {
    const call = { id: call_id ?? this.freeId(), toolName: tool_name, operation, isDenied: false };
    this.open.set(call.id, call);
    this.ended.delete(call.id);
    return call;
  }

  private freeId(): string {
    let id: string;
    do id = `${this.idPrefix}-${++this.count}`;
    while (this.open.has(id) || this.ended.has(id));
    return id;
  }

  private end(call: OpenCall): void {
    this.open.delete(call.id);
    this.ended.set(call.id, call);
    const [oldest] = this.ended.keys();
    if (this.ended.size > maxEnded && oldest !== undefined) this.ended.delete(oldest);
  }
}

type ToolName = Pick<EventData<'tool:pre'>, 'tool_name' | 'operation'>;
type UnheardCall = ToolName & Pick<EventData<'tool:pre'>, 'session_id' | 'call_id' | 'kind'>;

function kindOf({ tool_name, operation }: ToolName) {
  return toolKindOf(tool_name, operation);
}
