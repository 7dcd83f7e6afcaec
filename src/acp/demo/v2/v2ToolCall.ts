import type {
  AgentContext,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import { createTwoFilesPatch } from 'diff';
import type { DemoSession } from '../session/sessions';
import { SessionToolCall, type ToolCallStart } from '../session/sessionToolCall';

export class V2ToolCall extends SessionToolCall<ToolCallContent> {
  constructor(
    session: DemoSession,
    details: ToolCallStart<ToolCallContent>,
    private readonly send: (update: SessionUpdate) => Promise<void>,
  ) {
    super(session, details);
  }

  async start(): Promise<void> {
    await this.update(this.startUpdate);
  }

  async endWithText(text: string, status: 'completed' | 'failed' = 'completed', rawOutput?: unknown): Promise<void> {
    await this.reportProgress([textContent(text)]);
    await this.end(status, rawOutput, [{ type: 'text', text }]);
  }

  async fail(reason: string): Promise<void> {
    await this.endWithReason('failed', reason);
  }

  async cancel(): Promise<void> {
    await this.endWithReason('cancelled', 'Cancelled');
  }

  private async endWithReason(status: 'failed' | 'cancelled', reason: string): Promise<void> {
    const content = textContent(reason);
    await this.send({ sessionUpdate: 'tool_call_content_chunk', toolCallId: this.id, content });
    this.store('failed', [{ type: 'text', text: reason }]);
    await this.update({ status, rawOutput: { error: reason } });
  }

  protected async update(changes: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    await this.send({ sessionUpdate: 'tool_call_update', ...changes, toolCallId: this.id });
  }
}

export async function sendSessionUpdate(
  client: AgentContext,
  { id: sessionId }: DemoSession,
  update: SessionUpdate,
): Promise<void> {
  await client.notify('session/update', { sessionId, update });
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Returns a diff in the form of version 2: the affected file, and a patch. `oldText` is null if the file is new. */
export function diffContent(path: string, oldText: string | null, newText: string): ToolCallContent {
  const isNew = oldText === null;
  const hunks = createTwoFilesPatch(isNew ? '/dev/null' : `a${path}`, `b${path}`, oldText ?? '', newText);
  const text = `diff --git a${path} b${path}\n${isNew ? 'new file mode 100644\n' : ''}${hunks}`;
  const patch = { format: 'git_patch', text: text.replace(/^=+\n/m, '') };
  const change = isNew ? { operation: 'add' as const, path } : { operation: 'modify' as const, path };
  return { type: 'diff', changes: [{ ...change, fileType: 'text' }], patch };
}
