import assert from 'node:assert/strict';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import type { BackendSession } from '../../../../../src/session/common/sessionBackend';
import type { EventOf, SessionEvent, SessionEventName } from '../../../../../src/session/common/sessionEvents';

interface ReaderOptions {
  readonly afterSequence?: number;
  /** Awaited after each event. */
  readonly pause?: () => Promise<unknown>;
}

/** Follows a session, and holds every event against the grammar when it hears the first one. */
export class Reader {
  readonly events: SessionEvent[] = [];
  readonly violations: string[] = [];
  hasEnded = false;
  private readonly grammar = new SessionGrammar();
  private readonly waiting = new Set<() => void>();
  private lastSequence: number;

  constructor(
    session: BackendSession,
    private readonly options: ReaderOptions = {},
  ) {
    this.lastSequence = options.afterSequence ?? 0;
    void this.follow(session);
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  all<Name extends SessionEventName>(name: Name): EventOf<Name>['data'][] {
    return this.events.filter((event): event is EventOf<Name> => event.event === name).map(dataOf);
  }

  /** The data of the `nth` event of that name, from 1, as soon as it is there. */
  async next<Name extends SessionEventName>(name: Name, nth = 1): Promise<EventOf<Name>['data']> {
    await this.until(`${nth} ${name}`, () => this.all(name).length >= nth);
    return this.all(name)[nth - 1] ?? assert.fail();
  }

  /** How the `nth` turn that a prompt began ended, from 1, as soon as it has. */
  async endOf(nth = 1): Promise<TurnEnd> {
    await this.until(`the end of turn ${nth}`, () => this.hasTurnEnded(nth));
    return this.turn(nth).find(isTurnEnd) ?? assert.fail();
  }

  hasTurnEnded(nth = 1): boolean {
    return this.turn(nth).some(isTurnEnd);
  }

  /** All events from the `nth` prompt to the one before the next; none when it has not come. */
  turn(nth = 1): SessionEvent[] {
    const [from, to] = [this.indexOfPrompt(nth), this.indexOfPrompt(nth + 1)];
    return from < 0 ? [] : this.events.slice(from, to < 0 ? undefined : to);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(45_000);
    deadline.addEventListener('abort', () => this.wake(), { once: true });
    while (!isSo()) {
      assert.ok(!deadline.aborted && !this.hasEnded, `${what} did not come; there are: ${this.names.join(' ')}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  async untilEnd(): Promise<void> {
    const deadline = AbortSignal.timeout(45_000);
    deadline.addEventListener('abort', () => this.wake(), { once: true });
    while (!this.hasEnded) {
      assert.ok(!deadline.aborted, `the session does not end; there are: ${this.names.join(' ')}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  private indexOfPrompt(nth: number): number {
    const prompts = this.events.flatMap(({ event }, index) => (event === 'prompt:submit' ? [index] : []));
    return prompts[nth - 1] ?? -1;
  }

  private async follow(session: BackendSession): Promise<void> {
    const { afterSequence = 0, pause } = this.options;
    for await (const { event, sequence } of session.events({ afterSequence })) {
      if (sequence !== this.lastSequence + 1) this.violations.push(`a gap before ${sequence}`);
      this.lastSequence = sequence;
      const broken = afterSequence === 0 ? this.grammar.checkEvent(event) : undefined;
      if (broken) this.violations.push(`"${broken.rule}" at ${broken.index}, ${JSON.stringify(event)}`);
      this.events.push(event);
      this.wake();
      await pause?.();
    }
    this.hasEnded = true;
    this.wake();
  }

  private wake(): void {
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }
}

type TurnEnd = EventOf<'prompt:complete'> | EventOf<'error'>;

function isTurnEnd(event: SessionEvent): event is TurnEnd {
  return event.event === 'prompt:complete' || event.event === 'error';
}

/** The text of all blocks. */
export function textOf(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.event === 'content_block:delta' ? event.data.delta : '')).join('');
}

function dataOf<Event extends SessionEvent>(event: Event): Event['data'] {
  return event.data;
}
