/** Why a provider has its own worker. */
export type OwnWorkerReason =
  /** The provider is code of the workspace, or it receives secrets. */
  | 'required'
  | 'blocked'
  | 'hung'
  | 'ended'
  | 'memory'
  | 'globals'
  | 'files'
  /** Its module cannot be loaded. The reason is dropped when the provider is unloaded. */
  | 'unloadable';

/** Maximum number of providers in a shared worker. The memory of `RunningProviderNote` has one place for each. */
export const maxProvidersPerWorker = 64;

export interface PoolWorker {
  /** The only provider of the worker. Undefined if the worker is shared. */
  readonly owner: number | undefined;
  /** Whether the providers of `PoolState.secondHalf` share the worker. */
  readonly isSecondHalf: boolean;
  /** The providers that have received questions in this worker, so that their code may be running there. */
  readonly members: ReadonlySet<number>;
}

export interface PoolQuestion {
  readonly provider: number;
  /** The worker that received the question. Undefined while it waits for an earlier question to its provider. */
  readonly worker: number | undefined;
}

/** Which provider runs in which worker, and the open questions. Providers, workers and questions are numbers from 1. */
export interface PoolState {
  readonly lastWorker: number;
  readonly workers: ReadonlyMap<number, PoolWorker>;
  /** The open questions, in the order in which they were asked. */
  readonly questions: ReadonlyMap<number, PoolQuestion>;
  readonly ownWorkerReasons: ReadonlyMap<number, OwnWorkerReason>;
  /** The providers that share a second worker. Empty until one shared worker had too much to do. */
  readonly secondHalf: ReadonlySet<number>;
  /** Whether new shared workers check globals after each provider, which takes time, and not only sometimes. */
  readonly isCareful: boolean;
}

export const emptyPool: PoolState = {
  lastWorker: 0,
  workers: new Map(),
  questions: new Map(),
  ownWorkerReasons: new Map(),
  secondHalf: new Set(),
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
  /** Providers have answered these questions, or failed with their own errors. */
  | { readonly kind: 'answered'; readonly questions: readonly number[] }
  | { readonly kind: 'cancelled'; readonly question: number }
  /** The question failed because the module of its provider could not be loaded. */
  | { readonly kind: 'moduleFailed'; readonly question: number }
  /** A question has timed out. `running` is the provider whose code the worker was running. */
  | { readonly kind: 'timedOut'; readonly question: number; readonly running: number | undefined }
  /** A provider prevents the worker from running the others. */
  | { readonly kind: 'blocked'; readonly worker: number; readonly provider: number }
  /** The worker ended, or must be ended. */
  | { readonly kind: 'ended'; readonly worker: number; readonly reason: OwnWorkerReason; readonly suspects: Suspects }
  /** A provider has changed globals of its worker, or needs a file that another provider there has loaded. */
  | {
      readonly kind: 'interfered';
      readonly worker: number;
      readonly reason: 'globals' | 'files';
      readonly providers: readonly number[];
    }
  /** Two workers would answer sooner than this one, if `half` of its providers ran in the other one. */
  | { readonly kind: 'overloaded'; readonly worker: number; readonly half: readonly number[] }
  | { readonly kind: 'idle'; readonly worker: number }
  /** The code of a provider must not run any more. */
  | { readonly kind: 'unloaded'; readonly provider: number };

/** The providers that may have caused the end of a worker. */
export interface Suspects {
  /** The provider whose code was running. */
  readonly running: number | undefined;
  /** Whether the running code is proven to be the cause. */
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
  /** The question was interrupted, but its provider is not proven to be the cause. */
  | { readonly kind: 'askAgain'; readonly question: number };
