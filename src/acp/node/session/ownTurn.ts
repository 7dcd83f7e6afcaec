interface Running {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** The turn of a session's own prompt, of which there is at most one. A turn is known by its signal. */
export class OwnTurn {
  private running: Running | undefined;

  /** `onEnd` is called when the session is free for the next prompt, before the end of the turn is reported. */
  constructor(private readonly onEnd: () => void) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Fires when the turn is to be stopped. Undefined without a turn. */
  get signal(): AbortSignal | undefined {
    return this.running?.controller.signal;
  }

  /** Resolves when the agent is done with the turn. Undefined without a turn. */
  get done(): Promise<void> | undefined {
    return this.running?.done;
  }

  /** Runs `work`, which must not reject, after the caller has reported the beginning of the turn. */
  begin(work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    this.running = { controller, done: Promise.resolve().then(() => work(controller.signal)) };
  }

  /** Asks the agent to stop the turn. */
  abort(): void {
    this.running?.controller.abort();
  }

  /** Frees the session. Returns false if the turn with `signal` has ended already, or was abandoned. */
  end(signal: AbortSignal | undefined): boolean {
    if (!this.running || this.signal !== signal) return false;
    this.running = undefined;
    this.onEnd();
    return true;
  }
}
