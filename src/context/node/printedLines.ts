import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../base/common/async';

/** UTF-16 units. */
const longestLine = 2_000;
const mostLines = 500;
const windowMs = 1_000;

/** Splits the output of a provider into lines, limiting their length and rate. */
export class PrintedLines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private windowStartMs = -Infinity;
  private count = 0;
  private dropped = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onLine: (line: string) => void,
  ) {}

  write(bytes: Buffer): void {
    const lines = (this.rest + this.decoder.write(bytes)).split(/\r?\n/);
    this.rest = (lines.pop() ?? '').slice(0, longestLine);
    for (const line of lines) this.tell(line);
  }

  end(): void {
    if (this.rest !== '') this.tell(this.rest);
    this.rest = '';
    this.tellDropped();
  }

  private tell(line: string): void {
    const now = this.clock.monotonicNow();
    if (now - this.windowStartMs >= windowMs) {
      this.tellDropped();
      this.windowStartMs = now;
      this.count = 0;
    }
    if (this.count++ >= mostLines) this.dropped++;
    else this.onLine(line.length > longestLine ? `${line.slice(0, longestLine)}…` : line);
  }

  private tellDropped(): void {
    if (this.dropped > 0) this.onLine(`(${this.dropped} more lines were left out)`);
    this.dropped = 0;
  }
}
