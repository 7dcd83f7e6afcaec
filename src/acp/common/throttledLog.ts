import type { Logger } from '../../base/common/log';

const maxLogged = 5;

/** Limits warnings that a peer can cause: logs the first warnings of each kind and then only counts. */
export class ThrottledLog {
  private readonly countByKind = new Map<string, number>();

  constructor(private readonly log: Logger) {}

  /** `kind` must be one of a few constants. `details` is logged only for the first warnings. */
  warn(kind: string, details: string): void {
    const count = (this.countByKind.get(kind) ?? 0) + 1;
    this.countByKind.set(kind, count);
    if (count <= maxLogged) this.log.warn(`${kind}${details}`);
    else if (Number.isInteger(Math.log10(count))) this.log.warn(`${kind}: ${count} so far`);
  }
}
