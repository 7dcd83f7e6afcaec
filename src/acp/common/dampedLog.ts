import type { Logger } from '../../base/common/log';

const maxWhole = 5;

/** Warnings that a peer can cause as often as it likes: of each kind the first few are logged, then only how many. */
export class DampedLog {
  private readonly counts = new Map<string, number>();

  constructor(private readonly log: Logger) {}

  /** `kind` names what is counted and must come from us; `details` is for the first few only. */
  warn(kind: string, details: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (count <= maxWhole) this.log.warn(`${kind}${details}`);
    else if (Number.isInteger(Math.log10(count))) this.log.warn(`${kind}: ${count} so far`);
  }
}
