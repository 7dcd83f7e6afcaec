import { KeyedQueue } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import { entryOf, type BroughtKind, type BroughtThing } from './broughtThing';
import type { ConsentAnswer, ConsentBook } from './consentBook';

export type ConsentDecision = ConsentAnswer | 'ask';

/** `background`: the user is not asked again in this window after closing the question. */
type ConsentReason = 'user' | 'background';

/** Permission to run something that a workspace defines. The caller checks workspace trust first. */
export interface Consent {
  /** Fires when an answer was given or changed. */
  readonly onDidChange: Event<void>;
  /** Returns the stored decision without asking, and records that the item exists. */
  decide(thing: BroughtThing): ConsentDecision;
  /** Forgets the items of these kinds that the workspace no longer defines. Stored answers are kept. */
  keepOnly(kinds: readonly BroughtKind[], isNamed: (thing: BroughtThing) => boolean): void;
  /** Asks the user unless there is an answer. Returns `ask` if the question was closed. */
  ask(thing: BroughtThing, reason: ConsentReason): Promise<ConsentDecision>;
  /** Asks the user even if there is an answer. Closing the question changes nothing. */
  askAgain(thing: BroughtThing): Promise<ConsentDecision>;
}

export interface SeenThing {
  readonly thing: BroughtThing;
  readonly decision: ConsentDecision;
}

/** Shows one question. Resolves with undefined if the user closes it. */
type ShowQuestion = (thing: BroughtThing, hasChanged: boolean) => Promise<ConsentAnswer | undefined>;

/** Decides by stored answers and asks the user one question at a time. Dispose it. */
export class ConsentDesk implements Consent, Disposable {
  private readonly seen = new Map<string, BroughtThing>();
  private readonly closed = new Set<string>();
  private readonly queue = new KeyedQueue();
  private readonly seenEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires when an item appeared, changed its content or disappeared. */
  readonly onDidChangeSeen = this.seenEmitter.event;

  constructor(
    private readonly book: ConsentBook,
    private readonly show: ShowQuestion,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get onDidChange(): Event<void> {
    return this.book.onDidChange;
  }

  /** The items that this window has seen and the workspace still defines, with their latest content. */
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
      // An earlier question in the queue may have been about the same item.
      const answered = this.book.answerTo(thing);
      if (answered) return answered;
      if (reason === 'background' && this.closed.has(thing.hash)) return 'ask';
      return await this.showFor(thing);
    });
  }

  async askAgain(thing: BroughtThing): Promise<ConsentDecision> {
    return await this.queue.run('question', () => this.showFor(thing));
  }

  /** Accepts an answer given next to the open file. Asks again if the content has changed. Rejects if unreadable. */
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

/** Identifies an item. An item with an ID may move to another file. */
function keyOf(thing: BroughtThing): string {
  return thing.id === undefined ? entryOf(thing) : JSON.stringify([thing.kind, thing.id]);
}
