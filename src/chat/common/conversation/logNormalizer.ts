import { SessionNormalizer } from '../../../session/common/normalize/sessionNormalizer';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { normalizedLogVersion, type LogRecord } from './logRecord';

/** Normalizes the events of version 1 logs while they are read. Such a log may continue with events that are normalized already. */
export class LogNormalizer {
  private isNormalizedLog = false;
  private normalEvents: SessionEvent[] = [];
  private session = this.createSession('');

  /** Returns the record itself, or the records that replace it. Call in the order of the log. */
  normalize(record: LogRecord): readonly LogRecord[] {
    if (record.type === 'begin') this.isNormalizedLog = record.version >= normalizedLogVersion;
    if (record.type === 'bound') this.session = this.createSession('');
    if (record.type === 'resumed') this.session = this.createSession(this.session.emittedTurnText);
    if (this.isNormalizedLog || record.type !== 'event') return [record];
    this.normalEvents = [];
    this.session.normalize(record.event);
    return this.normalEvents.map((event) => ({ ...record, event }));
  }

  private createSession(heard: string): SessionNormalizer {
    return new SessionNormalizer((event) => this.normalEvents.push(event), { textBeforeResume: heard });
  }
}
