import type { Clock } from '../../../base/common/async';
import { AmplifierApiError, isMissingRoute } from '../../common/apiErrors';
import type { AmplifierClient } from './amplifierClient';
import { sendControl } from './webSocketConnection';

interface TurnStopperOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  /** For the turn to end once the server was told. */
  readonly graceMs: number;
  /** As the API reference has it. Elsewhere the end of the session takes away only the address for denials. */
  readonly endsWithSession: () => boolean;
}

/** `sessionEnded`: nothing less than ending the session stopped the turn. `goesOn`: nothing did. */
export type StopOutcome = 'turnEnded' | 'sessionEnded' | 'goesOn';

const controlTimeoutMs = 5000;
const maxControlLength = 16 * 1024 * 1024;

/**
 * Stops one turn by the gentlest way the server has: its cancel route, the WebSocket's `stop`, or the end of the session where
 * that ends the turn.
 */
export class TurnStopper {
  private running: Promise<StopOutcome> | undefined;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: TurnStopperOptions) {}

  /** Whoever stops a turn that is being stopped waits for the same end. @throws AmplifierApiError when it is not known */
  stop(hasEnded: () => boolean, signal?: AbortSignal): Promise<StopOutcome> {
    this.running ??= this.tryAll(hasEnded, signal).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** To be called whenever a turn ends. */
  turnEnded(): void {
    for (const resume of [...this.waiting]) resume();
  }

  private async tryAll(hasEnded: () => boolean, signal: AbortSignal | undefined): Promise<StopOutcome> {
    const { client, sessionId } = this.options;
    if (hasEnded()) return 'turnEnded';
    if ((await this.tell(signal)) && (hasEnded() || (await this.waitForEnd()) || hasEnded())) return 'turnEnded';
    try {
      const { status } = await client.getSession(sessionId, signal);
      // Its last events may have been lost.
      if (status === 'idle') return 'turnEnded';
      if (!this.options.endsWithSession()) return status === 'error' || status === 'stopped' ? 'turnEnded' : 'goesOn';
      await client.deleteSession(sessionId, signal);
    } catch (error) {
      if (!(error instanceof AmplifierApiError && error.code === 'SESSION_NOT_FOUND')) throw error;
    }
    return 'sessionEnded';
  }

  /** Whether the server could be told to stop the turn and nothing else. */
  private async tell(signal: AbortSignal | undefined): Promise<boolean> {
    const { client, sessionId } = this.options;
    try {
      await client.cancelTurn(sessionId, signal);
      return true;
    } catch (error) {
      if (!isMissingRoute(error)) return false;
    }
    const request = {
      url: client.webSocketUrl(sessionId),
      headers: client.headers,
      maxEventLength: maxControlLength,
      connectTimeoutMs: controlTimeoutMs,
      redact: (text: string) => client.redactor.json(text),
    };
    return sendControl(request, { action: 'stop' }).then(
      () => true,
      () => false,
    );
  }

  /** Whether the turn ended within the grace time. */
  private waitForEnd(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (ended: boolean): void => {
        timer.dispose();
        this.waiting.delete(resume);
        resolve(ended);
      };
      const resume = (): void => settle(true);
      const timer = this.options.clock.setTimer(this.options.graceMs, () => settle(false));
      this.waiting.add(resume);
    });
  }
}
