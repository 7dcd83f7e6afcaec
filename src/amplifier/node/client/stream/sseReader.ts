import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { EventConnectionHandlers } from './eventConnection';

/** Parses an SSE stream from text pieces of any size. Discards events that are too long and continues after them. */
export class SseReader {
  private readonly parser: EventSourceParser;
  private hasOverflowed = false;
  private isSkippingEvent = false;
  /** The end of the previous piece: a blank line may begin in one piece and end in the next. */
  private previousPieceTail = '';

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
    // The text is split into pieces up to the limit, so an event that is too long started in an earlier piece or at the
    // start of this one.
    for (let start = 0; start < text.length; start += this.maxEventLength) {
      this.feedPiece(text.length <= this.maxEventLength ? text : text.slice(start, start + this.maxEventLength));
    }
  }

  private feedPiece(piece: string): void {
    const rest = this.isSkippingEvent ? this.skipEvent(piece) : piece;
    if (rest === '') return;
    const before = this.previousPieceTail;
    this.previousPieceTail = rest.slice(-3);
    this.parser.feed(rest);
    if (!this.hasOverflowed) return;
    this.hasOverflowed = false;
    this.parser.reset();
    this.handlers.onOversize();
    this.isSkippingEvent = true;
    this.previousPieceTail = before;
    this.feedPiece(rest);
  }

  /** Skips the rest of an event that is too long. Returns the part of the piece after the blank line that ends it. */
  private skipEvent(piece: string): string {
    const text = this.previousPieceTail + piece;
    const end = /\r\n\r?\n|\n\r?\n|\r\r/u.exec(text);
    if (!end) {
      this.previousPieceTail = text.slice(-3);
      return '';
    }
    this.isSkippingEvent = false;
    this.previousPieceTail = '';
    return text.slice(end.index + end[0].length);
  }
}
