import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { ProviderRef } from '../items/contextItem';
import type { Mention, MentionsParams } from './providerMention';
import type { ProviderHandle } from '../providers/providerHandle';

export interface FoundMention {
  readonly provider: ProviderRef;
  readonly mention: Mention;
}

export interface MentionSearchOptions {
  /** How long the answer waits. What comes later joins the next answer to the same question. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** How long an answer that is complete is good for the same question. */
const freshMs = 5_000;

interface Asking {
  readonly provider: ProviderRef;
  /** Resolves when it has ended in whatever way. */
  readonly done: Promise<void>;
  found: readonly Mention[] | undefined;
  isOver: boolean;
}

interface Round {
  readonly key: string;
  readonly query: string;
  readonly controller: AbortController;
  readonly askings: readonly Asking[];
  readonly startedMs: number;
}

/** Looks for one question at a time, as somebody types it: another question ends those on their way. */
export class MentionSearch implements Disposable {
  private round: Round | undefined;

  constructor(private readonly clock: Clock) {}

  /** Whether these words are still searched for, and a provider has not answered yet. */
  isWaiting(query: string): boolean {
    return pendingOf(this.roundOf(query)).length > 0;
  }

  /** What is found in time: one of each provider in turn, each in its own order. Never rejects. */
  async search(
    handles: readonly ProviderHandle[],
    params: MentionsParams,
    { waitMs, signal }: MentionSearchOptions,
  ): Promise<readonly FoundMention[]> {
    const round = this.start(handles, params);
    await this.wait(round.askings, waitMs, signal);
    return inTurns(round.askings);
  }

  /**
   * Resolves when one more has answered, or there is nobody to wait for. Never rejects. @returns whether these words are
   * still searched for: when somebody else searches now, to ask again would end that search
   */
  async next(query: string, signal: AbortSignal): Promise<boolean> {
    const round = this.roundOf(query);
    if (!round || hasFired(signal)) return false;
    const pending = pendingOf(round);
    if (pending.length === 0) return true;
    await raceSignal(Promise.race(pending.map(({ done }) => done)), signal, tooLate).catch(() => undefined);
    return !hasFired(signal) && this.roundOf(query) !== undefined;
  }

  dispose(): void {
    this.round?.controller.abort();
    this.round = undefined;
  }

  private roundOf(query: string): Round | undefined {
    return this.round?.query === query ? this.round : undefined;
  }

  private start(handles: readonly ProviderHandle[], params: MentionsParams): Round {
    const key = JSON.stringify([params, handles.map(({ ref }) => ref.id)]);
    const now = this.clock.monotonicNow();
    const { round } = this;
    if (round?.key === key && (pendingOf(round).length > 0 || now - round.startedMs < freshMs)) return round;
    round?.controller.abort();
    const controller = new AbortController();
    const asked = handles.filter(({ isLookupPaused }) => !isLookupPaused);
    const askings = asked.map((handle) => this.ask(handle, params, controller.signal));
    this.round = { key, query: params.query, controller, askings, startedMs: now };
    return this.round;
  }

  private ask(handle: ProviderHandle, params: MentionsParams, signal: AbortSignal): Asking {
    const asking: { -readonly [K in keyof Asking]: Asking[K] } = {
      provider: handle.ref,
      done: Promise.resolve(),
      found: undefined,
      isOver: false,
    };
    const run = async (): Promise<void> => {
      try {
        asking.found = await handle.mentions(params, signal);
      } catch {
        // The status says what went wrong.
      }
      asking.isOver = true;
    };
    asking.done = run();
    return asking;
  }

  private async wait(askings: readonly Asking[], waitMs: number, signal: AbortSignal): Promise<void> {
    const answered = Promise.all(askings.map(({ done }) => done));
    await withDeadline(this.clock, 'looking for mentions', waitMs, () => raceSignal(answered, signal, tooLate)).catch(
      () => undefined,
    );
  }
}

function pendingOf(round: Round | undefined): readonly Asking[] {
  return (round?.askings ?? []).filter(({ isOver }) => !isOver);
}

/** Nobody hears of it: what was found until then is the answer. */
function tooLate(): Error {
  return new Error('The request was canceled.');
}

function inTurns(askings: readonly Asking[]): FoundMention[] {
  const longest = Math.max(0, ...askings.map(({ found }) => found?.length ?? 0));
  const rounds = Array.from({ length: longest }, (_, index) =>
    askings.flatMap(({ provider, found }) => {
      const mention = found?.[index];
      return mention ? [{ provider, mention }] : [];
    }),
  );
  return rounds.flat();
}

/** Asked anew after each wait. */
function hasFired({ aborted }: AbortSignal): boolean {
  return aborted;
}
