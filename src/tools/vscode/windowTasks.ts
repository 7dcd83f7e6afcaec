import * as vscode from 'vscode';
import type { ToolCommand } from '../../session/common/toolCaller';
import type { KnownTask, StartedTask, TaskEnd, TaskPort } from '../common/taskPort';

export class WindowTasks implements TaskPort {
  /** `defaultFolder` is the absolute path where tasks without a folder run. */
  constructor(private readonly defaultFolder: () => string) {}

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
      start: (signal) => startTask(task, signal),
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
  // A shell expands what is in the arguments, so they are part of one command line.
  return command === undefined ? undefined : { argv: [[command, ...args].map(argumentText).join(' ')], cwd, env };
}

function argumentText(argument: string | vscode.ShellQuotedString): string {
  return typeof argument === 'string' ? argument : argument.value;
}

async function startTask(task: vscode.Task, signal: AbortSignal): Promise<StartedTask> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<TaskEnd>();
  const exitCodes = new Map<vscode.TaskExecution, number | undefined>();
  const finished = new Set<vscode.TaskExecution>();
  let execution: vscode.TaskExecution | undefined;
  // A short task can end before it is known which one it is.
  const check = (): void => {
    if (execution && finished.has(execution)) ended.resolve({ exitCode: exitCodes.get(execution) });
  };
  const listeners = [
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
    throw error;
  }
  if (signal.aborted) stop();
  check();
  return { whenEnded: ended.promise };
}
