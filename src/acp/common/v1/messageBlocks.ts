import type { SessionEvent } from '../../../session/common/sessionEvents';
import { blockToContent, blockToText } from './toolContent';
import type { ContentBlock } from './v1Schema';

/** What the agent says and thinks, chunk by chunk, as content blocks. One of text or thought at most is open. */
export class MessageBlocks {
  private block: { readonly index: number; readonly messageId: string | undefined } | undefined;
  private thinking: string | undefined;
  private nextIndex = 0;

  constructor(private readonly sessionId: string) {}

  /** Blocks are counted from 0 in each turn. */
  restart(): void {
    this.nextIndex = 0;
  }

  text(text: string, messageId: string | undefined): SessionEvent[] {
    const events = this.closeThinking();
    if (this.block && this.block.messageId !== messageId) events.push(...this.closeBlock());
    let { block } = this;
    if (!block) {
      block = this.block = { index: this.nextIndex++, messageId };
      events.push(this.start(block.index, 'text', messageId));
    }
    const data = { session_id: this.sessionId, block_index: block.index, delta: text };
    events.push({ event: 'content_block:delta', data });
    return events;
  }

  /** Empty for content of an unknown type. */
  media(content: ContentBlock, messageId: string | undefined): SessionEvent[] {
    const shown = blockToContent(content);
    if (!shown) return [];
    const events = this.close();
    const index = this.nextIndex++;
    const ofBlock = { session_id: this.sessionId, block_index: index };
    events.push(
      this.start(index, shown.type, messageId),
      { event: 'content_block:media', data: { ...ofBlock, content: shown } },
      { event: 'content_block:end', data: ofBlock },
    );
    return events;
  }

  thought(content: ContentBlock): SessionEvent[] {
    const delta = blockToText(content);
    const events = this.closeBlock();
    this.thinking = (this.thinking ?? '') + delta;
    events.push({ event: 'thinking:delta', data: { session_id: this.sessionId, delta } });
    return events;
  }

  close(): SessionEvent[] {
    return [...this.closeThinking(), ...this.closeBlock()];
  }

  private start(index: number, type: string, messageId: string | undefined): SessionEvent {
    const data = { session_id: this.sessionId, block_type: type, block_index: index };
    return {
      event: 'content_block:start',
      data: messageId === undefined ? data : { ...data, message_id: messageId },
    };
  }

  private closeThinking(): SessionEvent[] {
    const { thinking } = this;
    if (thinking === undefined) return [];
    this.thinking = undefined;
    return [{ event: 'thinking:final', data: { session_id: this.sessionId, thinking } }];
  }

  private closeBlock(): SessionEvent[] {
    const { block } = this;
    if (!block) return [];
    this.block = undefined;
    return [{ event: 'content_block:end', data: { session_id: this.sessionId, block_index: block.index } }];
  }
}
