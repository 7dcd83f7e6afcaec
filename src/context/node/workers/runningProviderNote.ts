import { maxProvidersPerWorker } from '../../common/workers/poolState';

const running = 0;
const heartbeatCount = 1;
const isLoading = 2;
const exitedBy = 3;
const loadCount = 4;
const pendingStart = 5;

/** What a worker records about itself. Providers are numbers; 0 means none. */
interface WorkerNotes {
  /** The provider whose code runs at this moment. */
  readonly running: number | undefined;
  /** Whether that provider is being loaded. */
  readonly isLoading: boolean;
  /** Increases while the worker's event loop runs and questions are open. 0 before the program runs. */
  readonly heartbeatCount: number;
  /** The number of modules that the worker has begun to load. */
  readonly loadCount: number;
  /** The provider whose code has ended the worker. */
  readonly exitedBy: number | undefined;
  /** The providers that have started to answer, and have not finished. */
  readonly pending: readonly number[];
}

/**
 * Records in shared memory which provider's code a worker is running. The host can read it while that code blocks the
 * worker.
 */
export class RunningProviderNote {
  private readonly numbers: Int32Array<SharedArrayBuffer>;
  private readonly pendingSlotByProvider = new Map<number, number>();

  constructor(readonly memory = new SharedArrayBuffer(4 * (pendingStart + maxProvidersPerWorker))) {
    this.numbers = new Int32Array(memory);
  }

  /** Runs code of a provider, and records the provider while the code is running. */
  run<T>(provider: number, work: () => T): T {
    const before = Atomics.exchange(this.numbers, running, provider);
    this.recordHeartbeat();
    try {
      return work();
    } finally {
      this.recordHeartbeat();
      Atomics.store(this.numbers, running, before);
    }
  }

  /** From now on, the loading provider counts as running, except while `run` runs another one. */
  beginProviderLoading(provider: number): void {
    Atomics.store(this.numbers, running, provider);
    Atomics.store(this.numbers, isLoading, 1);
    Atomics.add(this.numbers, loadCount, 1);
    this.recordHeartbeat();
  }

  endProviderLoading(): void {
    Atomics.store(this.numbers, running, 0);
    Atomics.store(this.numbers, isLoading, 0);
    this.recordHeartbeat();
  }

  recordHeartbeat(): void {
    Atomics.add(this.numbers, heartbeatCount, 1);
  }

  recordExit(provider: number | undefined): void {
    Atomics.store(this.numbers, exitedBy, provider ?? Atomics.load(this.numbers, running));
  }

  setPending(provider: number, isPending: boolean): void {
    const place = this.pendingSlotByProvider.get(provider) ?? this.pendingSlotByProvider.size;
    if (place >= maxProvidersPerWorker) return;
    this.pendingSlotByProvider.set(provider, place);
    Atomics.store(this.numbers, pendingStart + place, isPending ? provider : 0);
  }

  read(): WorkerNotes {
    const { numbers } = this;
    const numberAt = (index: number): number => Atomics.load(numbers, index);
    return {
      running: numberAt(running) || undefined,
      isLoading: numberAt(isLoading) === 1,
      heartbeatCount: numberAt(heartbeatCount),
      loadCount: numberAt(loadCount),
      exitedBy: numberAt(exitedBy) || undefined,
      pending: [...numbers.subarray(pendingStart)].filter((provider) => provider !== 0),
    };
  }
}
