import type { EventOf } from '../../../session/common/sessionEvents';
import type { EntryBase, EntryWriter } from './entryWriter';
import { contentParts } from './toolParts';

type MessageEvent = EventOf<
  | 'content_block:start'
  | 'content_block:delta'
  | 'content_block:media'
  | 'content_block:end'
  | 'thinking:delta'
  | 'thinking:final'
>;

/** The entries of one turn's text blocks and thoughts. */
export class SpokenEntries {
  /** Open answers by block index. Created with the first text, so that empty blocks aren't shown. */
  private readonly answers = new Map<number, EntryBase>();
  private thinking: { readonly base: EntryBase; readonly since: number | undefined } | undefined;

  constructor(private readonly writer: EntryWriter) {}

  handle(event: MessageEvent): void {
    switch (event.event) {
      case 'content_block:start':
        return;
      case 'content_block:delta':
        this.say(event.data.block_index, event.data.delta);
        return;
      case 'content_block:media': {
        const [part] = contentParts([event.data.content]).parts;
        if (part) this.writer.put({ kind: 'media', ...this.writer.base(), part });
        return;
      }
      case 'content_block:end':
        this.endAnswer(event.data.block_index);
        return;
      case 'thinking:delta':
        this.think(event.data.delta);
        return;
      case 'thinking:final':
        this.thinking ??= { base: this.writer.base(), since: this.writer.lastAt };
        this.endThinking(event.data.thinking);
        return;
    }
  }

  /** Ends everything that is still open. */
  end(): void {
    if (this.thinking) this.endThinking(this.textOf(this.thinking.base));
    for (const index of [...this.answers.keys()]) this.endAnswer(index);
  }

  private say(index: number, text: string): void {
    const known = this.answers.get(index);
    if (known) {
      this.writer.document.append(known.id, text);
      return;
    }
    const base = this.writer.base();
    this.answers.set(index, base);
    this.writer.put({ kind: 'answer', ...base, text, streaming: true });
  }

  private endAnswer(index: number): void {
    const base = this.answers.get(index);
    this.answers.delete(index);
    if (base) this.writer.put({ kind: 'answer', ...base, text: this.textOf(base) });
  }

  private think(text: string): void {
    if (this.thinking) {
      this.writer.document.append(this.thinking.base.id, text);
      return;
    }
    this.thinking = { base: this.writer.base(), since: this.writer.at };
    this.writer.put({ kind: 'thinking', ...this.thinking.base, text, streaming: true });
  }

  private endThinking(text: string): void {
    const { thinking, writer } = this;
    if (!thinking) return;
    this.thinking = undefined;
    const { base, since } = thinking;
    const durationMs = since === undefined || writer.at === undefined ? undefined : writer.at - since;
    writer.put({ kind: 'thinking', ...base, text, ...(durationMs === undefined ? {} : { durationMs }) });
  }

  private textOf({ id }: EntryBase): string {
    const entry = this.writer.document.get(id);
    return entry?.kind === 'answer' || entry?.kind === 'thinking' ? entry.text : '';
  }
}
