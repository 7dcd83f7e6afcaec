import type { CallDescription } from '../session/toolCalls';

interface WatchedCall {
  readonly callId: string;
  readonly before: string;
  readonly controller: AbortController;
}

interface CallWatch {
  /** Aborted with `requestChanged` when the call is no longer what it was. */
  readonly signal: AbortSignal;
  dispose(): void;
}

/** The reason of a signal that is aborted because a request has changed while it waited for its answer. */
export const requestChanged = Symbol('The request has changed.');

/** Recognizes that a tool call has changed while the user or a rule decides about it. */
export class CallChanges {
  private readonly watches = new Set<WatchedCall>();

  /** `describeCall` returns everything that is known about a call. */
  constructor(private readonly describeCall: (callId: string) => CallDescription | undefined) {}

  /** Watches a call from now on. The caller disposes the result. */
  watch(callId: string | undefined): CallWatch {
    const controller = new AbortController();
    if (callId === undefined) return { signal: controller.signal, dispose: () => undefined };
    const watched = { callId, before: this.fingerprintOf(callId), controller };
    this.watches.add(watched);
    return { signal: controller.signal, dispose: () => this.watches.delete(watched) };
  }

  /** Call after each message of the agent that can change a call. */
  check(): void {
    for (const watched of [...this.watches]) {
      if (this.fingerprintOf(watched.callId) === watched.before) continue;
      this.watches.delete(watched);
      watched.controller.abort(requestChanged);
    }
  }

  private fingerprintOf(callId: string): string {
    const call = this.describeCall(callId);
    if (!call) return '';
    const { content, kind, locations, name, rawInput, title } = call;
    // Output of a terminal is no part of what is asked for.
    return JSON.stringify([kind, name, title, rawInput, locations, content.filter(({ type }) => type !== 'terminal')]);
  }
}
