import type { SessionEvent, EventData, EventOf } from '../sessionEvents';

interface OpenTool {
  readonly callId: string;
  readonly toolName: string;
  readonly operation: string;
  denied: boolean;
}

/**
 * Which result belongs to which call. Servers that send no call ids get some: a result goes to the oldest open call of the
 * same tool and operation. A call that never gets a result is closed when the turn ends.
 */
export class ToolCallPairing {
  private readonly open: OpenTool[] = [];
  private calls = 0;

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  /** The call that waits, when there is no doubt which one it is. */
  get onlyOpenCallId(): string | undefined {
    return this.open.length === 1 ? this.open[0]?.callId : undefined;
  }

  pre({ data }: EventOf<'tool:pre'>): void {
    this.emit({ event: 'tool:pre', data: { ...data, call_id: this.begin(data).callId } });
  }

  post({ data }: EventOf<'tool:post'>): void {
    const tool = this.take(data);
    this.emit({ event: 'tool:post', data: { ...data, call_id: tool.callId } });
    if (!tool.denied || !data.result.success) return;
    this.emit({
      event: 'notice',
      data: {
        session_id: this.sessionId,
        level: 'error',
        message: `The server ran ${tool.operation} although it was denied. Check what it did, and stop the server.`,
      },
    });
  }

  error({ data }: EventOf<'tool:error'>): void {
    this.emit({ event: 'tool:error', data: { ...data, call_id: this.take(data).callId } });
  }

  deny(callId: string): void {
    const tool = this.open.find((candidate) => candidate.callId === callId);
    if (tool) tool.denied = true;
  }

  endAll(): void {
    for (const { callId, toolName, operation, denied } of this.open.splice(0)) {
      const error = denied ? 'Not run: it was denied.' : 'The server sent no result.';
      const data = { session_id: this.sessionId, tool_name: toolName, operation, call_id: callId, error };
      this.emit({ event: 'tool:error', data: denied ? data : { ...data, unfinished: true } });
    }
  }

  private begin({ call_id, tool_name, operation }: ToolFacts): OpenTool {
    const callId = call_id ?? `call-${++this.calls}`;
    const known = this.open.find((tool) => tool.callId === callId);
    if (known) return known;
    const tool = { callId, toolName: tool_name, operation, denied: false };
    this.open.push(tool);
    return tool;
  }

  /** Takes the call of a result off the list; a result whose call was lost on the way gets one told now. */
  private take(data: ToolFacts): OpenTool {
    const index = this.open.findIndex((tool) =>
      data.call_id === undefined
        ? tool.toolName === data.tool_name && tool.operation === data.operation
        : tool.callId === data.call_id,
    );
    const [known] = index === -1 ? [] : this.open.splice(index, 1);
    if (known) return known;
    const tool = this.begin(data);
    this.open.splice(this.open.indexOf(tool), 1);
    const { tool_name, operation } = data;
    const pre = { session_id: this.sessionId, tool_name, operation, call_id: tool.callId, input: {} };
    this.emit({ event: 'tool:pre', data: pre });
    return tool;
  }
}

type ToolFacts = Pick<EventData<'tool:pre'>, 'call_id' | 'tool_name' | 'operation'>;
