import { messageOf } from '../../../base/common/errors';
import { roughUnits } from '../../../base/common/roughUnits';
import type { Entry } from '../../../transcript/common/entries';
import { callsWithSteps, isSubagentCall, nestingProblem, SubthreadMapper, type SubagentCall } from './subthreadEntries';
import { ThreadError, type OpenThread } from '../threadPorts';

/** For all subagents of one thread together. */
interface Budget {
  threads: number;
  /** In UTF-16 units, about. */
  units: number;
  /** Of sources, which may each take a while. */
  failures: number;
}

const maxThreads = 100;
const maxUnits = 16 * 1024 * 1024;
const maxFailures = 5;
const maxSteps = 2_000;

const noRoom =
  'The thread of this subagent is not included here, because there are too many of them or they are too long.';

const notTried = 'The thread of this subagent is not included here, because others could not be read.';

/**
 * The thread with the steps of subagents that have threads of their own, each after its call, within bounds. What is not here
 * is said in words; the call has the link.
 */
export async function withSubthreads(
  thread: OpenThread,
  read: (threadId: string) => Promise<OpenThread>,
  budget: Budget = { threads: maxThreads, units: maxUnits, failures: maxFailures },
): Promise<OpenThread> {
  return { ...thread, entries: await expanded(thread.entries, [thread.head.id], { read, budget: { ...budget } }) };
}

interface Reading {
  readonly read: (threadId: string) => Promise<OpenThread>;
  readonly budget: Budget;
}

async function expanded(
  entries: readonly Entry[],
  chain: readonly string[],
  reading: Reading,
): Promise<readonly Entry[]> {
  const withSteps = callsWithSteps(entries);
  const all: Entry[] = [];
  for (const entry of entries) {
    all.push(entry);
    if (!isSubagentCall(entry) || withSteps.has(entry.id)) continue;
    for (const step of await stepsOf(entry, chain, reading)) all.push(step);
  }
  return all;
}

async function stepsOf(
  call: SubagentCall,
  chain: readonly string[],
  { read, budget }: Reading,
): Promise<readonly Entry[]> {
  const mapper = new SubthreadMapper();
  const problem = nestingProblem(call.subthread, chain);
  if (problem !== undefined) return [mapper.note(call, 'problem', 'info', problem)];
  if (budget.threads <= 0) return [mapper.note(call, 'problem', 'info', noRoom)];
  if (budget.failures <= 0) return [mapper.note(call, 'problem', 'warning', notTried)];
  budget.threads--;
  try {
    const { entries } = await read(call.subthread);
    const steps = mapper.steps(call, entries, maxSteps);
    const units = steps.reduce((sum, step) => sum + roughUnits(step), 0);
    if (units > budget.units) return [mapper.note(call, 'problem', 'info', noRoom)];
    budget.units -= units;
    return await expanded(steps, [...chain, call.subthread], { read, budget });
  } catch (error) {
    if (!(error instanceof ThreadError && error.code === 'notFound')) budget.failures--;
    const words = `The thread of this subagent cannot be read. ${messageOf(error)}`;
    return [mapper.note(call, 'problem', 'warning', words)];
  }
}
