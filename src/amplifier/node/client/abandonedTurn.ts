import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { AmplifierApiError } from '../../common/apiErrors';
import { denyOption } from '../../../session/common/approvalOptions';
import type { SessionEvent, EventData } from '../../../session/common/sessionEvents';
import type { AmplifierClient } from './amplifierClient';

interface AbandonedTurnOptions {
  readonly client: AmplifierClient;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** What is done to end the turn; what it asks for is denied meanwhile. */
  readonly stop: () => Promise<unknown>;
  /** The session is of no more use: it is ended on the server once its turn is over, or its time is up. */
  readonly isDiscarded: boolean;
  /** How long a turn is followed at most. */
  readonly maxMs: number;
}

const lookMs = 500;
const maxLookMs = 5000;
const requestTimeoutMs = 3000;
/** A server that took a prompt a moment ago may still call itself idle. */
const idleLooks = 2;

type Question = Pick<EventData<'approval:required'>, 'options' | 'option_kinds'>;

/**
 * A turn that goes on after the user has left it. Whatever it asks for is denied, for a server may take silence for a yes; the
 * session is asked for its status until the turn is over. Settles by itself; dispose it to give up before.
 */
export class AbandonedTurn implements Disposable {
  private readonly givenUp = new AbortController();
  private settled: Promise<void> = Promise.resolve();
  private isStopping = true;
  /** What the stream told last, for servers whose status cannot be read. */
  private question: Question | undefined;

  constructor(private readonly options: AbandonedTurnOptions) {}

  start(): void {
    const { stop, sessionId, log } = this.options;
    void stop()
      .catch((error: unknown) => log.warn(`session ${sessionId}: could not stop the turn: ${messageOf(error)}`))
      .finally(() => (this.isStopping = false));
    this.settled = this.follow();
  }

  /** For as long as the stream lives, too. */
  handle({ event, data }: SessionEvent): void {
    if (event === 'approval:granted' || event === 'approval:denied') this.question = undefined;
    if (event !== 'approval:required') return;
    this.question = data;
    void this.deny(data).catch(() => undefined);
  }

  /** Never rejects. */
  whenSettled(): Promise<void> {
    return this.settled;
  }

  dispose(): void {
    this.givenUp.abort();
  }

  private async follow(): Promise<void> {
    const { clock, maxMs, isDiscarded } = this.options;
    const untilMs = clock.monotonicNow() + maxMs;
    let idle = 0;
    let delayMs = lookMs;
    while (!this.givenUp.signal.aborted && clock.monotonicNow() < untilMs) {
      const found = await this.look();
      if (found === 'gone') return;
      idle = found === 'over' && !this.isStopping ? idle + 1 : 0;
      if (idle === idleLooks) break;
      delayMs = found === 'unreachable' ? Math.min(maxLookMs, delayMs * 2) : lookMs;
      await this.pause(delayMs);
    }
    if (isDiscarded && !this.givenUp.signal.aborted) await this.discard();
  }

  private async look(): Promise<'goesOn' | 'over' | 'gone' | 'unreachable'> {
    const { client, sessionId, clock } = this.options;
    try {
      const { status, pending_approval: pending } = await withDeadline(
        clock,
        'Asking for the status',
        requestTimeoutMs,
        (signal) => client.getSession(sessionId, signal),
      );
      if (status === 'processing') return 'goesOn';
      if (status !== 'awaiting_approval') return 'over';
      const told = pending === 'unreadable' ? undefined : pending;
      const question = told?.options ? { options: told.options, option_kinds: told.option_kinds } : this.question;
      if (question) await this.deny(question);
      return 'goesOn';
    } catch (error) {
      return error instanceof AmplifierApiError && error.code === 'SESSION_NOT_FOUND' ? 'gone' : 'unreachable';
    }
  }

  /** Whatever waits now: all of it is to be denied. */
  private async deny({ options, option_kinds: kinds }: Question): Promise<void> {
    const { client, sessionId } = this.options;
    const decision = denyOption(options, kinds);
    if (decision !== undefined) await client.approve(sessionId, { decision }, requestTimeoutMs);
  }

  private async discard(): Promise<void> {
    const { client, sessionId, clock, log } = this.options;
    await withDeadline(clock, 'Ending the session', requestTimeoutMs, (signal) =>
      client.deleteSession(sessionId, signal),
    ).catch((error: unknown) => log.warn(`session ${sessionId} stays on the server: ${messageOf(error)}`));
  }

  private pause(delayMs: number): Promise<void> {
    const { signal } = this.givenUp;
    return new Promise((resolve) => {
      const resume = (): void => {
        timer.dispose();
        signal.removeEventListener('abort', resume);
        resolve();
      };
      const timer = this.options.clock.setTimer(delayMs, resume);
      if (signal.aborted) resume();
      else signal.addEventListener('abort', resume, { once: true });
    });
  }
}
