import { KeyedQueue } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import { entryOf, type BroughtKind, type BroughtThing } from './broughtThing';
import type { ConsentAnswer, ConsentBook } from './consentBook';

export type ConsentDecision = ConsentAnswer | 'ask';

/**
 * Who asks: `user` wants this very thing now; `background` needs it on the way to something else, and is not asked for
 * again in this window when the user closed the question.
 */
type ConsentReason = 'user' | 'background';

/** What a feature needs to run something that a workspace brings. Trust is the caller's to look at first. */
export interface Consent {
  /** An answer was given, or changed. */
  readonly onDidChange: Event<void>;
  /** Asks nobody, and notes that there is such a thing. */
  decide(thing: BroughtThing): ConsentDecision;
  /**
   * To be told by who has read what the workspace names: of the things of these kinds, all that are not named any more are
   * forgotten. What was answered for them is kept.
   */
  keepOnly(kinds: readonly BroughtKind[], isNamed: (thing: BroughtThing) => boolean): void;
  /** Asks the user when nobody has answered. `ask` when the question was closed without an answer. */
  ask(thing: BroughtThing, reason: ConsentReason): Promise<ConsentDecision>;
  /** Asks whatever was answered before: the user wants to change it. Closing the question changes nothing. */
  askAgain(thing: BroughtThing): Promise<ConsentDecision>;
}

export interface SeenThing {
  readonly thing: BroughtThing;
  readonly decision: ConsentDecision;
}

/** Shows one question. Undefined when it was closed without an answer. */
type ShowQuestion = (thing: BroughtThing, hasChanged: boolean) => Promise<ConsentAnswer | undefined>;

/** Decides by what was answered, and asks the user one question at a time. Dispose it. */
export class ConsentDesk implements Consent, Disposable {
  private readonly seen = new Map<string, BroughtThing>();
  private readonly closed = new Set<string>();
  private readonly queue = new KeyedQueue();
  private readonly seenEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** There is a thing, or content of one, that was not there before; or one is gone. */
  readonly onDidChangeSeen = this.seenEmitter.event;

  constructor(
    private readonly book: ConsentBook,
    private readonly show: ShowQuestion,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get onDidChange(): Event<void> {
    return this.book.onDidChange;
  }

  /** What this window has met and the workspace still names, the latest content of each. */
  get all(): readonly SeenThing[] {
    return [...this.seen.values()].map((thing) => ({ thing, decision: this.book.answerTo(thing) ?? 'ask' }));
  }

  decide(thing: BroughtThing): ConsentDecision {
    const key = keyOf(thing);
    const isNew = this.seen.get(key)?.hash !== thing.hash;
    this.seen.set(key, thing);
    if (isNew) this.seenEmitter.fire();
    return this.book.answerTo(thing) ?? 'ask';
  }

  keepOnly(kinds: readonly BroughtKind[], isNamed: (thing: BroughtThing) => boolean): void {
    const gone = [...this.seen].filter(([, thing]) => kinds.includes(thing.kind) && !isNamed(thing));
    for (const [key] of gone) this.seen.delete(key);
    if (gone.length > 0) this.seenEmitter.fire();
  }

  async ask(thing: BroughtThing, reason: ConsentReason): Promise<ConsentDecision> {
    const known = this.decide(thing);
    if (known !== 'ask') return known;
    return await this.queue.run('question', async () => {
      // Whoever waits for the same thing has one answer.
      const answered = this.book.answerTo(thing);
      if (answered) return answered;
      if (reason === 'background' && this.closed.has(thing.hash)) return 'ask';
      return await this.showFor(thing);
    });
  }

  async askAgain(thing: BroughtThing): Promise<ConsentDecision> {
    return await this.queue.run('question', () => this.showFor(thing));
  }

  /**
   * An answer that was given beside the open file, long after the look that the question came from. It counts when nothing has
   * changed since; else the user is asked about what is there now. Rejects when it cannot be read.
   */
  async answerLater(thing: BroughtThing, answer: ConsentAnswer): Promise<void> {
    const latest = this.seen.get(keyOf(thing)) ?? thing;
    const now = latest.lookAgain ? await latest.lookAgain() : latest;
    if (!now) return;
    if (now.hash === thing.hash) {
      await this.book.set(thing, answer);
      return;
    }
    this.decide(now);
    await this.askAgain(now);
  }

  dispose(): void {
    this.seenEmitter.dispose();
    this.book.dispose();
  }

  private async showFor(thing: BroughtThing): Promise<ConsentDecision> {
    const answer = await this.show(thing, this.book.hasOther(thing));
    if (answer) await this.book.set(thing, answer);
    else this.closed.add(thing.hash);
    return this.book.answerTo(thing) ?? 'ask';
  }
}

/** One for each thing there is at a time: what has an id can be written in another file than before. */
function keyOf(thing: BroughtThing): string {
  return thing.id === undefined ? entryOf(thing) : JSON.stringify([thing.kind, thing.id]);
}
