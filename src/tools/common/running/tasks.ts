import * as z from 'zod';
import { withDeadline } from '../../../base/common/async';
import { BoundedMap } from '../../../base/common/boundedMap';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { oneLine } from '../../../base/common/text/oneLine';
import { formatCommand } from '../../../base/common/text/visibleText';
import type { ToolCaller } from '../../../session/common/toolCaller';
import { defineActingTool, type ActingCall } from '../defineTool';
import { pageNumberSchema } from '../placeFinder';
import type { KnownTask, StartedTask } from '../taskPort';
import { truncateText } from '../text/lineTexts';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';
import { selectPageFromEnd, terminalLines } from './terminalText';

const maxListed = 100;
const maxCommandLength = 200;
const maxTimeoutSeconds = 600;
/** Number of output lines in the answer for a task that has ended. */
const linesAtEnd = 60;
const linesPerPage = 200;
/** Maximum number of started tasks per caller whose output is kept. */
const maxStarted = 10;
/** VS Code's API does not contain the tasks on which a task depends, or the values of its variables. */
const warning =
  'A task can also run tasks that it depends on, and commands in its variables. VS Code may save all files first.';
const inTerminal = "Its output is only in the user's terminal.";

export function tasksTool(ports: Pick<ToolPorts, 'clock' | 'tasks'>): Tool {
  const { tasks } = ports;
  /**
   * The last start of each task by caller, because the user has allowed it only for that caller. Calls wrap their caller, but its
   * end signal stays the same.
   */
  const startedByCaller = new WeakMap<AbortSignal, BoundedMap<string, StartedTask>>();
  const startedOf = ({ endSignal }: ToolCaller): BoundedMap<string, StartedTask> => {
    const started = startedByCaller.get(endSignal) ?? new BoundedMap<string, StartedTask>({ maxEntries: maxStarted });
    startedByCaller.set(endSignal, started);
    return started;
  };
  return defineActingTool({
    name: 'tasks',
    title: 'Tasks',
    description:
      'Tasks of the workspace in VS Code, such as npm scripts, builds and tests. Without input: lists them. With run: runs one in a terminal that the user sees, waits, and returns the exit code and the last lines of output.',
    input: z.strictObject({
      run: z.string().min(1).max(500).optional().describe('Name, as listed.'),
      timeout: z.int().min(1).max(maxTimeoutSeconds).default(120).describe('Seconds to wait for its end.'),
      output: z.string().min(1).max(500).optional().describe('Name of one that you ran: its output until now.'),
      page: pageNumberSchema,
    }),
    async run({ output, page, run, timeout }, call) {
      if (run !== undefined && output !== undefined) throw new ToolError('Give run or output, not both.');
      const started = startedOf(call.caller);
      if (output !== undefined) return await describeOutput(output, page, started);
      const known = await tasks.tasks();
      call.signal.throwIfAborted();
      if (run === undefined) return listTasks(known);
      const task = findTask(known, run);
      await requirePermit(task, call);
      return await runTask(task, timeout, started, ports, call.signal);
    },
  });
}

async function runTask(
  task: KnownTask,
  timeout: number,
  started: BoundedMap<string, StartedTask>,
  { clock }: Pick<ToolPorts, 'clock'>,
  signal: AbortSignal,
): Promise<string> {
  const label = labelOf(task);
  // A cancelled call stops the task only while the call waits for it, because the signal fires after every call.
  const stop = new AbortController();
  const cancel = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const running = await task.start(stop.signal);
    started.set(label, running);
    if (task.isBackground)
      return `Started ${label}. It runs until the user stops it. Use output to see what it prints.`;
    // Only the deadline rejects.
    const end = await withDeadline(clock, label, timeout * 1_000, () => running.whenEnded).catch(() => undefined);
    signal.throwIfAborted();
    const lines = await lastLines(running, 1, linesAtEnd);
    if (!end) return [`${label} has not ended after ${timeout} s and continues.`, ...lines].join('\n');
    const code = end.exitCode === undefined ? 'without an exit code' : `with exit code ${end.exitCode}`;
    return [`${label} ended ${code}.`, ...lines].join('\n');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** @throws ToolError if the caller has not run the task */
async function describeOutput(name: string, page: number, started: ReadonlyMap<string, StartedTask>): Promise<string> {
  const [label, task] =
    [...started].find(([each]) => each === name || each.slice(each.indexOf(': ') + 2) === name) ?? [];
  if (!task) throw new ToolError(`You have not run “${name}” recently. Run it first.`);
  const state = task.hasEnded ? 'has ended' : 'is running';
  return [`${label} ${state}.`, ...(await lastLines(task, page, linesPerPage))].join('\n');
}

async function lastLines(task: StartedTask, page: number, linesPerPage: number): Promise<readonly string[]> {
  const output = await task.output();
  if (output === undefined) return [inTerminal];
  const lines = terminalLines(output);
  return lines.join('') === '' ? ['It has no output.'] : selectPageFromEnd(lines, page, linesPerPage);
}

function listTasks(known: readonly KnownTask[]): string {
  if (known.length === 0) return 'VS Code has no tasks here.';
  const rows = known.slice(0, maxListed).map((task) => {
    const { command, group, isBackground } = task;
    const notes = [...(group === '' ? [] : [group]), ...(isBackground ? ['does not end'] : [])];
    const what = command ? ` — ${truncateText(oneLine(formatCommand(command.argv)), maxCommandLength)}` : '';
    return `  ${labelOf(task)}${what}${notes.length > 0 ? `  [${notes.join(', ')}]` : ''}`;
  });
  const remaining = known.length - rows.length;
  return [countWithNoun(known.length, 'task'), ...rows, ...(remaining > 0 ? [`  … ${remaining} more`] : [])].join('\n');
}

/** @throws ToolError if no task, or more than one, has that name */
function findTask(known: readonly KnownTask[], name: string): KnownTask {
  const exact = known.filter((task) => labelOf(task) === name);
  const found = exact.length > 0 ? exact : known.filter((task) => oneLine(task.name) === name);
  const [task] = found;
  if (!task) throw new ToolError(`There is no task “${name}”. Without run, tasks are listed.`);
  if (found.length === 1) return task;
  const folders = found.map(({ folder }) => `  ${folder}`);
  throw new ToolError([`There are several tasks “${name}”. Run the command of one yourself:`, ...folders].join('\n'));
}

/** @throws ToolError if the user does not allow it */
async function requirePermit(task: KnownTask, { caller, signal }: ActingCall): Promise<void> {
  const command = task.command ?? { argv: [`VS Code task ${labelOf(task)}`], cwd: task.folder, env: {} };
  const permit = await caller.mayRun({ ...command, warning }, signal);
  signal.throwIfAborted();
  if (!permit.isGranted) throw new ToolError(`The task was not run. ${permit.reason}`);
}

function labelOf({ name, source }: KnownTask): string {
  return oneLine(`${source}: ${name}`);
}
