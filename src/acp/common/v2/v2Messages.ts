import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { SessionEventMapper } from '../session/sessionEventMapper';
import { textOfBlock } from '../session/toolContent';
import type { ContentBlock } from '../session/wireSchema';

interface Message {
  readonly blockIndex: number;
  /** What was told of the message, without content other than text. */
  text: string;
}

/** Limit of messages whose text is remembered; an older one counts as new. */
const maxMessages = 500;

/** The messages and thoughts of an agent, which it tells in pieces or whole, several at a time. */
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

  /** The whole message. Without `content`, nothing changes. */
  replace(id: string, content: readonly ContentBlock[] | null | undefined): SessionEvent[] {
    if (content === undefined) return [];
    const blocks = content ?? [];
    const message = this.messageOf(id);
    const told = message.text;
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (told !== '' && text.startsWith(told)) {
      const tail = text.slice(told.length);
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
    const told = this.thoughts.get(id) ?? '';
    const text = (content ?? []).map(textOfBlock).join('');
    this.remember(this.thoughts, id, text);
    const tail = told !== '' && text.startsWith(told) ? text.slice(told.length) : text;
    return tail === '' || text === told ? [] : this.mapper.mapThought({ type: 'text', text: tail });
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
