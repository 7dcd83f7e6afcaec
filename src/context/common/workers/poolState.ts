/** Why a provider has its own worker. */
export type OwnWorkerReason =
  /** The provider is code of the workspace, or it receives secrets. */
  | 'required'
  /** Its module cannot be loaded. The reason is dropped when the provider is unloaded. */
  | 'unloadable'
  /** It stopped the shared worker while no other provider was there. */
  | 'alone'
  | WorkerEndReason;

/** Why a worker ended, or must be ended, because of what runs in it. */
export type WorkerEndReason = 'blocked' | 'hung' | 'ended' | 'memory';

export interface PoolWorker {
  /** The only provider of the worker. Undefined if the worker is shared. There is at most one shared worker. */
  readonly owner: number | undefined;
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
}

export const emptyPool: PoolState = {
  lastWorker: 0,
  workers: new Map(),
  questions: new Map(),
  ownWorkerReasons: new Map(),
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
  /** `question` was not answered in time. */
  | { readonly kind: 'ended'; readonly worker: number; readonly reason: WorkerEndReason; readonly question?: number }
  | { readonly kind: 'idle'; readonly worker: number }
  /** The code of a provider must not run any more. */
  | { readonly kind: 'unloaded'; readonly provider: number };

export type PoolEffect =
  | { readonly kind: 'start'; readonly worker: number; readonly question: number; readonly isShared: boolean }
  | { readonly kind: 'send'; readonly worker: number; readonly question: number }
  | { readonly kind: 'end'; readonly worker: number }
  /** The question fails with the error of the event. */
  | { readonly kind: 'fail'; readonly question: number }
  /** The question was interrupted, and its provider may not be the cause. */
  | { readonly kind: 'askAgain'; readonly question: number };
