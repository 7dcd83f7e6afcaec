import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

export interface CallLimits {
  readonly maxRunning: number;
  readonly maxRunningPerClient: number;
  /** Limit of waiting calls per client; further calls are refused. */
  readonly maxWaitingPerClient: number;
  readonly callsPerSecond: number;
  /** Calls of a client that may exceed `callsPerSecond`. */
  readonly burstSize: number;
}

const defaultCallLimits: CallLimits = {
  maxRunning: 24,
  maxRunningPerClient: 6,
  maxWaitingPerClient: 200,
  callsPerSecond: 100,
  burstSize: 400,
};

export class TooManyCallsError extends Error {
  override readonly name = 'TooManyCallsError';
}

/** Waits for something that uses no resources, such as the user's answer. */
export type PauseCall = <T>(wait: () => Promise<T>) => Promise<T>;

interface WaitingCall {
  readonly start: () => void;
  readonly refuse: (reason: Error) => void;
}

interface ClientState {
  runningCount: number;
  readonly waitingCalls: Set<WaitingCall>;
  credit: number;
  /** When `credit` was last updated, on the monotonic clock. */
  creditedAtMs: number;
}

/** Queues calls so that each client gets a fair share. Idle clients are forgotten. */
export class FairCallQueue implements Disposable {
  /** In turn order: a client moves to the end when one of its calls starts. */
  private readonly clientStates = new Map<string, ClientState>();
  private runningCount = 0;
  private creditTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(
    private readonly clock: Clock,
    private readonly limits: CallLimits = defaultCallLimits,
  ) {}

  /** Clients with unfinished calls or recent activity. */
  get clientCount(): number {
    return this.clientStates.size;
  }

  /**
   * Runs `work` when it is the client's turn. While `work` waits in `pause`, other calls run.
   * @throws TooManyCallsError; Error if `signal` fires first; what `work` throws
   */
  async run<T>(clientId: string, signal: AbortSignal, work: (pause: PauseCall) => Promise<T>): Promise<T> {
    const client = await this.waitForTurn(clientId, signal);
    const pause: PauseCall = async (wait) => {
      this.decrementRunningAndStartNext(client);
      try {
        return await wait();
      } finally {
        // The call continues without queuing again, so that it cannot wait for calls that wait for it.
        client.runningCount++;
        this.runningCount++;
      }
    };
    try {
      return await work(pause);
    } finally {
      this.decrementRunningAndStartNext(client);
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.creditTimer?.dispose();
    for (const { waitingCalls } of this.clientStates.values()) {
      for (const call of waitingCalls) call.refuse(new Error('Backline has stopped in this window.'));
    }
    this.clientStates.clear();
  }

  private decrementRunningAndStartNext(client: ClientState): void {
    client.runningCount--;
    this.runningCount--;
    this.startWaitingCalls();
  }

  private async waitForTurn(clientId: string, signal: AbortSignal): Promise<ClientState> {
    signal.throwIfAborted();
    if (this.isDisposed) throw new Error('Backline has stopped in this window.');
    const client = this.clientOf(clientId);
    if (client.waitingCalls.size >= this.limits.maxWaitingPerClient) {
      throw new TooManyCallsError('Too many calls are waiting. Wait for their answers, then ask again.');
    }
    let waitingCall: WaitingCall | undefined;
    const turn = new Promise<void>((resolve, reject) => {
      waitingCall = { start: resolve, refuse: reject };
      client.waitingCalls.add(waitingCall);
    });
    const onAbort = (): void => {
      if (!waitingCall || !client.waitingCalls.delete(waitingCall)) return;
      waitingCall.refuse(new Error('The call was cancelled.'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.startWaitingCalls();
    try {
      await turn;
      return client;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  private clientOf(clientId: string): ClientState {
    const known = this.clientStates.get(clientId);
    if (known) return known;
    const client = {
      runningCount: 0,
      waitingCalls: new Set<WaitingCall>(),
      credit: this.limits.burstSize,
      creditedAtMs: this.now,
    };
    this.clientStates.set(clientId, client);
    return client;
  }

  private get now(): number {
    return this.clock.monotonicNow();
  }

  private startWaitingCalls(): void {
    if (this.isDisposed) return;
    this.updateCredit();
    while (this.runningCount < this.limits.maxRunning) {
      const next = this.nextClient();
      if (!next) break;
      const [id, client] = next;
      const [call] = client.waitingCalls;
      if (!call) break;
      client.waitingCalls.delete(call);
      client.runningCount++;
      client.credit--;
      this.runningCount++;
      this.clientStates.delete(id);
      this.clientStates.set(id, client);
      call.start();
    }
    this.scheduleCreditUpdate();
  }

  /** The client with the fewest running calls; among equals, the one that has waited longest. */
  private nextClient(): readonly [string, ClientState] | undefined {
    return [...this.clientStates]
      .filter(([, client]) => this.canStartCall(client))
      .reduce<readonly [string, ClientState] | undefined>(
        (best, each) => (best && best[1].runningCount <= each[1].runningCount ? best : each),
        undefined,
      );
  }

  private canStartCall({ runningCount, waitingCalls, credit }: ClientState): boolean {
    return waitingCalls.size > 0 && runningCount < this.limits.maxRunningPerClient && credit >= 1;
  }

  private updateCredit(): void {
    const { now } = this;
    const { burstSize, callsPerSecond } = this.limits;
    for (const [id, client] of this.clientStates) {
      client.credit = Math.min(burstSize, client.credit + ((now - client.creditedAtMs) * callsPerSecond) / 1_000);
      client.creditedAtMs = now;
      if (client.credit === burstSize && client.runningCount === 0 && client.waitingCalls.size === 0)
        this.clientStates.delete(id);
    }
  }

  /** Sets a timer if a call waits only for credit. */
  private scheduleCreditUpdate(): void {
    const clientsWithoutCredit = [...this.clientStates.values()].filter(
      ({ waitingCalls, credit }) => waitingCalls.size > 0 && credit < 1,
    );
    if (clientsWithoutCredit.length === 0 || this.creditTimer) return;
    const missing = Math.min(...clientsWithoutCredit.map(({ credit }) => 1 - credit));
    this.creditTimer = this.clock.setTimer(Math.ceil((missing * 1_000) / this.limits.callsPerSecond), () => {
      this.creditTimer = undefined;
      this.startWaitingCalls();
    });
  }
}
