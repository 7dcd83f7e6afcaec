import { endsWithText, isSameText, textAfter } from '../../../base/common/spacing';
import type { EventData, EventOf, SessionEvent } from '../sessionEvents';

/** Normalizes the thoughts of one turn: each ends once, and repetitions of an ended one are dropped. */
export class Thoughts {
  private open: string | undefined;
  private last = '';

  constructor(private readonly emit: (event: SessionEvent) => void) {}

  get isOpen(): boolean {
    return this.open !== undefined;
  }

  delta(event: EventOf<'thinking:delta'>): void {
    this.open = (this.open ?? '') + event.data.delta;
    this.emit(event);
  }

  /** Whether the thought contains text that was not emitted. */
  isNews({ data: { thinking } }: EventOf<'thinking:final'>): boolean {
    if (this.open === undefined) return thinking.trim() !== '' && !isSameText(thinking, this.last);
    return isSameText(thinking, this.open) || !isSameText(thinking, this.last);
  }

  /** Ends the open thought. Emits a missing tail first; a different text is a new thought. */
  final({ data }: EventOf<'thinking:final'>): void {
    const { session_id, thinking } = data;
    if (this.open !== undefined && !endsWithText(this.open, thinking)) {
      const tail = textAfter(this.open, thinking);
      if (tail === undefined) this.end(session_id);
      else this.delta({ event: 'thinking:delta', data: { session_id, delta: tail } });
    }
    this.close(data);
  }

  end(sessionId: string): void {
    if (this.open !== undefined) this.close({ session_id: sessionId, thinking: this.open });
  }

  private close(data: EventData<'thinking:final'>): void {
    const thinking = this.open === undefined || isSameText(this.open, data.thinking) ? data.thinking : this.open;
    this.open = undefined;
    this.last = thinking;
    this.emit({ event: 'thinking:final', data: { ...data, thinking } });
  }
}
