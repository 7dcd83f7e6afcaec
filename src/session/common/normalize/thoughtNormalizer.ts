import {
  endsWithIgnoringSpace,
  isEqualIgnoringSpace,
  textAfterPrefixIgnoringSpace,
} from '../../../base/common/text/ignoringSpace';
import type { EventData, EventOf, SessionEvent } from '../sessionEvents';

/** Normalizes the thoughts of one turn: each thought ends once, and repetitions of an ended thought are dropped. */
export class ThoughtNormalizer {
  private openText: string | undefined;
  private lastText = '';

  constructor(private readonly emit: (event: SessionEvent) => void) {}

  get isOpen(): boolean {
    return this.openText !== undefined;
  }

  addDelta(event: EventOf<'thinking:delta'>): void {
    this.openText = (this.openText ?? '') + event.data.delta;
    this.emit(event);
  }

  /** Whether the thought contains text that was not emitted yet. */
  hasUnsentText({ data: { thinking } }: EventOf<'thinking:final'>): boolean {
    if (this.openText === undefined) return thinking.trim() !== '' && !isEqualIgnoringSpace(thinking, this.lastText);
    return isEqualIgnoringSpace(thinking, this.openText) || !isEqualIgnoringSpace(thinking, this.lastText);
  }

  /**
   * Handles the final text of a thought, which ends it. Emits missing text at its end first. If the text differs, the open
   * thought ends and this is a new one.
   */
  addFinal({ data }: EventOf<'thinking:final'>): void {
    const { session_id, thinking } = data;
    if (this.openText !== undefined && !endsWithIgnoringSpace(this.openText, thinking)) {
      const tail = textAfterPrefixIgnoringSpace(this.openText, thinking);
      if (tail === undefined) this.endOpenThought(session_id);
      else this.addDelta({ event: 'thinking:delta', data: { session_id, delta: tail } });
    }
    this.emitFinalThought(data);
  }

  /** Ends the open thought, if any, with the text that was received. */
  endOpenThought(sessionId: string): void {
    if (this.openText !== undefined) this.emitFinalThought({ session_id: sessionId, thinking: this.openText });
  }

  private emitFinalThought(data: EventData<'thinking:final'>): void {
    const thinking =
      this.openText === undefined || isEqualIgnoringSpace(this.openText, data.thinking) ? data.thinking : this.openText;
    this.openText = undefined;
    this.lastText = thinking;
    this.emit({ event: 'thinking:final', data: { ...data, thinking } });
  }
}
