import { endsWithText, isSameText, textAfter } from '../../../base/common/spacing';
import type { EventData, EventOf, SessionEvent } from '../sessionEvents';

/** What is thought in one turn. Each thought ends once, and what tells an ended one again is left out. */
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

  /** Whether there is anything in it that was not told. */
  isNews({ data: { thinking } }: EventOf<'thinking:final'>): boolean {
    if (this.open === undefined) return thinking.trim() !== '' && !isSameText(thinking, this.last);
    return isSameText(thinking, this.open) || !isSameText(thinking, this.last);
  }

  /** What was streamed of the thought counts: a tail that is missing is told, and another text is another thought. */
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
