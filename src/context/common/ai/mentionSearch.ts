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
  /** How long the answer waits. Later results are part of the next answer for the same query. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** How long a complete answer is reused for the same query. */
const freshMs = 5_000;

interface Asking {
  readonly provider: ProviderRef;
  /** Resolves when the search has ended, even if it failed. */
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

/** Searches for one query at a time, as the user types it. A new query cancels the previous search. */
export class MentionSearch implements Disposable {
  private round: Round | undefined;

  constructor(private readonly clock: Clock) {}

  /** Whether the current search is for this query and still waits for a provider. */
  isWaiting(query: string): boolean {
    return pendingOf(this.roundOf(query)).length > 0;
  }

  /** Returns what was found in time, alternating between providers. Never rejects. */
  async search(
    handles: readonly ProviderHandle[],
    params: MentionsParams,
    { waitMs, signal }: MentionSearchOptions,
  ): Promise<readonly FoundMention[]> {
    const round = this.start(handles, params);
    await this.wait(round.askings, waitMs, signal);
    return inTurns(round.askings);
  }

  /** Waits for another provider's answer. Never rejects. @returns whether the search for this query is still current */
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
        // The status shows the error.
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

/** Never shown: the results found so far are returned. */
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

/** A function, so that TypeScript does not narrow the result of an earlier check. */
function hasFired({ aborted }: AbortSignal): boolean {
  return aborted;
}
