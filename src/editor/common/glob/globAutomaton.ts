const slash = 47;
/** Maximum number of kept threads and steps of one glob. After that, it forgets them. */
const maxKept = 10_000;
/** Of one glob. Only one of the maximum length that consists of brackets has so many. */
const maxStates = 2_000;

/** Leads to `next` by itself, to `after` with a unit that it accepts, and to `next` with a text that `except` does not match. */
export interface State {
  readonly id: number;
  readonly next: State[];
  accepts?: (code: number) => boolean;
  after?: State;
  except?: { readonly automaton: Automaton; readonly hasSlash: boolean };
}

/** What all automata of one glob have together. */
export interface GlobWork {
  /** How much work matching has been. */
  steps: number;
  /** How many threads and steps are kept. */
  kept: number;
  /** How often what was kept has been forgotten. */
  generation: number;
  states: number;
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
}

/** Compares texts unit by unit. Its places are made when they are first reached, and kept up to a limit. */
export class Automaton {
  readonly first: State;
  end: State;
  private lastId = 0;
  private generation = 0;
  private placeByKey = new Map<string, Place>();
  /** Not in the places, because a place must not keep others after they are forgotten. */
  private placeByStep = new Map<number, Place>();
  private start: Place | undefined;

  constructor(private readonly work: GlobWork) {
    this.first = this.end = this.addState();
  }

  /** @throws Error if the glob has too many states */
  addState(): State {
    if (++this.work.states > maxStates) throw new Error('it has too many groups and brackets');
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
    const key = place.id * 0x10000 + code;
    const known = this.placeByStep.get(key);
    if (known) return known;
    const reached: Thread[] = [];
    for (const { state, inner } of place.threads) {
      const { accepts, after, except } = state;
      if (after && accepts?.(code) === true) reached.push({ state: after, inner: undefined });
      if (except && inner && (code !== slash || except.hasSlash))
        reached.push({ state, inner: except.automaton.step(inner, code) });
    }
    this.forgetOld();
    const next = this.placeOf(reached);
    this.placeByStep.set(key, next);
    this.work.kept++;
    return next;
  }

  /** All automata of a glob forget together, because the places of one refer to those of another. */
  private forgetOld(): void {
    const { work } = this;
    if (work.kept > maxKept) {
      work.kept = 0;
      work.generation++;
    }
    if (this.generation === work.generation) return;
    this.generation = work.generation;
    this.placeByKey = new Map();
    this.placeByStep = new Map();
    this.start = undefined;
  }

  /** Adds the states to which these lead by themselves. */
  private placeOf(waiting: Thread[]): Place {
    const found = new Map<number, Thread>();
    for (let thread = waiting.pop(); thread; thread = waiting.pop()) {
      const { state } = thread;
      const inner = thread.inner ?? state.except?.automaton.startPlace();
      const key = state.id * 2 ** 40 + (inner?.id ?? 0);
      if (found.has(key)) continue;
      this.work.steps++;
      found.set(key, { state, inner });
      if (inner?.isEnd !== true) waiting.push(...state.next.map((next) => ({ state: next, inner: undefined })));
    }
    const key = [...found.keys()].join();
    const known = this.placeByKey.get(key);
    if (known) return known;
    const all = [...found.values()];
    const threads = all.filter(({ state, inner }) => state.accepts ?? inner);
    const place = { id: ++this.lastId, threads, isEnd: all.some(({ state }) => state === this.end) };
    this.placeByKey.set(key, place);
    this.work.kept += found.size + 1;
    return place;
  }
}
