import type { Logger } from '../../../../base/common/log';
import { DeltaMerger } from '../../../common/api/deltaMerger';
import { DeltaRedactor } from '../../../common/api/deltaRedactor';
import type { SessionEvent } from '../../../../session/common/sessionEvents';
import type { SecretRedactor } from '../../../common/api/secretRedactor';
import { decodeMessage, type StreamMessage } from '../../../common/api/sseEvents';

const maxIgnoredNames = 50;

/**
 * Turns messages of a session's stream into events; says in the log, once for each kind, what does not count, and each
 * time that it was a request for an approval, for something waits then.
 */
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

  /** What the message says is emitted before the running task ends. */
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

  private ignore(what: string): void {
    if (this.ignored.has(what) || this.ignored.size >= maxIgnoredNames) return;
    this.ignored.add(what);
    this.log.warn(`session ${this.sessionId}: a message of the stream does not count (${what})`);
  }
}
