import { messageOf } from '../../../base/common/errors';
import { approximateUtf16Units } from '../../../base/common/text/approximateUtf16Units';
import type { Entry } from '../../../transcript/common/entries';
import {
  callIdsWithSteps,
  isSubagentCall,
  nestingProblem,
  SubthreadMapper,
  type SubagentCall,
} from './subthreadEntries';
import { ThreadError, type ThreadWithEntries } from '../threadPorts';

/** Limits that apply to all subthreads of a thread together. */
interface Budget {
  threads: number;
  /** Approximate total size, in UTF-16 units. */
  units: number;
  /** Number of reads that may fail, because a failed read may take long. */
  failures: number;
}

const maxThreads = 100;
const maxUnits = 16 * 1024 * 1024;
const maxFailures = 5;
const maxSteps = 2_000;

const overLimit = 'This subagent’s thread is not included because it would make the export too large.';
const skipped = 'This subagent’s thread is not included because other threads could not be read.';

/** Adds the steps of subthreads after their calls, within the limits, or else a notice. */
export async function addSubthreadSteps(
  thread: ThreadWithEntries,
  read: (threadId: string) => Promise<ThreadWithEntries>,
  budget: Budget = { threads: maxThreads, units: maxUnits, failures: maxFailures },
): Promise<ThreadWithEntries> {
  return { ...thread, entries: await withSteps(thread.entries, [thread.head.id], { read, budget: { ...budget } }) };
}

interface ReadingDeps {
  readonly read: (threadId: string) => Promise<ThreadWithEntries>;
  readonly budget: Budget;
}

async function withSteps(
  entries: readonly Entry[],
  chain: readonly string[],
  reading: ReadingDeps,
): Promise<readonly Entry[]> {
  const expandedCalls = callIdsWithSteps(entries);
  const all: Entry[] = [];
  for (const entry of entries) {
    all.push(entry);
    if (!isSubagentCall(entry) || expandedCalls.has(entry.id)) continue;
    for (const step of await stepsOf(entry, chain, reading)) all.push(step);
  }
  return all;
}

async function stepsOf(
  call: SubagentCall,
  chain: readonly string[],
  { read, budget }: ReadingDeps,
): Promise<readonly Entry[]> {
  const mapper = new SubthreadMapper();
  const problem = nestingProblem(call.subthread, chain);
  if (problem !== undefined) return [mapper.createNotice(call, 'problem', 'info', problem)];
  if (budget.threads <= 0) return [mapper.createNotice(call, 'problem', 'info', overLimit)];
  if (budget.failures <= 0) return [mapper.createNotice(call, 'problem', 'warning', skipped)];
  budget.threads--;
  try {
    const { entries } = await read(call.subthread);
    const steps = mapper.stepsOf(call, entries, maxSteps);
    const units = steps.reduce((sum, step) => sum + approximateUtf16Units(step), 0);
    if (units > budget.units) return [mapper.createNotice(call, 'problem', 'info', overLimit)];
    budget.units -= units;
    return await withSteps(steps, [...chain, call.subthread], { read, budget });
  } catch (error) {
    if (!(error instanceof ThreadError && error.code === 'notFound')) budget.failures--;
    const text = `This subagent’s thread can’t be read. ${messageOf(error)}`;
    return [mapper.createNotice(call, 'problem', 'warning', text)];
  }
}
