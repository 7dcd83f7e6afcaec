import type { ToolCommand } from '../../session/common/toolCaller';

export interface TaskPort {
  /** Returns the tasks of VS Code, in its order. */
  tasks(): Promise<readonly KnownTask[]>;
}

export interface KnownTask {
  readonly name: string;
  /** The source of the task, for example `npm` or `Workspace`. */
  readonly source: string;
  /** For example `build` or `test`; empty if it has none. */
  readonly group: string;
  /** Undefined if only the extension that provides the task knows its command. */
  readonly command: ToolCommand | undefined;
  /** Absolute path of the folder where it runs. */
  readonly folder: string;
  /** Whether the task does not end by itself, for example a watcher. */
  readonly isBackground: boolean;
  /** Starts it in a terminal. Aborting `signal` stops it, also after this has resolved. @throws Error if it cannot start */
  start(signal: AbortSignal): Promise<StartedTask>;
}

export interface StartedTask {
  /** Resolves when it has ended and its output is complete. Never rejects. */
  readonly whenEnded: Promise<TaskEnd>;
  readonly hasEnded: boolean;
  /** The end of the terminal's output so far, with control sequences. Undefined if VS Code does not report it. */
  output(): Promise<string | undefined>;
}

export interface TaskEnd {
  /** Undefined if VS Code does not report one, for example for a stopped task. */
  readonly exitCode: number | undefined;
}
