import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../base/common/async';

/** Maximum length of a line, in UTF-16 units. */
const maxLineLength = 2_000;
const maxLines = 500;
const windowMs = 1_000;

/** Splits the output of a provider into lines. Limits the length and the rate of lines. */
export class OutputLineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private incompleteLine = '';
  private limitWindowStartMs = -Infinity;
  private lineCount = 0;
  private droppedLineCount = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onLine: (line: string) => void,
  ) {}

  write(bytes: Buffer): void {
    const lines = (this.incompleteLine + this.decoder.write(bytes)).split(/\r?\n/);
    this.incompleteLine = (lines.pop() ?? '').slice(0, maxLineLength);
    for (const line of lines) this.emitLine(line);
  }

  end(): void {
    if (this.incompleteLine !== '') this.emitLine(this.incompleteLine);
    this.incompleteLine = '';
    this.reportDropped();
  }

  private emitLine(line: string): void {
    const now = this.clock.monotonicNow();
    if (now - this.limitWindowStartMs >= windowMs) {
      this.reportDropped();
      this.limitWindowStartMs = now;
      this.lineCount = 0;
    }
    if (this.lineCount++ >= maxLines) this.droppedLineCount++;
    else this.onLine(line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line);
  }

  private reportDropped(): void {
    if (this.droppedLineCount > 0) this.onLine(`(${this.droppedLineCount} more lines were omitted)`);
    this.droppedLineCount = 0;
  }
}
