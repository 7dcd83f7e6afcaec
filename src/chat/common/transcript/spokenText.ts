import { ContentBlocks } from '../../../session/common/normalize/contentBlocks';
import type { SessionEvent, EventOf } from '../../../session/common/sessionEvents';
import { endsWithText, textAfter } from '../../../base/common/spacing';
import type { EntryBase, EntryWriter } from './entryWriter';
import { contentParts } from './toolParts';

type BlockEvent = EventOf<
  'content_block:start' | 'content_block:delta' | 'content_block:media' | 'content_block:end' | 'thinking:delta'
>;

interface OpenText {
  readonly kind: 'answer' | 'thinking';
  /** Undefined before its first text: an empty block is not shown. */
  base: EntryBase | undefined;
}

/** What the agent says and thinks in one turn, whether or not it says where its blocks begin and end. */
export class SpokenText {
  private readonly blocks: ContentBlocks;
  private readonly open = new Map<number, OpenText>();
  private thinking: { readonly base: EntryBase; readonly since: number | undefined } | undefined;
  /** The text of the last thinking that has ended, which its `thinking:final` tells again. */
  private lastThought: string | undefined;
  private said: string[] = [];

  /**
   * `lastAt` is when the event before the one that is told now has happened; `before` what was said of the turn before it
   * was cut off.
   */
  constructor(
    sessionId: string,
    private readonly writer: EntryWriter,
    private readonly lastAt: () => number | undefined,
    private readonly before: string,
  ) {
    this.blocks = new ContentBlocks(sessionId, (event) => this.show(event));
  }

  handle(event: BlockEvent | EventOf<'thinking:final'>): void {
    switch (event.event) {
      case 'content_block:start':
        this.endThinking();
        this.blocks.start(event);
        return;
      case 'content_block:delta':
        this.endThinking();
        this.blocks.delta(event);
        return;
      case 'content_block:media':
        this.endThinking();
        this.blocks.media(event);
        return;
      case 'content_block:end':
        this.blocks.end(event.data.block_index);
        return;
      case 'thinking:delta':
        this.think(event.data.delta);
        return;
      case 'thinking:final':
        this.thought(event.data.thinking);
        return;
    }
  }

  /** Something else begins. */
  pause(): void {
    this.endThinking();
    this.blocks.endStep();
  }

  /** `response` may be the only text, the text of the last step, or what came already, joined in some other way. */
  complete(response: string): void {
    this.endThinking();
    const rest = textAfter(this.before, response) ?? response;
    if (!endsWithText(this.said.join(''), rest)) this.blocks.complete(rest);
    this.end();
  }

  end(): void {
    this.endThinking();
    this.blocks.endAll();
    for (const text of this.open.values()) this.close(text);
    this.open.clear();
  }

  private show(event: SessionEvent): void {
    switch (event.event) {
      case 'content_block:start':
        this.open.set(event.data.block_index, { kind: kindOf(event.data.block_type), base: undefined });
        return;
      case 'content_block:delta': {
        const text = this.open.get(event.data.block_index);
        if (text) this.append(text, event.data.delta);
        return;
      }
      case 'content_block:media': {
        const [part] = contentParts([event.data.content]).parts;
        if (part) this.writer.put({ kind: 'media', ...this.writer.base(), part });
        return;
      }
      case 'content_block:end': {
        const text = this.open.get(event.data.block_index);
        this.open.delete(event.data.block_index);
        if (text) this.close(text);
        return;
      }
      default:
        return;
    }
  }

  private append(text: OpenText, delta: string): void {
    if (delta === '') return;
    if (text.kind === 'answer') this.said.push(delta);
    if (text.base) {
      this.writer.document.append(text.base.id, delta);
      return;
    }
    text.base = this.writer.base();
    this.writer.put({ kind: text.kind, ...text.base, text: delta, streaming: true });
  }

  private close({ kind, base }: OpenText): void {
    if (!base) return;
    const entry = this.writer.document.get(base.id);
    if (entry?.kind === kind) this.writer.put({ kind, ...base, text: entry.text });
  }

  private think(delta: string): void {
    if (delta === '') return;
    this.blocks.endStep();
    if (this.thinking) {
      this.writer.document.append(this.thinking.base.id, delta);
      return;
    }
    const base = this.writer.base();
    this.thinking = { base, since: this.writer.at };
    this.writer.put({ kind: 'thinking', ...base, text: delta, streaming: true });
  }

  /** The whole of it: what came in pieces already, or all in one lump. */
  private thought(text: string): void {
    if (!this.thinking) {
      if (text.trim() === '' || text === this.lastThought) return;
      this.blocks.endStep();
      this.thinking = { base: this.writer.base(), since: this.lastAt() };
    }
    this.endThinking(text);
  }

  private endThinking(final?: string): void {
    const { thinking, writer } = this;
    if (!thinking) return;
    this.thinking = undefined;
    const { base, since } = thinking;
    const entry = writer.document.get(base.id);
    const streamed = entry?.kind === 'thinking' ? entry.text : '';
    const text = final === undefined || final === '' ? streamed : final;
    this.lastThought = text;
    const durationMs = since === undefined || writer.at === undefined ? undefined : writer.at - since;
    writer.put({ kind: 'thinking', ...base, text, ...(durationMs === undefined ? {} : { durationMs }) });
  }
}

function kindOf(blockType: string): OpenText['kind'] {
  return /think|reason/i.test(blockType) ? 'thinking' : 'answer';
}
