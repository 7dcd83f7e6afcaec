import * as vscode from 'vscode';
import { withDeadline, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { TextTail } from '../common/text/textTail';

/** Limit of the kept end of an output, in UTF-16 units. */
const maxKept = 256 * 1_024;
/** Maximum number of terminals that may be the task's terminal. */
const maxShown = 20;
/** Time limit for the last output after the task has ended, and for the process id of a terminal. */
const waitTimeoutMs = 1_000;

/** The output of one command line in one terminal. */
interface ShownCommand {
  readonly terminal: vscode.Terminal;
  readonly text: TextTail;
  /** Never rejects. */
  readonly whenEnded: Promise<void>;
  /** Whether this terminal has turned out not to be the task's. */
  isUnwanted: boolean;
}

/**
 * Collects the output of a task's terminal. VS Code reports the start of a task through shell integration, but not which
 * terminal the task has. It is the terminal with the task's process. Create this object before the task starts.
 */
export class TaskOutput implements Disposable {
  private possibleTaskCommands: readonly ShownCommand[] = [];
  private processId: number | undefined;
  private readonly listener: Disposable;

  constructor(private readonly clock: Clock) {
    this.listener = vscode.window.onDidStartTerminalShellExecution(({ execution, terminal }) => {
      if (this.possibleTaskCommands.length >= maxShown) return;
      this.possibleTaskCommands = [...this.possibleTaskCommands, collect(execution, terminal)];
      void this.findCommand();
    });
  }

  setProcess(processId: number): void {
    this.processId ??= processId;
    void this.findCommand();
  }

  /** Undefined if VS Code does not report the output. */
  async text(): Promise<string | undefined> {
    return (await this.findCommand())?.text.toString();
  }

  /** Waits for the last output of a task that has ended, then stops listening. Never rejects. */
  async waitForLastOutput(): Promise<void> {
    this.dispose();
    const found = await this.findCommand();
    await withDeadline(this.clock, 'the output', waitTimeoutMs, async () => found?.whenEnded).catch(() => undefined);
    for (const each of this.possibleTaskCommands) each.isUnwanted = true;
  }

  dispose(): void {
    this.listener.dispose();
  }

  /** Forgets other terminals and stops listening when the task's terminal is known. Never rejects. */
  private async findCommand(): Promise<ShownCommand | undefined> {
    const { processId } = this;
    if (processId === undefined) return undefined;
    for (const each of this.possibleTaskCommands) {
      if ((await this.processIdOf(each)) !== processId) continue;
      for (const other of this.possibleTaskCommands) other.isUnwanted ||= other !== each;
      this.possibleTaskCommands = [each];
      this.listener.dispose();
      return each;
    }
    return undefined;
  }

  /** Some terminals never have a process. */
  private async processIdOf({ terminal }: ShownCommand): Promise<number | undefined> {
    const read = (): Promise<number | undefined> => Promise.resolve(terminal.processId);
    return await withDeadline(this.clock, 'the terminal', waitTimeoutMs, read).catch(() => undefined);
  }
}

function collect(execution: vscode.TerminalShellExecution, terminal: vscode.Terminal): ShownCommand {
  const chunks = execution.read();
  const read = async (shown: { readonly text: TextTail; readonly isUnwanted: boolean }): Promise<void> => {
    for await (const chunk of chunks) {
      if (shown.isUnwanted) return;
      shown.text.push(chunk);
    }
  };
  const shown = { terminal, text: new TextTail(maxKept), isUnwanted: false };
  return Object.assign(shown, { whenEnded: read(shown).catch(() => undefined) });
}
