import type { BackendSession } from '../../../session/common/sessionBackend';
import type { ConversationFiles } from '../chatStore';

/** Lets a backend wait while much of what it has sent waits for the disk. */
export class StoringPace {
  private isHolding = false;

  constructor(private readonly file: Pick<ConversationFiles, 'whenStored'>) {}

  /** Call after each record. */
  keep(session: Pick<BackendSession, 'holdBack'>): void {
    if (this.isHolding || !session.holdBack) return;
    const stored = this.file.whenStored();
    if (!stored) return;
    this.isHolding = true;
    const hold = session.holdBack();
    void stored.then(() => {
      this.isHolding = false;
      hold.dispose();
    });
  }
}
