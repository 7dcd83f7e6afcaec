/**
 * The backends that were opened for one agent or server, in the order of their settings. At most one is `current` and gets
 * new work.
 */
export type Generations<T> = readonly Generation<T>[];

type Generation<T> =
  /** `settings`: what it was opened with. */
  | { readonly kind: 'current'; readonly backend: T; readonly settings: string }
  /** Its settings have changed. It completes what it does. */
  | { readonly kind: 'retiring'; readonly backend: T }
  | { readonly kind: 'stopping'; readonly backend: T };

export type GenerationInput<T> =
  | { readonly type: 'opened'; readonly backend: T; readonly settings: string }
  /** The settings that hold now; they may be the same. `isWorking`: whether a turn runs. */
  | { readonly type: 'settings'; readonly settings: string; readonly isWorking: boolean }
  /** Nothing runs in a retiring backend any more. */
  | { readonly type: 'drained'; readonly backend: T }
  /** Nothing may run any more, for example because the user has removed the agent. */
  | { readonly type: 'forbidden' }
  /** The user restarts: what earlier settings still run is not waited for. */
  | { readonly type: 'restart' }
  | { readonly type: 'stopped'; readonly backend: T };

/** `tell`: tell the user that turns go on with the earlier settings. */
export type GenerationEffect<T> =
  { readonly type: 'retire' | 'stop' | 'dispose'; readonly backend: T } | { readonly type: 'tell' };

interface GenerationStep<T> {
  readonly generations: Generations<T>;
  readonly effects: readonly GenerationEffect<T>[];
}

export function nextGenerations<T>(generations: Generations<T>, input: GenerationInput<T>): GenerationStep<T> {
  switch (input.type) {
    case 'opened': {
      const { backend, settings } = input;
      const retired = retireCurrent(generations, () => true);
      return { ...retired, generations: [...retired.generations, { kind: 'current', backend, settings }] };
    }
    case 'settings': {
      // As long as an earlier change is not complete, the user knows.
      const isKnown = generations.some(({ kind }) => kind === 'retiring');
      const { effects, generations: next } = retireCurrent(generations, (settings) => settings !== input.settings);
      const isNews = effects.length > 0 && input.isWorking && !isKnown;
      return { generations: next, effects: isNews ? [...effects, { type: 'tell' }] : effects };
    }
    case 'drained':
      return stop(generations, ({ backend, kind }) => kind === 'retiring' && backend === input.backend);
    case 'forbidden':
      return stop(generations, ({ kind }) => kind !== 'stopping');
    case 'restart':
      return stop(generations, ({ kind }) => kind === 'retiring');
    case 'stopped': {
      const isIt = ({ backend, kind }: Generation<T>): boolean => kind === 'stopping' && backend === input.backend;
      return {
        generations: generations.filter((each) => !isIt(each)),
        effects: generations.filter(isIt).map(({ backend }) => ({ type: 'dispose', backend })),
      };
    }
  }
}

function retireCurrent<T>(generations: Generations<T>, isOutdated: (settings: string) => boolean): GenerationStep<T> {
  const effects: GenerationEffect<T>[] = [];
  const next = generations.map((each): Generation<T> => {
    if (each.kind !== 'current' || !isOutdated(each.settings)) return each;
    effects.push({ type: 'retire', backend: each.backend });
    return { kind: 'retiring', backend: each.backend };
  });
  return { generations: next, effects };
}

function stop<T>(generations: Generations<T>, isMeant: (generation: Generation<T>) => boolean): GenerationStep<T> {
  return {
    generations: generations.map((each) => (isMeant(each) ? { kind: 'stopping', backend: each.backend } : each)),
    effects: generations.filter(isMeant).map(({ backend }) => ({ type: 'stop', backend })),
  };
}
