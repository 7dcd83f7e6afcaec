import { SessionNormalizer } from '../../../session/common/normalize/sessionNormalizer';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { normalizedLogVersion, type LogRecord } from '../../common/conversation/logRecord';

/** Normalizes the events of version 1 logs while they are read. Later events may already be normalized. */
export class LogNormalizer {
  private isNormalizedLog = false;
  private normalEvents: SessionEvent[] = [];
  private sessionNormalizer = this.createSessionNormalizer('');

  /** Returns the record itself, or the records that replace it. Call in the order of the log. */
  normalize(record: LogRecord): readonly LogRecord[] {
    if (record.type === 'begin') this.isNormalizedLog = record.version >= normalizedLogVersion;
    if (record.type === 'bound') this.sessionNormalizer = this.createSessionNormalizer('');
    if (record.type === 'resumed')
      this.sessionNormalizer = this.createSessionNormalizer(this.sessionNormalizer.emittedTurnText);
    if (this.isNormalizedLog || record.type !== 'event') return [record];
    this.normalEvents = [];
    this.sessionNormalizer.normalize(record.event);
    return this.normalEvents.map((event) => ({ ...record, event }));
  }

  private createSessionNormalizer(textBeforeResume: string): SessionNormalizer {
    return new SessionNormalizer((event) => this.normalEvents.push(event), { textBeforeResume });
  }
}
