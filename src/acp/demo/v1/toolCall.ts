import type { AgentContext, SessionUpdate, ToolCall as WireToolCall, ToolCallContent } from '@agentclientprotocol/sdk';
import { addToHistory, type ToolHistory } from '../session/history';
import type { DemoSession } from '../session/sessions';

interface ToolCallStart {
  readonly title: string;
  readonly kind: ToolHistory['kind'];
  readonly path?: string;
  /** Line number, 1-based. */
  readonly line?: number;
  readonly rawInput: unknown;
  readonly content?: ToolCallContent[];
}

/** A tool call in the client's view. It is announced, updated and always ended. */
export class DemoToolCall {
  readonly id: string;

  constructor(
    private readonly client: AgentContext,
    private readonly session: DemoSession,
    private readonly details: ToolCallStart,
  ) {
    this.id = `call-${++session.callCount}`;
  }

  get description(): WireToolCall {
    const { title, kind, path, line, rawInput, content } = this.details;
    const locations = path === undefined ? [] : [{ path, ...(line === undefined ? {} : { line }) }];
    return { toolCallId: this.id, title, kind, status: 'pending', locations, rawInput, content: content ?? [] };
  }

  async start(): Promise<void> {
    await sendUpdate(this.client, this.session, { sessionUpdate: 'tool_call', ...this.description });
  }

  async reportProgress(content?: ToolCallContent[]): Promise<void> {
    const changed = content === undefined ? {} : { content };
    await sendUpdate(this.client, this.session, {
      sessionUpdate: 'tool_call_update',
      toolCallId: this.id,
      status: 'in_progress',
      ...changed,
    });
  }

  /**
   * Ends the call. `historyContent` is stored in the history. `clientContent`, if given, replaces the content that the
   * client shows.
   */
  async end(
    status: ToolHistory['status'],
    rawOutput: unknown,
    historyContent: ToolHistory['content'],
    clientContent?: ToolCallContent[],
  ): Promise<void> {
    const { title, kind, path } = this.details;
    const place = path === undefined ? {} : { path };
    addToHistory(this.session.history, {
      type: 'tool',
      toolCallId: this.id,
      title,
      kind,
      status,
      content: historyContent,
      ...place,
    });
    const changed = clientContent === undefined ? {} : { content: clientContent };
    await sendUpdate(this.client, this.session, {
      sessionUpdate: 'tool_call_update',
      toolCallId: this.id,
      status,
      rawOutput,
      ...changed,
    });
  }

  async fail(reason: string): Promise<void> {
    const content = [{ type: 'text' as const, text: reason }];
    await this.end('failed', { error: reason }, content, [textContent(reason)]);
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
