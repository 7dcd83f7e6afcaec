import { endsWithIgnoringSpace, textAfterPrefixIgnoringSpace } from '../../../base/common/text/ignoringSpace';
import type { SessionEvent, EventOf } from '../sessionEvents';

const paragraph = '\n\n';

interface Block {
  readonly index: number;
  hasText: boolean;
  readonly isAnnounced: boolean;
}

/** Gives each block of a turn a start, an end and a unique index. Servers may number blocks only within a step. */
export class ContentBlockNormalizer {
  private readonly openBlockByWireIndex = new Map<number, Block>();
  private nextBlockIndex = 0;
  private turnText = '';
  /** Offsets in the text at which the current and the previous step start. */
  private stepStartOffset = 0;
  private previousStepStartOffset = 0;

  constructor(
    private readonly sessionId: string,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  get text(): string {
    return this.turnText;
  }

  startBlock({ data }: EventOf<'content_block:start'>): void {
    this.endBlock(data.block_index);
    const block = this.createBlock(data.block_index, true);
    this.emit({ event: 'content_block:start', data: { ...data, block_index: block.index } });
  }

  addDelta(event: EventOf<'content_block:delta'>): void {
    const { block_index: wireIndex, delta } = event.data;
    if (delta === '') return;
    const block = this.openBlockByWireIndex.get(wireIndex) ?? this.startMissingBlock(wireIndex, 'text');
    if (!block.hasText) {
      block.hasText = true;
      if (this.turnText !== '') this.turnText += paragraph;
    }
    this.turnText += delta;
    this.emit(
      block.index === wireIndex
        ? event
        : { event: 'content_block:delta', data: { ...event.data, block_index: block.index } },
    );
  }

  addMedia({ data }: EventOf<'content_block:media'>): void {
    const block =
      this.openBlockByWireIndex.get(data.block_index) ?? this.startMissingBlock(data.block_index, data.content.type);
    this.emit({ event: 'content_block:media', data: { ...data, block_index: block.index } });
  }

  endBlock(wireIndex: number): void {
    const block = this.openBlockByWireIndex.get(wireIndex);
    if (!block) return;
    this.openBlockByWireIndex.delete(wireIndex);
    this.emit({ event: 'content_block:end', data: { session_id: this.sessionId, block_index: block.index } });
  }

  /** Call before a tool call or thought. Text that follows is a new block, unless the server announces its own. */
  endStep(): void {
    for (const [wireIndex, { isAnnounced }] of this.openBlockByWireIndex) if (!isAnnounced) this.endBlock(wireIndex);
    if (this.turnText.length === this.stepStartOffset) return;
    this.previousStepStartOffset = this.stepStartOffset;
    this.stepStartOffset = this.turnText.length;
  }

  /**
   * Adds the text of `response` that the deltas did not contain. `response` is the text of the turn or of its last
   * step; other text is appended.
   */
  addMissingTextAndEndBlocks(response: string): void {
    const step = this.turnText.slice(this.stepStartOffset);
    const lastStep = this.turnText.slice(this.previousStepStartOffset, this.stepStartOffset);
    const missing = missingText([this.turnText, step, lastStep], response);
    if (missing.isTail) {
      this.appendText(missing.text);
    } else if (missing.text !== '') {
      this.endAllBlocks();
      this.appendText(missing.text);
    }
    this.endAllBlocks();
  }

  endAllBlocks(): void {
    for (const wireIndex of [...this.openBlockByWireIndex.keys()]) this.endBlock(wireIndex);
  }

  private appendText(text: string): void {
    const last = [...this.openBlockByWireIndex.keys()].at(-1) ?? this.nextBlockIndex;
    this.addDelta({
      event: 'content_block:delta',
      data: { session_id: this.sessionId, block_index: last, delta: text },
    });
  }

  private startMissingBlock(wireIndex: number, type: string): Block {
    const block = this.createBlock(wireIndex, false);
    this.emit({
      event: 'content_block:start',
      data: { session_id: this.sessionId, block_type: type, block_index: block.index },
    });
    return block;
  }

  private createBlock(wireIndex: number, isAnnounced: boolean): Block {
    const block = { index: this.nextBlockIndex++, isAnnounced, hasText: false };
    this.openBlockByWireIndex.set(wireIndex, block);
    return block;
  }
}

/** Returns the part of the response that is missing in all `candidates`. Ignores differences in white space. */
function missingText(candidates: readonly string[], response: string): { text: string; isTail: boolean } {
  if (candidates.some((text) => endsWithIgnoringSpace(text, response))) return { text: '', isTail: false };
  // Starts with the longest text, so that the missing tail follows all received text.
  for (const begun of candidates.toSorted((a, b) => b.length - a.length)) {
    const tail = begun.trim() === '' ? undefined : textAfterPrefixIgnoringSpace(begun, response);
    if (tail !== undefined) return { text: /\s$/u.test(begun) ? tail.trimStart() : tail, isTail: true };
  }
  return { text: response, isTail: false };
}
