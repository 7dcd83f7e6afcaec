const heartbeatCount = 0;
const isLoading = 1;
const loadCount = 2;

/** What a worker records about itself in shared memory, which the host can read while code blocks the worker. */
export class WorkerProgress {
  private readonly numbers: Int32Array<SharedArrayBuffer>;

  constructor(readonly memory = new SharedArrayBuffer(12)) {
    this.numbers = new Int32Array(memory);
  }

  recordHeartbeat(): void {
    Atomics.add(this.numbers, heartbeatCount, 1);
  }

  /** Modules are loaded one after another. */
  beginLoading(): void {
    Atomics.store(this.numbers, isLoading, 1);
    Atomics.add(this.numbers, loadCount, 1);
    this.recordHeartbeat();
  }

  endLoading(): void {
    Atomics.store(this.numbers, isLoading, 0);
    this.recordHeartbeat();
  }

  /**
   * `heartbeatCount` increases while the worker's event loop runs and questions are open. It is 0 before the program runs.
   * `loadCount` is the number of modules that the worker has begun to load.
   */
  read(): { readonly heartbeatCount: number; readonly isLoading: boolean; readonly loadCount: number } {
    const numberAt = (index: number): number => Atomics.load(this.numbers, index);
    return {
      heartbeatCount: numberAt(heartbeatCount),
      isLoading: numberAt(isLoading) === 1,
      loadCount: numberAt(loadCount),
    };
  }
}
