import { endsWithText, textAfter } from '../../../base/common/spacing';
import type { SessionEvent, EventOf } from '../sessionEvents';

const paragraph = '\n\n';

interface Block {
  readonly index: number;
  hasText: boolean;
  /** The server said when it starts, and so will say when it ends. */
  readonly isAnnounced: boolean;
}

/**
 * The text of one turn. Gives every block a start, an end and an index of its own in the turn, whatever the server sends:
 * the one that exists announces no block and counts from 0 again in each step.
 */
export class ContentBlocks {
  private readonly open = new Map<number, Block>();
  private nextIndex = 0;
  /** All of the turn, its blocks as paragraphs. */
  private told = '';
  /** Where in it the step begins, and where the one before began. */
  private stepStart = 0;
  private lastStepStart = 0;

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  get text(): string {
    return this.told;
  }

  start({ data }: EventOf<'content_block:start'>): void {
    this.end(data.block_index);
    const block = this.openBlock(data.block_index, true);
    this.emit({ event: 'content_block:start', data: { ...data, block_index: block.index } });
  }

  delta(event: EventOf<'content_block:delta'>): void {
    const { block_index: wireIndex, delta } = event.data;
    if (delta === '') return;
    const block = this.open.get(wireIndex) ?? this.startUnannounced(wireIndex, 'text');
    if (!block.hasText) {
      block.hasText = true;
      if (this.told !== '') this.told += paragraph;
    }
    this.told += delta;
    this.emit(
      block.index === wireIndex
        ? event
        : { event: 'content_block:delta', data: { ...event.data, block_index: block.index } },
    );
  }

  media({ data }: EventOf<'content_block:media'>): void {
    const block = this.open.get(data.block_index) ?? this.startUnannounced(data.block_index, data.content.type);
    this.emit({ event: 'content_block:media', data: { ...data, block_index: block.index } });
  }

  /** Does nothing for a block that is not open. */
  end(wireIndex: number): void {
    const block = this.open.get(wireIndex);
    if (!block) return;
    this.open.delete(wireIndex);
    this.emit({ event: 'content_block:end', data: { session_id: this.sessionId, block_index: block.index } });
  }

  /** Something else begins (a tool, thinking): text after it is another block, unless the server keeps count of blocks. */
  endStep(): void {
    for (const [wireIndex, { isAnnounced }] of this.open) if (!isAnnounced) this.end(wireIndex);
    if (this.told.length === this.stepStart) return;
    this.lastStepStart = this.stepStart;
    this.stepStart = this.told.length;
  }

  /**
   * Adds what `response` has and the deltas had not: all of it, a tail, or nothing. A response is the text of the whole
   * turn or of its last step, perhaps with other white space: then the deltas count. One that is neither is shown in full
   * after what came.
   */
  complete(response: string): void {
    const step = this.told.slice(this.stepStart);
    const lastStep = this.told.slice(this.lastStepStart, this.stepStart);
    const missing = missingText([this.told, step, lastStep], response);
    if (missing.isTail) {
      this.append(missing.text);
    } else if (missing.text !== '') {
      this.endAll();
      this.append(missing.text);
    }
    this.endAll();
  }

  endAll(): void {
    for (const wireIndex of [...this.open.keys()]) this.end(wireIndex);
  }

  private append(text: string): void {
    const last = [...this.open.keys()].at(-1) ?? this.nextIndex;
    this.delta({
      event: 'content_block:delta',
      data: { session_id: this.sessionId, block_index: last, delta: text },
    });
  }

  private startUnannounced(wireIndex: number, type: string): Block {
    const block = this.openBlock(wireIndex, false);
    this.emit({
      event: 'content_block:start',
      data: { session_id: this.sessionId, block_type: type, block_index: block.index },
    });
    return block;
  }

  private openBlock(wireIndex: number, isAnnounced: boolean): Block {
    const block = { index: this.nextIndex++, isAnnounced, hasText: false };
    this.open.set(wireIndex, block);
    return block;
  }
}

/** `candidates` are texts that came already: the whole turn's, its last step's. The server may have changed their white space. */
function missingText(candidates: readonly string[], response: string): { text: string; isTail: boolean } {
  if (candidates.some((text) => endsWithText(text, response))) return { text: '', isTail: false };
  // The longest text first: the tail must be what follows all that came.
  for (const begun of candidates.toSorted((a, b) => b.length - a.length)) {
    const tail = begun.trim() === '' ? undefined : textAfter(begun, response);
    if (tail !== undefined) return { text: /\s$/u.test(begun) ? tail.trimStart() : tail, isTail: true };
  }
  return { text: response, isTail: false };
}
