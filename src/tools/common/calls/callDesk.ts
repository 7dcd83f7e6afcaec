import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

export interface CallLimits {
  /** Calls that run at once, of all clients together. */
  readonly running: number;
  readonly runningOfClient: number;
  /** Calls of one client that wait for their turn; one more is refused. */
  readonly waitingOfClient: number;
  /** Calls of one client, on average. */
  readonly perSecond: number;
  /** Calls of one client that may come faster than that. */
  readonly burst: number;
}

const defaultCallLimits: CallLimits = {
  running: 24,
  runningOfClient: 6,
  waitingOfClient: 200,
  perSecond: 100,
  burst: 400,
};

/** The client asks for more than it waits for. */
export class TooManyCallsError extends Error {
  override readonly name = 'TooManyCallsError';
}

interface WaitingCall {
  readonly begin: () => void;
  readonly refuse: (reason: Error) => void;
}

interface Client {
  running: number;
  readonly waiting: Set<WaitingCall>;
  /** Calls that it may begin at once. */
  credit: number;
  /** Of the monotonic clock, in milliseconds: when `credit` was counted. */
  countedAt: number;
}

/** Gives each client its turns, whatever the others ask for. A client is forgotten when it has nothing open. */
export class CallDesk implements Disposable {
  /** Who had a turn goes to the end. */
  private readonly clients = new Map<string, Client>();
  private running = 0;
  private timer: Disposable | undefined;
  private isDisposed = false;

  constructor(
    private readonly clock: Clock,
    private readonly limits: CallLimits = defaultCallLimits,
  ) {}

  /** Clients with open calls, or that were busy a moment ago. */
  get clientCount(): number {
    return this.clients.size;
  }

  /**
   * Runs `work` when it is the client's turn.
   * @throws TooManyCallsError; the signal's reason when it fires before the turn; what `work` throws
   */
  async run<T>(id: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const client = await this.turn(id, signal);
    try {
      return await work();
    } finally {
      client.running--;
      this.running--;
      this.giveTurns();
    }
  }

  /** Refuses all who wait. */
  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
    for (const { waiting } of this.clients.values()) {
      for (const call of waiting) call.refuse(new Error('Backline has stopped in this window.'));
    }
    this.clients.clear();
  }

  private async turn(id: string, signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted();
    if (this.isDisposed) throw new Error('Backline has stopped in this window.');
    const client = this.clientOf(id);
    if (client.waiting.size >= this.limits.waitingOfClient) {
      throw new TooManyCallsError('Too many calls are waiting. Wait for their answers, then ask again.');
    }
    let waitingCall: WaitingCall | undefined;
    const turn = new Promise<void>((resolve, reject) => {
      waitingCall = { begin: resolve, refuse: reject };
      client.waiting.add(waitingCall);
    });
    const onAbort = (): void => {
      if (!waitingCall || !client.waiting.delete(waitingCall)) return;
      waitingCall.refuse(new Error('The call was cancelled.'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.giveTurns();
    try {
      await turn;
      return client;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  private clientOf(id: string): Client {
    const known = this.clients.get(id);
    if (known) return known;
    const client = { running: 0, waiting: new Set<WaitingCall>(), credit: this.limits.burst, countedAt: this.now };
    this.clients.set(id, client);
    return client;
  }

  private get now(): number {
    return this.clock.monotonicNow();
  }

  private giveTurns(): void {
    if (this.isDisposed) return;
    this.countCredit();
    while (this.running < this.limits.running) {
      const next = this.nextClient();
      if (!next) break;
      const [id, client] = next;
      const [call] = client.waiting;
      if (!call) break;
      client.waiting.delete(call);
      client.running++;
      client.credit--;
      this.running++;
      this.clients.delete(id);
      this.clients.set(id, client);
      call.begin();
    }
    this.waitForCredit();
  }

  /** Who has the fewest calls running; of those, who has waited longest for a turn. */
  private nextClient(): readonly [string, Client] | undefined {
    return [...this.clients]
      .filter(([, client]) => this.mayBegin(client))
      .reduce<readonly [string, Client] | undefined>(
        (best, each) => (best && best[1].running <= each[1].running ? best : each),
        undefined,
      );
  }

  private mayBegin({ running, waiting, credit }: Client): boolean {
    return waiting.size > 0 && running < this.limits.runningOfClient && credit >= 1;
  }

  private countCredit(): void {
    const { now } = this;
    const { burst, perSecond } = this.limits;
    for (const [id, client] of this.clients) {
      client.credit = Math.min(burst, client.credit + ((now - client.countedAt) * perSecond) / 1_000);
      client.countedAt = now;
      if (client.credit === burst && client.running === 0 && client.waiting.size === 0) this.clients.delete(id);
    }
  }

  /** Somebody waits only for time to pass. */
  private waitForCredit(): void {
    const short = [...this.clients.values()].filter(({ waiting, credit }) => waiting.size > 0 && credit < 1);
    if (short.length === 0 || this.timer) return;
    const missing = Math.min(...short.map(({ credit }) => 1 - credit));
    this.timer = this.clock.setTimer(Math.ceil((missing * 1_000) / this.limits.perSecond), () => {
      this.timer = undefined;
      this.giveTurns();
    });
  }
}
