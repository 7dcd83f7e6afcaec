import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EventOf } from '../../../session/common/sessionEvents';
import type { EntryBase } from '../../../transcript/common/entries';
import type { EntryWriter } from './entryWriter';
import { contentParts } from './toolParts';

type AnswerEvent = EventOf<
  | 'content_block:start'
  | 'content_block:delta'
  | 'content_block:media'
  | 'content_block:end'
  | 'thinking:delta'
  | 'thinking:final'
>;

export interface OpenBlock {
  readonly kind: 'thinking' | 'answering';
  readonly since: number | undefined;
}

/** The entries for the text blocks and thoughts of one turn. */
export class BlockEntries {
  /** Open answers by block index. An entry is created with its first text, so that empty blocks are not shown. */
  private readonly openAnswers = new Map<number, EntryBase>();
  private openThought: { readonly base: EntryBase; readonly startedAt: number | undefined } | undefined;
  /** Whether the beginning of the thought has an entry of its own, because a prompt has joined the turn. */
  private isThoughtSplit = false;

  constructor(private readonly writer: EntryWriter) {}

  applyEvent(event: AnswerEvent): void {
    switch (event.event) {
      case 'content_block:start':
        return;
      case 'content_block:delta':
        this.appendAnswer(event.data.block_index, event.data.delta);
        return;
      case 'content_block:media': {
        const [part] = contentParts([event.data.content]).parts;
        if (part) this.writer.put({ kind: 'media', ...this.writer.createBase(), part });
        return;
      }
      case 'content_block:end':
        this.endAnswer(event.data.block_index);
        return;
      case 'thinking:delta':
        this.appendThought(event.data.delta);
        return;
      case 'thinking:final':
        this.endWholeThought(event.data.thinking);
        return;
    }
  }

  /** The block that is being written: a thought, or else the last text. */
  get openBlock(): OpenBlock | undefined {
    if (this.openThought) return { kind: 'thinking', since: this.openThought.startedAt };
    const last = [...this.openAnswers.values()].at(-1);
    return last && { kind: 'answering', since: last.at };
  }

  endAll(): void {
    if (this.openThought) this.endThought(this.textOf(this.openThought.base));
    for (const index of [...this.openAnswers.keys()]) this.endAnswer(index);
  }

  /** What is open ends as it is, and goes on in new entries. */
  split(): void {
    this.isThoughtSplit ||= this.openThought !== undefined;
    this.endAll();
  }

  private endWholeThought(text: string): void {
    const { isThoughtSplit } = this;
    this.isThoughtSplit = false;
    if (!isThoughtSplit) this.openThought ??= { base: this.writer.createBase(), startedAt: this.writer.previousAt };
    if (this.openThought) this.endThought(isThoughtSplit ? this.textOf(this.openThought.base) : text);
  }

  private appendAnswer(index: number, text: string): void {
    const known = this.openAnswers.get(index);
    if (known) {
      this.writer.document.append(known.id, text);
      return;
    }
    const base = this.writer.createBase();
    this.openAnswers.set(index, base);
    this.writer.put({ kind: 'answer', ...base, text, streaming: true });
  }

  private endAnswer(index: number): void {
    const base = this.openAnswers.get(index);
    this.openAnswers.delete(index);
    if (base) this.writer.put({ kind: 'answer', ...base, text: this.textOf(base) });
  }

  private appendThought(text: string): void {
    if (this.openThought) {
      this.writer.document.append(this.openThought.base.id, text);
      return;
    }
    this.openThought = { base: this.writer.createBase(), startedAt: this.writer.recordedAt };
    this.writer.put({ kind: 'thinking', ...this.openThought.base, text, streaming: true });
  }

  private endThought(text: string): void {
    const { openThought, writer } = this;
    if (!openThought) return;
    this.openThought = undefined;
    const durationMs = writer.elapsedSince(openThought.startedAt);
    writer.put({ kind: 'thinking', ...openThought.base, text, ...withoutUndefined({ durationMs }) });
  }

  private textOf({ id }: EntryBase): string {
    const entry = this.writer.document.get(id);
    return entry?.kind === 'answer' || entry?.kind === 'thinking' ? entry.text : '';
  }
}
