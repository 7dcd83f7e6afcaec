import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

export interface CallLimits {
  /** Limit of running calls, of all clients. */
  readonly running: number;
  readonly runningOfClient: number;
  /** Limit of waiting calls per client; further calls are refused. */
  readonly waitingOfClient: number;
  /** Average rate per client. */
  readonly perSecond: number;
  /** Calls of a client that may exceed that rate. */
  readonly burst: number;
}

const defaultCallLimits: CallLimits = {
  running: 24,
  runningOfClient: 6,
  waitingOfClient: 200,
  perSecond: 100,
  burst: 400,
};

/** The client has too many waiting calls. */
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
  /** Calls that the client may start immediately. */
  credit: number;
  /** When `credit` was last updated, on the monotonic clock. */
  countedAt: number;
}

/** Queues calls so that each client gets a fair share. Idle clients are forgotten. */
export class CallDesk implements Disposable {
  /** In turn order: a client moves to the end when one of its calls starts. */
  private readonly clients = new Map<string, Client>();
  private running = 0;
  private timer: Disposable | undefined;
  private isDisposed = false;

  constructor(
    private readonly clock: Clock,
    private readonly limits: CallLimits = defaultCallLimits,
  ) {}

  /** Clients with unfinished calls or recent activity. */
  get clientCount(): number {
    return this.clients.size;
  }

  /** Runs `work` at the client's turn. @throws TooManyCallsError; Error if `signal` fires first; what `work` throws */
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

  /** Refuses all waiting calls. */
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

  /** The client with the fewest running calls; among equals, the one that has waited longest. */
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

  /** Sets a timer if a call waits only for credit. */
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
