import type { Logger } from '../../../../base/common/log';
import { DeltaMerger } from '../../../common/api/deltaMerger';
import { RepeatedDeltaDecoder } from '../../../common/api/repeatedDeltaDecoder';
import type { SessionEvent } from '../../../../session/common/sessionEvents';
import { decodeStreamMessage, type StreamMessage } from '../../../common/api/streamMessages';

const maxIgnoredNames = 50;

/** Decodes messages of a session's stream to events. Logs each kind of ignored message only once. */
export class EventDecoder {
  private readonly deltaMerger: DeltaMerger;
  private readonly repeatedDeltas: RepeatedDeltaDecoder;
  private readonly loggedReasons = new Set<string>();

  constructor(
    private readonly sessionId: string,
    private readonly log: Logger,
    emit: (event: SessionEvent) => void,
    private readonly onLostApproval: () => void,
  ) {
    this.repeatedDeltas = new RepeatedDeltaDecoder(sessionId);
    this.deltaMerger = new DeltaMerger(emit);
  }

  /** Decodes a message. The event is emitted at the end of the current task at the latest. */
  decode(message: StreamMessage): void {
    const repeated = this.repeatedDeltas.decode(message);
    if (repeated) {
      this.deltaMerger.add(repeated);
      return;
    }
    const decoded = decodeStreamMessage(this.sessionId, message);
    this.repeatedDeltas.learn(message, decoded);
    if ('event' in decoded) {
      this.deltaMerger.add(decoded);
      return;
    }
    const { ignored: reason, name } = decoded;
    if (reason === 'invalid' && name === 'approval:required') this.onLostApproval();
    if (reason !== 'name' || name !== 'ping') this.logIgnored(`${reason} ${name}`.trimEnd().slice(0, 100));
  }

  private logIgnored(reason: string): void {
    if (this.loggedReasons.has(reason) || this.loggedReasons.size >= maxIgnoredNames) return;
    this.loggedReasons.add(reason);
    this.log.warn(`session ${this.sessionId}: ignored a message of the stream (${reason})`);
  }
}
