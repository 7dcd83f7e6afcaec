import type { AgentContext, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { DemoSession } from '../session/sessions';
import { SessionToolCall, type CallChanges, type ToolCallStart } from '../session/sessionToolCall';

export class V1ToolCall extends SessionToolCall<ToolCallContent> {
  constructor(
    session: DemoSession,
    details: ToolCallStart<ToolCallContent>,
    private readonly send: (update: SessionUpdate) => Promise<void>,
  ) {
    super(session, details);
  }

  async start(): Promise<void> {
    await this.send({ sessionUpdate: 'tool_call', ...this.startUpdate });
  }

  async endWithText(text: string, status: 'completed' | 'failed' = 'completed', rawOutput?: unknown): Promise<void> {
    this.store(status, [{ type: 'text', text }]);
    await this.update({ status, rawOutput, content: [textContent(text)] });
  }

  async fail(reason: string): Promise<void> {
    this.store('failed', [{ type: 'text', text: reason }]);
    await this.update({ status: 'failed', rawOutput: { error: reason }, content: [textContent(reason)] });
  }

  async cancel(): Promise<void> {
    await this.fail('Cancelled');
  }

  protected async update(changes: CallChanges<ToolCallContent>): Promise<void> {
    await this.send({ sessionUpdate: 'tool_call_update', toolCallId: this.id, ...changes });
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
