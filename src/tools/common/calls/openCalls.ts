type CallId = string | number;

/** Which calls are open, so that the client who made one can cancel it. */
export class OpenCalls {
  private readonly calls = new Map<string, Set<AbortController>>();

  get size(): number {
    return this.calls.size;
  }

  /** Runs `work` with a signal that fires when the call is cancelled, or `outer` fires. */
  async run<T>(client: string, id: CallId, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = keyOf(client, id);
    const controller = new AbortController();
    // A client that uses an id twice at once means both when it cancels.
    const same = this.calls.get(key) ?? new Set();
    this.calls.set(key, same.add(controller));
    try {
      return await work(AbortSignal.any([outer, controller.signal]));
    } finally {
      same.delete(controller);
      if (same.size === 0) this.calls.delete(key);
    }
  }

  /** Does nothing when it has ended, or is another client's. */
  cancel(client: string, id: CallId): void {
    for (const controller of this.calls.get(keyOf(client, id)) ?? []) controller.abort(new CancelledCallError());
  }
}

/** The client does not want the answer any more. */
class CancelledCallError extends Error {
  override readonly name = 'CancelledCallError';
  constructor() {
    super('The call was cancelled.');
  }
}

function keyOf(client: string, id: CallId): string {
  return JSON.stringify([client, id]);
}
