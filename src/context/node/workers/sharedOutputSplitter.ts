import type { Clock } from '../../../base/common/async';
import { OutputLineSplitter } from '../outputLineSplitter';
import { markByte } from './outputMark';

/** Splits the output of a worker by provider, and into lines. */
export class SharedOutputSplitter {
  private readonly lineSplitterByProvider = new Map<number, OutputLineSplitter>();
  private currentProvider = 0;
  /** The digits of an incomplete mark. Undefined outside a mark. */
  private incompleteMarkDigits: string | undefined;

  /** Output before the first mark belongs to `first`. */
  constructor(
    private readonly clock: Clock,
    first: number,
    private readonly onLine: (provider: number, line: string) => void,
  ) {
    this.currentProvider = first;
  }

  write(bytes: Buffer): void {
    let start = 0;
    for (;;) {
      const next = bytes.indexOf(markByte, start);
      this.writePiece(bytes.subarray(start, next < 0 ? bytes.length : next));
      if (next < 0) return;
      if (this.incompleteMarkDigits === undefined) this.incompleteMarkDigits = '';
      else {
        this.currentProvider = Number(this.incompleteMarkDigits);
        this.incompleteMarkDigits = undefined;
      }
      start = next + 1;
    }
  }

  end(): void {
    for (const splitter of this.lineSplitterByProvider.values()) splitter.end();
  }

  private writePiece(bytes: Buffer): void {
    if (bytes.length === 0) return;
    // A provider may write NUL characters directly to the stream, so the number of digits is limited.
    if (this.incompleteMarkDigits !== undefined)
      this.incompleteMarkDigits = (this.incompleteMarkDigits + bytes.toString('latin1')).slice(0, 15);
    else this.splitterOf(this.currentProvider).write(bytes);
  }

  private splitterOf(provider: number): OutputLineSplitter {
    const splitter =
      this.lineSplitterByProvider.get(provider) ??
      new OutputLineSplitter(this.clock, (line) => this.onLine(provider, line));
    if (this.lineSplitterByProvider.size < 100) this.lineSplitterByProvider.set(provider, splitter);
    return splitter;
  }
}
