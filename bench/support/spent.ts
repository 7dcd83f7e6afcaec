import type { Worker } from 'node:worker_threads';

const workers: Worker[] = [];
process.on('worker', (worker) => workers.push(worker));

/**
 * What this thread and those it has started have used of processors since then, without what the engine does beside them:
 * the time that it takes where nothing else runs, also on a machine where much does.
 */
export class Spent {
  private readonly before = allMs();

  /** Milliseconds. */
  async ms(): Promise<number> {
    return (await allMs()) - (await this.before);
  }
}

async function allMs(): Promise<number> {
  let sum = threadMs();
  // An idle worker keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  for (const worker of workers) if (worker.threadId >= 0) sum += await workerMs(worker);
  clearInterval(alive);
  return sum;
}

/** 0 for one that has not begun. */
async function workerMs(worker: Worker): Promise<number> {
  const usage = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return sumOf(usage);
}

function threadMs(): number {
  return sumOf(process.threadCpuUsage());
}

function sumOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
