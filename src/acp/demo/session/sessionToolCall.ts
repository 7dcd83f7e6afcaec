import { addToHistory, type ToolHistoryItem } from './history';
import type { DemoSession } from './sessions';

export interface ToolCallStart<Content> {
  readonly title: string;
  readonly kind: ToolHistoryItem['kind'];
  readonly path?: string;
  /** Line number, 1-based. */
  readonly line?: number;
  readonly rawInput: unknown;
  readonly content?: Content[];
}

export interface CallChanges<Content> {
  readonly status: ToolHistoryItem['status'] | 'in_progress';
  readonly rawOutput?: unknown;
  readonly content?: Content[];
}

/** A tool call in the client's view: announced, updated and always ended. Each version of ACP has its own messages. */
export abstract class SessionToolCall<Content> {
  readonly id: string;

  constructor(
    private readonly session: DemoSession,
    private readonly details: ToolCallStart<Content>,
  ) {
    this.id = `call-${++session.callCount}`;
  }

  get startUpdate() {
    const { title, kind, path, line, rawInput, content } = this.details;
    const locations: { path: string; line?: number }[] =
      path === undefined ? [] : [{ path, ...(line === undefined ? {} : { line }) }];
    const status = 'pending' as const;
    return { toolCallId: this.id, title, kind, status, locations, rawInput, content: content ?? [] };
  }

  abstract start(): Promise<void>;

  /** `content`, if given, replaces the content that the client shows. */
  async reportProgress(content?: Content[]): Promise<void> {
    await this.update({ status: 'in_progress', ...(content === undefined ? {} : { content }) });
  }

  /** Ends the call. `stored` is its content in the history; the content that the client shows stays unchanged. */
  async end(status: ToolHistoryItem['status'], rawOutput: unknown, stored: ToolHistoryItem['content']): Promise<void> {
    this.store(status, stored);
    await this.update({ status, rawOutput });
  }

  /** Ends a call with a text, which the client shows and the history stores. */
  abstract endWithText(text: string, status?: ToolHistoryItem['status'], rawOutput?: unknown): Promise<void>;
  /** Ends a failed call with a reason, which the client shows. */
  abstract fail(reason: string): Promise<void>;
  /** Ends the call of a cancelled turn. */
  abstract cancel(): Promise<void>;

  protected abstract update(changes: CallChanges<Content>): Promise<void>;

  protected store(status: ToolHistoryItem['status'], content: ToolHistoryItem['content']): void {
    const { title, kind, path } = this.details;
    const place = path === undefined ? {} : { path };
    addToHistory(this.session.history, { type: 'tool', toolCallId: this.id, title, kind, status, content, ...place });
  }
}
