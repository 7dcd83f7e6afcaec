/** Why a provider has a worker of its own. */
export type OwnWorkerReason =
  /** Code of the workspace, or a provider that is given secrets. */
  | 'required'
  | 'blocked'
  | 'hung'
  | 'ended'
  | 'memory'
  | 'globals'
  | 'files'
  /** Its module cannot be loaded. Forgotten when the provider is unloaded. */
  | 'unloadable';

/** Providers that one shared worker may run. The memory for its notes has one place for each. */
export const maxMembers = 64;

interface PoolWorker {
  /** The provider whose own worker it is. Undefined if it is shared. */
  readonly owner: number | undefined;
  /** The providers that were asked in it, so that their code may run there. */
  readonly members: ReadonlySet<number>;
}

export interface PoolQuestion {
  readonly provider: number;
  /** The worker that it was sent to. Undefined while it waits for an earlier question of its provider. */
  readonly worker: number | undefined;
}

/** Which provider runs where, and what each is asked. Providers, workers and questions are numbers from 1. */
export interface PoolState {
  readonly lastWorker: number;
  readonly workers: ReadonlyMap<number, PoolWorker>;
  /** In the order in which they were asked. */
  readonly questions: ReadonlyMap<number, PoolQuestion>;
  readonly ownWorkerReasons: ReadonlyMap<number, OwnWorkerReason>;
  /** Whether new shared workers look for changes of globals after each provider, which takes time, instead of sometimes. */
  readonly isCareful: boolean;
}

export const emptyPool: PoolState = {
  lastWorker: 0,
  workers: new Map(),
  questions: new Map(),
  ownWorkerReasons: new Map(),
  isCareful: false,
};

export type PoolEvent =
  /** `isOwnWorkerRequired`: the provider must not share a worker. */
  | {
      readonly kind: 'asked';
      readonly question: number;
      readonly provider: number;
      readonly isOwnWorkerRequired: boolean;
    }
  /** These have an answer or an error of the provider itself. */
  | { readonly kind: 'answered'; readonly questions: readonly number[] }
  | { readonly kind: 'cancelled'; readonly question: number }
  /** The question failed because the module of its provider could not be loaded. */
  | { readonly kind: 'moduleFailed'; readonly question: number }
  /** The time for a question is over. `running` is the provider whose code the worker was running. */
  | { readonly kind: 'timedOut'; readonly question: number; readonly running: number | undefined }
  /** A provider keeps the worker from running the others. */
  | { readonly kind: 'blocked'; readonly worker: number; readonly provider: number }
  /** The worker ended, or must be ended. */
  | { readonly kind: 'ended'; readonly worker: number; readonly reason: OwnWorkerReason; readonly suspects: Suspects }
  /** A provider changed something that all in its worker use, or needs a file that another one has loaded. */
  | {
      readonly kind: 'interfered';
      readonly worker: number;
      readonly reason: 'globals' | 'files';
      readonly providers: readonly number[];
    }
  | { readonly kind: 'idle'; readonly worker: number }
  /** The code of a provider must not run any more. */
  | { readonly kind: 'unloaded'; readonly provider: number };

/** Who may have caused the end of a worker. */
export interface Suspects {
  /** The provider whose code was running. */
  readonly running: number | undefined;
  /** Whether the code that was running certainly caused it. */
  readonly isProven: boolean;
  /** Providers that had started to answer, and had not finished. */
  readonly pending: readonly number[];
}

export type PoolEffect =
  | { readonly kind: 'start'; readonly worker: number; readonly question: number; readonly isShared: boolean }
  | { readonly kind: 'send'; readonly worker: number; readonly question: number }
  | { readonly kind: 'end'; readonly worker: number }
  /** The question fails with the error of the event. */
  | { readonly kind: 'fail'; readonly question: number }
  /** The question was interrupted by something that is not proven to be its provider's fault. */
  | { readonly kind: 'askAgain'; readonly question: number };
