import type { EventOf, SessionEvent } from '../../../session/common/sessionEvents';

/**
 * How many pieces of a text without an id an agent may still send after it has taken a prompt and before it reads it. Codex sends two.
 */
const maxLatePieces = 2;
/** A thought has no block. There is one at a time. */
const thoughtBlock = -1;

type Output = EventOf<'content_block:delta' | 'content_block:media' | 'thinking:delta' | 'tool:pre'>;

/** The calls and texts of an agent that are under way, without those of subagents. */
export class RunningParts {
  private readonly callIds = new Set<string>();
  /** The ids of the messages by block, undefined if the agent gives none. */
  private readonly messageIds = new Map<number, string | undefined>();
  /** The id of the last message. It can go on in another block. */
  private lastMessageId: string | undefined;

  handleEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'tool:pre':
        if (event.data.parent_call_id === undefined) this.callIds.add(event.data.call_id ?? '');
        return;
      case 'tool:post':
      case 'tool:error':
        this.callIds.delete(event.data.call_id ?? '');
        return;
      case 'content_block:start':
        this.lastMessageId = event.data.message_id;
        this.messageIds.set(event.data.block_index, event.data.message_id);
        return;
      case 'content_block:end':
        this.messageIds.delete(event.data.block_index);
        return;
      case 'thinking:delta':
        this.messageIds.set(thoughtBlock, undefined);
        return;
      case 'thinking:final':
        this.messageIds.delete(thoughtBlock);
        return;
      case 'prompt:complete':
      case 'error':
        this.clear();
        return;
      default:
    }
  }

  clear(): void {
    this.callIds.clear();
    this.messageIds.clear();
    this.lastMessageId = undefined;
  }

  /**
   * Returns whether an event shows that the agent has read a prompt that joins the turn now. Before it reads it, it may go on with
   * what it says, and begin calls beside those that run, on which it has decided before. The result needs every event, after `handleEvent`.
   */
  readingFilter(): (event: SessionEvent) => boolean {
    const callIds = [...this.callIds];
    const openBlocks = new Set(this.messageIds.keys());
    const { lastMessageId } = this;
    let latePieces = 0;
    return (event) => {
      if (event.event === 'content_block:end') openBlocks.delete(event.data.block_index);
      if (event.event === 'thinking:final') openBlocks.delete(thoughtBlock);
      if (!isOutput(event)) return false;
      if (event.event === 'tool:pre') return !callIds.some((id) => this.callIds.has(id));
      const block = event.event === 'thinking:delta' ? thoughtBlock : event.data.block_index;
      const messageId = this.messageIds.get(block);
      if (messageId !== undefined) return messageId !== lastMessageId;
      return !openBlocks.has(block) || ++latePieces > maxLatePieces;
    };
  }
}

/** Whether the agent says or does something itself. What subagents do, and a change of the plan, may come from long before. */
export function isOutput(event: SessionEvent): event is Output {
  switch (event.event) {
    case 'content_block:delta':
      return event.data.delta.trim() !== '';
    case 'tool:pre':
      return event.data.parent_call_id === undefined;
    default:
      return event.event === 'content_block:media' || event.event === 'thinking:delta';
  }
}
