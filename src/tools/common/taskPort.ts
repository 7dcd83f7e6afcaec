import type { ToolCommand } from '../../session/common/toolCaller';

export interface TaskPort {
  /** Returns the tasks that VS Code knows, in its order. */
  tasks(): Promise<readonly KnownTask[]>;
}

export interface KnownTask {
  readonly name: string;
  /** Who provides it, for example `npm` or `Workspace`. */
  readonly source: string;
  /** For example `build` or `test`; empty if it has none. */
  readonly group: string;
  /** Undefined if only the extension that provides it knows what it runs. */
  readonly command: ToolCommand | undefined;
  /** Absolute path of the folder where it runs. */
  readonly folder: string;
  /** Whether it does not end by itself, such as a watcher. */
  readonly isBackground: boolean;
  /** Starts it in a terminal. Aborting `signal` stops it, also after this has resolved. @throws Error if it cannot start */
  start(signal: AbortSignal): Promise<StartedTask>;
}

export interface StartedTask {
  /** Resolves when it has ended and its output is complete. Never rejects. */
  readonly whenEnded: Promise<TaskEnd>;
  readonly hasEnded: boolean;
  /** The end of what its terminal has shown until now, with control sequences. Undefined if VS Code does not tell. */
  output(): Promise<string | undefined>;
}

export interface TaskEnd {
  /** Undefined if VS Code does not tell one, for example for a task that was stopped. */
  readonly exitCode: number | undefined;
}
