import type { Logger } from '../../../../base/common/log';
import { DeltaMerger } from '../../../common/api/deltaMerger';
import { DeltaRedactor } from '../../../common/api/deltaRedactor';
import type { SessionEvent } from '../../../../session/common/sessionEvents';
import type { SecretRedactor } from '../../../common/api/secretRedactor';
import { decodeMessage, type StreamMessage } from '../../../common/api/sseEvents';

const maxIgnoredNames = 50;

/** Decodes messages of a session's stream into events. Logs each kind of ignored message once. */
export class EventDecoder {
  private readonly merger: DeltaMerger;
  private readonly ignored = new Set<string>();

  constructor(
    private readonly sessionId: string,
    private readonly log: Logger,
    redactor: SecretRedactor,
    emit: (event: SessionEvent) => void,
    private readonly onLostApproval: () => void,
  ) {
    const deltas = new DeltaRedactor(redactor, emit);
    this.merger = new DeltaMerger((event) => deltas.handle(event));
  }

  /** Emits the event at the end of the current task at the latest. */
  decode(message: StreamMessage): void {
    const decoded = decodeMessage(this.sessionId, message);
    if ('event' in decoded) {
      this.merger.add(decoded);
      return;
    }
    const { ignored: reason, name } = decoded;
    if (reason === 'invalid' && name === 'approval:required') this.onLostApproval();
    if (reason !== 'name' || name !== 'ping') this.ignore(`${reason} ${name}`.trimEnd().slice(0, 100));
  }

  private ignore(reason: string): void {
    if (this.ignored.has(reason) || this.ignored.size >= maxIgnoredNames) return;
    this.ignored.add(reason);
    this.log.warn(`session ${this.sessionId}: ignored a message of the stream (${reason})`);
  }
}
