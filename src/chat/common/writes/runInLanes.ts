import { KeyedQueue } from '../../../base/common/async';

export interface Lane {
  /** Lets the next item of the lane begin, before the work on this one has ended. */
  free(): void;
  /** Runs the task when those of earlier items of the lane have settled. Rejects like the task. */
  runInTurn(task: () => void | Promise<void>): Promise<void>;
}

/**
 * Runs `work` for all items in order, for as many at once as there are lanes, and resolves when all work has ended. Work that waits
 * for something between two steps frees its lane after the first, so that all items can wait together, and runs the second in turn.
 * `work` must not reject.
 */
export async function runInLanes<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item, lane: Lane) => Promise<void>,
): Promise<void> {
  const queue = new KeyedQueue();
  const all: Promise<void>[] = [];
  const left = items.values();
  const runLane = async (lane: string): Promise<void> => {
    for (const item of left) {
      const { promise: isFree, resolve } = Promise.withResolvers<undefined>();
      const free = (): void => resolve(undefined);
      all.push(work(item, { free, runInTurn: (task) => queue.run(lane, async () => await task()) }).finally(free));
      await isFree;
    }
  };
  await Promise.all(Array.from({ length: count }, (_, number) => runLane(String(number))));
  await Promise.all(all);
}
