import type {
  AgentContext,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import { createTwoFilesPatch } from 'diff';
import { addToHistory, type ToolHistory } from '../session/history';
import type { DemoSession } from '../session/sessions';

interface ToolCallStart {
  readonly title: string;
  readonly kind: ToolHistory['kind'];
  readonly path?: string;
  /** 1-based. */
  readonly line?: number;
  readonly rawInput: unknown;
  readonly content?: ToolCallContent[];
}

/** A tool call as the client sees it: announced, updated and always ended. */
export class V2ToolCall {
  readonly id: string;

  constructor(
    private readonly client: AgentContext,
    private readonly session: DemoSession,
    private readonly details: ToolCallStart,
  ) {
    this.id = `call-${++session.callCount}`;
  }

  get description(): ToolCallUpdate {
    const { title, kind, path, line, rawInput, content } = this.details;
    const locations = path === undefined ? [] : [{ path, ...(line === undefined ? {} : { line }) }];
    return { toolCallId: this.id, title, kind, status: 'pending', locations, rawInput, content: content ?? [] };
  }

  async start(): Promise<void> {
    await this.update(this.description);
  }

  async reportProgress(content?: ToolCallContent[]): Promise<void> {
    await this.update({ status: 'in_progress', ...(content === undefined ? {} : { content }) });
  }

  /** `historyContent` is stored; the client keeps the content that it has. */
  async end(
    status: 'completed' | 'failed' | 'cancelled',
    rawOutput: unknown,
    historyContent: ToolHistory['content'],
  ): Promise<void> {
    const { title, kind, path } = this.details;
    addToHistory(this.session.history, {
      type: 'tool',
      toolCallId: this.id,
      title,
      kind,
      status: status === 'completed' ? 'completed' : 'failed',
      content: historyContent,
      ...(path === undefined ? {} : { path }),
    });
    await this.update({ status, rawOutput });
  }

  /** Adds the reason to the content. */
  async fail(reason: string, status: 'failed' | 'cancelled' = 'failed'): Promise<void> {
    await sendUpdate(this.client, this.session, {
      sessionUpdate: 'tool_call_content_chunk',
      toolCallId: this.id,
      content: textContent(reason),
    });
    await this.end(status, { error: reason }, [{ type: 'text', text: reason }]);
  }

  private async update(changes: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> {
    await sendUpdate(this.client, this.session, {
      sessionUpdate: 'tool_call_update',
      ...changes,
      toolCallId: this.id,
    });
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

/** A diff as version 2 has it: the affected file, and a patch. */
export function diffContent(path: string, oldText: string, newText: string): ToolCallContent {
  const text = `diff --git a${path} b${path}\n${createTwoFilesPatch(`a${path}`, `b${path}`, oldText, newText)}`;
  const patch = { format: 'git_patch', text: text.replace(/^=+\n/m, '') };
  return { type: 'diff', changes: [{ operation: 'modify', path, fileType: 'text' }], patch };
}
