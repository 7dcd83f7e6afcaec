import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

interface Connection {
  /** Requests and streams that are open now. */
  open: number;
  timer: Disposable | undefined;
}

/** Tracks which HTTP connections are in use, because a client can disappear without closing them. Dispose to stop all timers. */
export class IdleConnectionDetector implements Disposable {
  private readonly connections = new Map<string, Connection>();

  constructor(
    private readonly clock: Clock,
    private readonly idleMs: number,
    private readonly onIdle: (connectionId: string) => void,
  ) {}

  /** Call when a request or stream of a connection begins. Dispose the result when it has ended. */
  use(connectionId: string): Disposable {
    const connection = this.connections.get(connectionId) ?? { open: 0, timer: undefined };
    this.connections.set(connectionId, connection);
    connection.open++;
    connection.timer?.dispose();
    let isOpen = true;
    return {
      dispose: () => {
        if (!isOpen) return;
        isOpen = false;
        connection.open--;
        this.startIdleTimer(connectionId);
      },
    };
  }

  remove(connectionId: string): void {
    this.connections.get(connectionId)?.timer?.dispose();
    this.connections.delete(connectionId);
  }

  dispose(): void {
    for (const id of [...this.connections.keys()]) this.remove(id);
  }

  private startIdleTimer(connectionId: string): void {
    const connection = this.connections.get(connectionId);
    if (!connection || connection.open > 0) return;
    connection.timer?.dispose();
    connection.timer = this.clock.setTimer(this.idleMs, () => {
      this.remove(connectionId);
      this.onIdle(connectionId);
    });
  }
}
