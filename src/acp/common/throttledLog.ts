import type { Logger } from '../../base/common/log';

const maxLogged = 5;

/** Throttles warnings that a peer can cause: logs the first few of each kind, then only counts. */
export class ThrottledLog {
  private readonly countByKind = new Map<string, number>();

  constructor(private readonly log: Logger) {}

  /** `kind` must be a constant of ours; `details` are logged for the first few only. */
  warn(kind: string, details: string): void {
    const count = (this.countByKind.get(kind) ?? 0) + 1;
    this.countByKind.set(kind, count);
    if (count <= maxLogged) this.log.warn(`${kind}${details}`);
    else if (Number.isInteger(Math.log10(count))) this.log.warn(`${kind}: ${count} so far`);
  }
}
