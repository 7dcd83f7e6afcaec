import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { EventConnectionHandlers } from './eventConnection';

/**
 * Takes the text of an SSE stream in pieces of any size. An event over the cap is thrown away as it comes, and what follows
 * it is read as usual.
 */
export class SseReader {
  private readonly parser: EventSourceParser;
  private hasOverflowed = false;
  private isSkipping = false;
  /** The end of what was seen while skipping: a blank line may lie across two pieces. */
  private tail = '';

  constructor(
    private readonly maxEventLength: number,
    private readonly handlers: Pick<
      EventConnectionHandlers,
      'onMessage' | 'onKeepAlive' | 'onId' | 'onRetry' | 'onOversize'
    >,
  ) {
    this.parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: handlers.onMessage,
      onId: handlers.onId,
      onRetry: handlers.onRetry,
      onComment: handlers.onKeepAlive,
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.hasOverflowed = true;
      },
    });
  }

  feed(text: string): void {
    // In pieces no larger than the cap, an event that overflows began in an earlier piece or at most at the start of this one.
    for (let at = 0; at < text.length; at += this.maxEventLength) {
      this.feedPiece(text.length <= this.maxEventLength ? text : text.slice(at, at + this.maxEventLength));
    }
  }

  private feedPiece(piece: string): void {
    const rest = this.isSkipping ? this.skip(piece) : piece;
    if (rest === '') return;
    const before = this.tail;
    this.tail = rest.slice(-3);
    this.parser.feed(rest);
    if (!this.hasOverflowed) return;
    this.hasOverflowed = false;
    this.parser.reset();
    this.handlers.onOversize();
    this.isSkipping = true;
    this.tail = before;
    this.feedPiece(rest);
  }

  /** What of the piece follows the blank line that ends the event. */
  private skip(piece: string): string {
    const text = this.tail + piece;
    const end = /\r\n\r?\n|\n\r?\n|\r\r/u.exec(text);
    if (!end) {
      this.tail = text.slice(-3);
      return '';
    }
    this.isSkipping = false;
    this.tail = '';
    return text.slice(end.index + end[0].length);
  }
}
