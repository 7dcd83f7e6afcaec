import type { SessionNotification } from '../../common/session/wireSchema';

const maxUpdates = 1_000;
const maxBytes = 16 * 1024 * 1024;

/** Keeps updates of sessions that do not exist yet, because some agents send them before they answer `session/new`. */
export class EarlyUpdates {
  private updates: { readonly notification: SessionNotification; readonly bytes: number }[] = [];
  private bytes = 0;

  /** Returns whether the update was kept. At most 1,000 updates and 16 MiB are kept. */
  keep(notification: SessionNotification): boolean {
    if (this.updates.length >= maxUpdates) return false;
    const bytes = Buffer.byteLength(JSON.stringify(notification));
    if (this.bytes + bytes > maxBytes) return false;
    this.updates.push({ notification, bytes });
    this.bytes += bytes;
    return true;
  }

  /** Removes and returns the updates of a session, in their order. */
  take(sessionId: string): SessionNotification['update'][] {
    const taken = this.updates.filter(({ notification }) => notification.sessionId === sessionId);
    this.updates = this.updates.filter(({ notification }) => notification.sessionId !== sessionId);
    for (const { bytes } of taken) this.bytes -= bytes;
    return taken.map(({ notification }) => notification.update);
  }

  clear(): void {
    this.updates = [];
    this.bytes = 0;
  }
}
