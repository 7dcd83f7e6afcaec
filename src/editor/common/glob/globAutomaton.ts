const slash = 47;
/** Maximum number of kept steps of one automaton. After that, it forgets them. */
const maxKeptSteps = 2_000;

/** Leads to `next` by itself, to `after` with a unit that it accepts, and to `next` with a text that `except` does not match. */
export interface State {
  readonly id: number;
  readonly next: State[];
  accepts?: (code: number) => boolean;
  after?: State;
  except?: { readonly automaton: Automaton; readonly hasSlash: boolean };
}

/** A state that waits for a unit. `inner` is the place in its `except`. */
interface Thread {
  readonly state: State;
  readonly inner: Place | undefined;
}

/** All states in which the automaton can be after a text. */
interface Place {
  readonly id: number;
  readonly threads: readonly Thread[];
  readonly isEnd: boolean;
  readonly stepByUnit: Map<number, Place>;
}

/** Compares texts unit by unit. Its places are made when they are first reached, and kept up to a limit. */
export class Automaton {
  readonly first: State;
  end: State;
  private lastId = 0;
  private keptSteps = 0;
  private placeByKey = new Map<string, Place>();
  private start: Place | undefined;

  /** Counts in `work` what is done. */
  constructor(private readonly work: { steps: number }) {
    this.first = this.end = this.addState();
  }

  addState(): State {
    return { id: ++this.lastId, next: [] };
  }

  isMatch(text: string): boolean {
    let place = this.startPlace();
    for (let index = 0; index < text.length && (place.isEnd || place.threads.length > 0); index++)
      place = this.step(place, text.charCodeAt(index));
    return place.isEnd;
  }

  private startPlace(): Place {
    return (this.start ??= this.placeOf([{ state: this.first, inner: undefined }]));
  }

  private step(place: Place, code: number): Place {
    this.work.steps++;
    const known = place.stepByUnit.get(code);
    if (known) return known;
    const reached: Thread[] = [];
    for (const { state, inner } of place.threads) {
      const { accepts, after, except } = state;
      if (after && accepts?.(code) === true) reached.push({ state: after, inner: undefined });
      if (except && inner && (code !== slash || except.hasSlash))
        reached.push({ state, inner: except.automaton.step(inner, code) });
    }
    if (++this.keptSteps > maxKeptSteps) {
      this.placeByKey = new Map();
      this.start = undefined;
      this.keptSteps = 0;
    }
    const next = this.placeOf(reached);
    place.stepByUnit.set(code, next);
    return next;
  }

  /** Adds the states to which these lead by themselves. */
  private placeOf(waiting: Thread[]): Place {
    const found = new Map<string, Thread>();
    for (let thread = waiting.pop(); thread; thread = waiting.pop()) {
      const { state } = thread;
      const inner = thread.inner ?? state.except?.automaton.startPlace();
      const key = `${state.id}.${inner?.id ?? ''}`;
      if (found.has(key)) continue;
      this.work.steps++;
      found.set(key, { state, inner });
      if (inner?.isEnd !== true) waiting.push(...state.next.map((next) => ({ state: next, inner: undefined })));
    }
    const key = [...found.keys()].join();
    const all = [...found.values()];
    const place = this.placeByKey.get(key) ?? {
      id: ++this.lastId,
      threads: all.filter(({ state, inner }) => state.accepts ?? inner),
      isEnd: all.some(({ state }) => state === this.end),
      stepByUnit: new Map<number, Place>(),
    };
    this.placeByKey.set(key, place);
    return place;
  }
}
