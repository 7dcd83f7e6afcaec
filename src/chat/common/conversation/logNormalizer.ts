import { SessionNormalizer } from '../../../session/common/normalize/normalizeSession';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import { normalLogVersion, type LogRecord } from './logRecord';

/**
 * Brings what is read of a log into the normal form of a session. Logs of version 1 have what backends told as it came; they
 * go on in the normal form, in which normalising changes nothing. On disk they stay as they are.
 */
export class LogNormalizer {
  private isNormal = false;
  private normal: SessionEvent[] = [];
  private session = this.createSession('');

  /** The same record, or what becomes of it, in the order of the log. */
  normalized(record: LogRecord): readonly LogRecord[] {
    if (record.type === 'begin') this.isNormal = record.version >= normalLogVersion;
    if (record.type === 'bound') this.session = this.createSession('');
    // It was taken up in the middle of a turn.
    if (record.type === 'resumed') this.session = this.createSession(this.session.heard);
    if (this.isNormal || record.type !== 'event') return [record];
    this.normal = [];
    this.session.normalize(record.event);
    return this.normal.map((event) => ({ ...record, event }));
  }

  private createSession(heard: string): SessionNormalizer {
    return new SessionNormalizer((event) => this.normal.push(event), { heard });
  }
}
