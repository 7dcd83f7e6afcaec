import type { Disposable } from '../../../base/common/disposable';
import type { Chats } from '../chatPorts';
import type { ConversationRow } from '../chatView';

/** Lists the sessions that a backend stores, for one page. Dispose it with the page. */
export class SessionListing implements Disposable {
  private controller = new AbortController();

  constructor(private readonly chats: Pick<Chats, 'listRemoteSessions'>) {}

  /** Cancels the listing before this one. A cancelled one finds nothing. @throws BackendError */
  async list(backendId: string): Promise<{ sessions: ConversationRow[] }> {
    this.cancel();
    const { signal } = (this.controller = new AbortController());
    try {
      return { sessions: [...(await this.chats.listRemoteSessions(backendId, signal))] };
    } catch (error) {
      if (signal.aborted) return { sessions: [] };
      throw error;
    }
  }

  cancel(): void {
    this.controller.abort();
  }

  dispose(): void {
    this.cancel();
  }
}
