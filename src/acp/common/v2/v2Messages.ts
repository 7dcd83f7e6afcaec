import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionEventMapper } from '../session/sessionEventMapper';
import { textOfBlock } from '../session/toolContent';
import type { ContentBlock } from '../session/wireSchema';

interface Message {
  readonly blockIndex: number;
  /** The text of the message so far. */
  text: string;
}

/** Maximum number of messages whose text is remembered. Older messages count as new. */
const maxMessages = 500;

/** Reads an agent's messages and thoughts, which it sends in pieces or as a whole. Several can be open at a time. */
export class V2Messages {
  private readonly messages = new Map<string, Message>();
  private readonly thoughts = new Map<string, string>();
  private nextBlockIndex = 0;

  constructor(private readonly mapper: SessionEventMapper) {}

  addChunk(id: string, content: ContentBlock): SessionEvent[] {
    const message = this.messageOf(id);
    if (content.type === 'text') message.text += content.text;
    return this.mapper.mapMessageChunk(content, id, message.blockIndex) ?? [];
  }

  /** Replaces the whole message. Without `content`, nothing changes. */
  replace(id: string, content: readonly ContentBlock[] | null | undefined): SessionEvent[] {
    if (content === undefined) return [];
    const blocks = content ?? [];
    const message = this.messageOf(id);
    const known = message.text;
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (known !== '' && text.startsWith(known)) {
      const tail = text.slice(known.length);
      return tail === '' ? [] : this.addChunk(id, { type: 'text', text: tail });
    }
    message.text = '';
    const ended = this.mapper.endMessageBlock(message.blockIndex);
    return [...ended, ...blocks.flatMap((block) => this.addChunk(id, block))];
  }

  addThoughtChunk(id: string, content: ContentBlock): SessionEvent[] {
    this.remember(this.thoughts, id, (this.thoughts.get(id) ?? '') + textOfBlock(content));
    return this.mapper.mapThought(content);
  }

  replaceThought(id: string, content: readonly ContentBlock[] | null | undefined): SessionEvent[] {
    if (content === undefined) return [];
    const known = this.thoughts.get(id) ?? '';
    const text = (content ?? []).map(textOfBlock).join('');
    this.remember(this.thoughts, id, text);
    const tail = known !== '' && text.startsWith(known) ? text.slice(known.length) : text;
    return tail === '' || text === known ? [] : this.mapper.mapThought({ type: 'text', text: tail });
  }

  private messageOf(id: string): Message {
    const known = this.messages.get(id);
    if (known) return known;
    const message = { blockIndex: this.nextBlockIndex++, text: '' };
    this.remember(this.messages, id, message);
    return message;
  }

  private remember<T>(map: Map<string, T>, id: string, value: T): void {
    map.set(id, value);
    const [oldest] = map.keys();
    if (map.size > maxMessages && oldest !== undefined) map.delete(oldest);
  }
}
