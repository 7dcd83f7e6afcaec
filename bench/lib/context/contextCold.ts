import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { BenchChild, tellParent } from '../child';
import { oursOf, textOf, writeProviders } from './contextSubjects';

/** What the first question of a new process costs: CPU until the items are there, and memory. */
const Cost = z.object({ cpuMs: z.number(), residentMib: z.number(), items: z.number() });
type ColdCost = z.infer<typeof Cost>;

export const coldRole = 'cold';
const mib = 1_024 * 1_024;
const bareProgram =
  "require('node:worker_threads').parentPort.once('message', (it) => require('node:worker_threads').parentPort.postMessage(it));";

/** Asks `count` providers, or starts as many workers that load nothing, in a process of its own. */
export async function coldCost(subject: 'ours' | 'bare', count: number): Promise<ColdCost> {
  const child = new BenchChild(coldRole, subject, String(count));
  try {
    return Cost.parse(await child.next());
  } finally {
    await child.stop();
  }
}

/** For the child's side. */
export async function runCold(subject: string | undefined, count: number): Promise<void> {
  // A small file, because this is about the start and not about the providers' own work.
  const text = textOf(1, 100);
  const ours =
    subject === 'ours' ? oursOf(writeProviders(...Array.from({ length: count }, () => 'small' as const))) : undefined;
  const before = usage();
  const items = ours ? (await ours.ask(1, text)).count : await startBareWorkers(count);
  const after = usage();
  tellParent({ cpuMs: after.cpuMs - before.cpuMs, residentMib: after.residentMib - before.residentMib, items });
  process.once('disconnect', () => process.exit(0));
}

/** Until each has answered once. */
async function startBareWorkers(count: number): Promise<number> {
  const workers = Array.from({ length: count }, () => new Worker(bareProgram, { eval: true, execArgv: [] }));
  await Promise.all(
    workers.map((worker) => {
      worker.postMessage('there?');
      return once(worker, 'message');
    }),
  );
  return count;
}

function usage(): { cpuMs: number; residentMib: number } {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, residentMib: process.memoryUsage.rss() / mib };
}
