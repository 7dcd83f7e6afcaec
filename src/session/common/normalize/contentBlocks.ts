import { endsWithText, textAfter } from '../../../base/common/spacing';
import type { SessionEvent, EventOf } from '../sessionEvents';

const paragraph = '\n\n';

interface Block {
  readonly index: number;
  hasText: boolean;
  /** Started by the server, which also ends it. */
  readonly isAnnounced: boolean;
}

/**
 * Normalizes the content blocks of one turn: each gets a start, an end and a unique index. The real server sends no
 * starts and restarts its indexes at 0 in each step.
 */
export class ContentBlocks {
  private readonly open = new Map<number, Block>();
  private nextIndex = 0;
  /** Text of the whole turn; blocks are paragraphs. */
  private told = '';
  /** Offsets of the current and the previous step in the text. */
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

  end(wireIndex: number): void {
    const block = this.open.get(wireIndex);
    if (!block) return;
    this.open.delete(wireIndex);
    this.emit({ event: 'content_block:end', data: { session_id: this.sessionId, block_index: block.index } });
  }

  /** Call before a tool call or thought. Text after it starts a new block, unless the server announces its blocks. */
  endStep(): void {
    for (const [wireIndex, { isAnnounced }] of this.open) if (!isAnnounced) this.end(wireIndex);
    if (this.told.length === this.stepStart) return;
    this.lastStepStart = this.stepStart;
    this.stepStart = this.told.length;
  }

  /**
   * Adds the part of the response that the deltas did not contain. A response may be the text of the turn or of its last
   * step, ignoring white space. A response that matches neither is appended as a whole.
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

/** Returns the part of the response that is missing in all `candidates`. Ignores differences in white space. */
function missingText(candidates: readonly string[], response: string): { text: string; isTail: boolean } {
  if (candidates.some((text) => endsWithText(text, response))) return { text: '', isTail: false };
  // The longest text first, so that the tail follows all received text.
  for (const begun of candidates.toSorted((a, b) => b.length - a.length)) {
    const tail = begun.trim() === '' ? undefined : textAfter(begun, response);
    if (tail !== undefined) return { text: /\s$/u.test(begun) ? tail.trimStart() : tail, isTail: true };
  }
  return { text: response, isTail: false };
}
