import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { isFailure, type FailedCommand } from '../common/commandPoint';

/** Maximum length of the output that is kept of a command, in UTF-16 units: its end. */
const maxOutputUnits = 32 * 1024;

interface RunningCommand {
  readonly terminal: vscode.Terminal;
  output: string;
  isCut: boolean;
  readonly read: Promise<void>;
}

/** The last command of each terminal that has failed, as far as its shell reports its commands to VS Code. */
export class FailedCommands implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly running = new Map<vscode.TerminalShellExecution, RunningCommand>();
  private readonly failed = new Map<vscode.Terminal, FailedCommand>();
  private latest: FailedCommand | undefined;

  constructor(private readonly log: Logger) {}

  start(): void {
    const { window } = vscode;
    this.disposables.add(window.onDidStartTerminalShellExecution((event) => this.follow(event)));
    this.disposables.add(window.onDidEndTerminalShellExecution((event) => void this.note(event)));
    this.disposables.add(window.onDidCloseTerminal((terminal) => this.forget(terminal)));
  }

  /** Returns the last one of the active terminal. `ofAny`: else of any terminal, also of one that was closed. */
  last(ofAny: boolean): FailedCommand | undefined {
    const { activeTerminal } = vscode.window;
    return (activeTerminal && this.failed.get(activeTerminal)) ?? (ofAny ? this.latest : undefined);
  }

  dispose(): void {
    this.disposables.dispose();
    this.running.clear();
    this.failed.clear();
  }

  /** A terminal that is closed may not tell that its command has ended. */
  private forget(terminal: vscode.Terminal): void {
    this.failed.delete(terminal);
    for (const [execution, command] of this.running) if (command.terminal === terminal) this.running.delete(execution);
  }

  private follow({ execution, terminal }: vscode.TerminalShellExecutionStartEvent): void {
    // Begins at once, because VS Code keeps nothing of what was written before.
    const stream = execution.read();
    const read = async (): Promise<void> => {
      for await (const data of stream) {
        const all = command.output + data;
        command.isCut ||= all.length > maxOutputUnits;
        command.output = all.slice(-maxOutputUnits);
      }
    };
    const command: RunningCommand = {
      terminal,
      output: '',
      isCut: false,
      read: Promise.resolve()
        .then(read)
        .catch((error: unknown) => this.log.info(`Cannot read the output of a command: ${messageOf(error)}`)),
    };
    this.running.set(execution, command);
  }

  private async note({ terminal, execution, exitCode }: vscode.TerminalShellExecutionEndEvent): Promise<void> {
    const command = this.running.get(execution);
    this.running.delete(execution);
    if (!isFailure(exitCode)) return;
    await command?.read;
    if (this.disposables.isDisposed) return;
    const found: FailedCommand = {
      commandLine: execution.commandLine.value,
      exitCode,
      folder: execution.cwd?.fsPath,
      output: command?.output ?? '',
      isCut: command?.isCut ?? false,
    };
    this.latest = found;
    if (terminal.exitStatus === undefined) this.failed.set(terminal, found);
  }
}
