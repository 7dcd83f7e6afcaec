type CallId = string | number;

/** Open calls by client and id, so that clients can cancel them. */
export class OpenCalls {
  private readonly controllersByCall = new Map<string, Set<AbortController>>();

  get size(): number {
    return this.controllersByCall.size;
  }

  /** Runs `work` with a signal that fires when the call is cancelled or `outer` fires. */
  async run<T>(
    client: string,
    id: CallId,
    outerSignal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(client, id);
    const controller = new AbortController();
    // If a client reuses an id, cancelling ends all calls with it.
    const same = this.controllersByCall.get(key) ?? new Set();
    this.controllersByCall.set(key, same.add(controller));
    try {
      return await work(AbortSignal.any([outerSignal, controller.signal]));
    } finally {
      same.delete(controller);
      if (same.size === 0) this.controllersByCall.delete(key);
    }
  }

  /** Does nothing if the call has ended or belongs to another client. */
  cancel(client: string, id: CallId): void {
    for (const controller of this.controllersByCall.get(keyOf(client, id)) ?? [])
      controller.abort(new CancelledCallError());
  }
}

class CancelledCallError extends Error {
  override readonly name = 'CancelledCallError';
  constructor() {
    super('The call was cancelled.');
  }
}

function keyOf(client: string, id: CallId): string {
  return JSON.stringify([client, id]);
}
