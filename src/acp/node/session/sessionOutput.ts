import { setImmediate } from 'node:timers/promises';
import { EventLog } from '../../../session/common/eventLog';
import { DeltaRedactor } from '../../../session/common/redaction/deltaRedactor';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import type { ReadEventsOptions, SequencedEvent } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';

/** The events of one session, without the user's keys. */
export class SessionOutput {
  private readonly eventLog = new EventLog(() => setImmediate());
  private readonly deltaRedactor: DeltaRedactor | undefined;

  /** `redactor` removes keys from streamed text. They are already removed from complete texts. */
  constructor(
    private readonly sessionId: string,
    private readonly redactor: SecretRedactor | undefined,
  ) {
    this.deltaRedactor = redactor && new DeltaRedactor(redactor, (event) => this.eventLog.append(event));
  }

  append(event: SessionEvent): void {
    if (this.deltaRedactor && this.redactor?.isEmpty === false) this.deltaRedactor.emitRedacted(event);
    else this.eventLog.append(event);
  }

  appendAll(events: readonly SessionEvent[]): void {
    for (const event of events) this.append(event);
  }

  notify(level: 'info' | 'warning', message: string): void {
    this.append({ event: 'notice', data: { session_id: this.sessionId, level, message } });
  }

  read(options?: ReadEventsOptions): AsyncIterable<SequencedEvent> {
    return this.eventLog.read(options);
  }

  end(): void {
    this.eventLog.end();
  }
}
