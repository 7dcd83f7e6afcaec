import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import type { ToolCommand } from '../../session/common/toolCaller';
import type { KnownTask, StartedTask, TaskEnd, TaskPort } from '../common/taskPort';
import { TaskOutput } from './taskOutput';

export class WindowTasks implements TaskPort {
  /** `defaultFolder` is the absolute path where tasks without a folder run. */
  constructor(
    private readonly defaultFolder: () => string,
    private readonly clock: Clock,
  ) {}

  async tasks(): Promise<readonly KnownTask[]> {
    return (await vscode.tasks.fetchTasks()).map((task) => this.toKnownTask(task));
  }

  private toKnownTask(task: vscode.Task): KnownTask {
    const { group, isBackground, name, scope, source } = task;
    const folder = typeof scope === 'object' ? scope.uri.fsPath : this.defaultFolder();
    return {
      name,
      source,
      group: group?.id ?? '',
      command: commandOf(task, folder),
      folder,
      isBackground,
      start: (signal) => startTask(task, this.clock, signal),
    };
  }
}

function commandOf({ execution }: vscode.Task, folder: string): ToolCommand | undefined {
  if (!(execution instanceof vscode.ShellExecution) && !(execution instanceof vscode.ProcessExecution))
    return undefined;
  const { cwd = folder, env = {} } = execution.options ?? {};
  if (execution instanceof vscode.ProcessExecution) return { argv: [execution.process, ...execution.args], cwd, env };
  const { args = [], command, commandLine } = execution;
  if (commandLine !== undefined) return { argv: [commandLine], cwd, env };
  // A shell expands its arguments, so they form one command line.
  return command === undefined ? undefined : { argv: [[command, ...args].map(argumentText).join(' ')], cwd, env };
}

function argumentText(argument: string | vscode.ShellQuotedString): string {
  return typeof argument === 'string' ? argument : argument.value;
}

async function startTask(task: vscode.Task, clock: Clock, signal: AbortSignal): Promise<StartedTask> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<TaskEnd>();
  const output = new TaskOutput(clock);
  const processIds = new Map<vscode.TaskExecution, number>();
  const exitCodes = new Map<vscode.TaskExecution, number | undefined>();
  const finished = new Set<vscode.TaskExecution>();
  let execution: vscode.TaskExecution | undefined;
  // A short task can start and end before its execution is known.
  const check = (): void => {
    if (!execution) return;
    const processId = processIds.get(execution);
    if (processId !== undefined) output.setProcess(processId);
    if (finished.has(execution)) ended.resolve({ exitCode: exitCodes.get(execution) });
  };
  const listeners = [
    vscode.tasks.onDidStartTaskProcess((start) => {
      processIds.set(start.execution, start.processId);
      check();
    }),
    vscode.tasks.onDidEndTaskProcess((end) => exitCodes.set(end.execution, end.exitCode)),
    vscode.tasks.onDidEndTask((end) => {
      finished.add(end.execution);
      check();
    }),
  ];
  const stop = (): void => {
    execution?.terminate();
    ended.resolve({ exitCode: undefined });
  };
  const dispose = (): void => {
    for (const listener of listeners) listener.dispose();
    signal.removeEventListener('abort', stop);
  };
  signal.addEventListener('abort', stop, { once: true });
  void ended.promise.then(dispose);
  try {
    execution = await vscode.tasks.executeTask(task);
  } catch (error) {
    dispose();
    output.dispose();
    throw error;
  }
  if (signal.aborted) stop();
  check();
  return startedTask(ended.promise, output);
}

function startedTask(ended: Promise<TaskEnd>, output: TaskOutput): StartedTask {
  let hasEnded = false;
  const end = async (): Promise<TaskEnd> => {
    const result = await ended;
    await output.waitForLastOutput();
    hasEnded = true;
    return result;
  };
  return {
    whenEnded: end(),
    get hasEnded() {
      return hasEnded;
    },
    output: () => output.text(),
  };
}
