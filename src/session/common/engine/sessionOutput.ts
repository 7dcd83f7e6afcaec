import { EventLog } from '../eventLog';
import type { NormalizerOptions } from '../normalize/sessionNormalizer';
import { DeltaRedactor } from '../redaction/deltaRedactor';
import type { SecretRedactor } from '../redaction/secretRedactor';
import type { ReadEventsOptions, SequencedEvent } from '../sessionBackend';
import type { SessionEvent } from '../sessionEvents';

interface SessionOutputDeps extends NormalizerOptions {
  /** Lets other tasks run while a reader catches up. */
  readonly yieldToOthers: () => Promise<void>;
  /** Removes the user's keys from streamed text. They are already removed from complete texts. */
  readonly redactor?: SecretRedactor | undefined;
}

/** The events of one session in their normal form, without the user's keys. */
export class SessionOutput {
  private readonly eventLog: EventLog;
  private readonly deltaRedactor: DeltaRedactor | undefined;

  constructor({ redactor, yieldToOthers, ...how }: SessionOutputDeps) {
    this.eventLog = new EventLog(yieldToOthers, how);
    this.deltaRedactor = redactor && new DeltaRedactor(redactor, (event) => this.eventLog.append(event));
  }

  append(event: SessionEvent): void {
    if (this.deltaRedactor) this.deltaRedactor.emitRedacted(event);
    else this.eventLog.append(event);
  }

  read(options?: ReadEventsOptions): AsyncIterable<SequencedEvent> {
    return this.eventLog.read(options);
  }

  /** Readers get the remaining events and then end. */
  end(): void {
    this.eventLog.end();
  }
}
