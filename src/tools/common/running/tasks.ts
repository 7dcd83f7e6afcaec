import * as z from 'zod';
import { withDeadline } from '../../../base/common/async';
import { countOf } from '../../../base/common/countOf';
import { TimeoutError } from '../../../base/common/errors';
import { oneLine } from '../../../base/common/oneLine';
import { formatCommand } from '../../../base/common/visibleText';
import { defineActingTool, type ActingCall } from '../defineTool';
import type { KnownTask } from '../taskPort';
import { truncateText } from '../text/lineTexts';
import { ToolError } from '../toolError';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';

const maxListed = 100;
const maxCommandLength = 200;
const maxTimeoutSeconds = 600;
/** VS Code does not tell extensions which tasks a task depends on, nor what its variables stand for. */
const warning =
  'A task can also run tasks that it depends on, and commands in its variables. VS Code may save all files first.';

export function tasksTool({ clock, tasks }: Pick<ToolPorts, 'clock' | 'tasks'>): Tool {
  return defineActingTool({
    name: 'tasks',
    title: 'Tasks',
    description:
      'Tasks of the workspace in VS Code, such as npm scripts, builds and tests. Without run: lists them. With run: runs one in a terminal that the user sees, waits, and tells the exit code. VS Code does not tell the output: use problems.',
    input: z.strictObject({
      run: z.string().min(1).max(500).optional().describe('Name, as listed.'),
      timeout: z.int().min(1).max(maxTimeoutSeconds).default(120).describe('Seconds to wait for its end.'),
    }),
    async run({ run, timeout }, call) {
      const known = await tasks.tasks();
      call.signal.throwIfAborted();
      if (run === undefined) return listTasks(known);
      const task = findTask(known, run);
      await requirePermit(task, call);
      // A cancelled call stops the task only while it waits for it: the signal fires after every call.
      const stop = new AbortController();
      const cancel = (): void => stop.abort(call.signal.reason);
      call.signal.addEventListener('abort', cancel, { once: true });
      try {
        const { whenEnded } = await task.start(stop.signal);
        if (task.isBackground) return `Started ${labelOf(task)}. It runs until the user stops it.`;
        const { exitCode } = await withDeadline(clock, labelOf(task), timeout * 1_000, () => whenEnded);
        call.signal.throwIfAborted();
        const code = exitCode === undefined ? 'without an exit code' : `with exit code ${exitCode}`;
        return `${labelOf(task)} ended ${code}. Its output is in the terminal of the user.`;
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
        return `${labelOf(task)} has not ended after ${timeout} s and goes on.`;
      } finally {
        call.signal.removeEventListener('abort', cancel);
      }
    },
  });
}

function listTasks(known: readonly KnownTask[]): string {
  if (known.length === 0) return 'VS Code knows no tasks here.';
  const rows = known.slice(0, maxListed).map((task) => {
    const { command, group, isBackground } = task;
    const notes = [...(group === '' ? [] : [group]), ...(isBackground ? ['does not end'] : [])];
    const what = command ? ` — ${truncateText(oneLine(formatCommand(command.argv)), maxCommandLength)}` : '';
    return `  ${labelOf(task)}${what}${notes.length > 0 ? `  [${notes.join(', ')}]` : ''}`;
  });
  const remaining = known.length - rows.length;
  return [countOf(known.length, 'task'), ...rows, ...(remaining > 0 ? [`  … ${remaining} more`] : [])].join('\n');
}

/** @throws ToolError if there is none of that name, or more than one */
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
