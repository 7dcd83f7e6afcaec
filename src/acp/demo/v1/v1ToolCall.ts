import type { AgentContext, SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { ToolHistory } from '../session/history';
import type { DemoSession } from '../session/sessions';
import { SessionToolCall, type ToolCallStart } from '../session/sessionToolCall';

export class V1ToolCall extends SessionToolCall<ToolCallContent> {
  constructor(
    session: DemoSession,
    details: ToolCallStart<ToolCallContent>,
    private readonly send: (update: SessionUpdate) => Promise<void>,
  ) {
    super(session, details);
  }

  async start(): Promise<void> {
    await this.send({ sessionUpdate: 'tool_call', ...this.description });
  }

  async reportProgress(content?: ToolCallContent[]): Promise<void> {
    await this.update({ status: 'in_progress', ...(content === undefined ? {} : { content }) });
  }

  async end(status: ToolHistory['status'], rawOutput: unknown, stored: ToolHistory['content']): Promise<void> {
    this.store(status, stored);
    await this.update({ status, rawOutput });
  }

  async endWithText(text: string): Promise<void> {
    this.store('completed', [{ type: 'text', text }]);
    await this.update({ status: 'completed', content: [textContent(text)] });
  }

  async fail(reason: string): Promise<void> {
    this.store('failed', [{ type: 'text', text: reason }]);
    await this.update({ status: 'failed', rawOutput: { error: reason }, content: [textContent(reason)] });
  }

  async cancel(): Promise<void> {
    await this.fail('Cancelled');
  }

  private async update(changes: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    await this.send({ sessionUpdate: 'tool_call_update', toolCallId: this.id, ...changes });
  }
}

export async function sendUpdate(
  client: AgentContext,
  { id: sessionId }: DemoSession,
  update: SessionUpdate,
): Promise<void> {
  await client.notify('session/update', { sessionId, update });
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}
