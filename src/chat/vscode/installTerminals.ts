import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Messages } from '../../platform/vscode/messages';

export class InstallTerminals implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly open = new Set<vscode.Terminal>();

  /** `onDidRun` is called when a command in an install terminal, or the terminal itself, has ended. */
  constructor(
    private readonly messages: Pick<Messages, 'info'>,
    private readonly onDidRun: () => unknown,
  ) {}

  start(): void {
    this.store.add(
      vscode.window.onDidCloseTerminal((terminal) => {
        if (this.open.delete(terminal)) this.onDidRun();
      }),
    );
    // VS Code fires this event only with shell integration.
    this.store.add(
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => {
        if (this.open.has(terminal)) this.onDidRun();
      }),
    );
  }

  /** Types the command into a new terminal without running it. */
  install(title: string, command: string): void {
    const terminal = vscode.window.createTerminal({ name: `Install ${title}`, isTransient: true });
    this.open.add(terminal);
    terminal.show();
    terminal.sendText(command, false);
    this.messages.info(`Press Enter in the terminal to install ${title}.`);
  }

  dispose(): void {
    this.store.dispose();
    this.open.clear();
  }
}
