import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Messages } from '../../platform/vscode/messages';

export class InstallTerminals implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly openTerminals = new Set<vscode.Terminal>();

  /** Calls `onDidEnd` when a command in an install terminal has ended, or the terminal itself. */
  constructor(
    private readonly messages: Pick<Messages, 'info'>,
    private readonly onDidEnd: () => unknown,
  ) {}

  start(): void {
    this.disposables.add(
      vscode.window.onDidCloseTerminal((terminal) => {
        if (this.openTerminals.delete(terminal)) this.onDidEnd();
      }),
    );
    // VS Code fires this event only if the terminal has shell integration.
    this.disposables.add(
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => {
        if (this.openTerminals.has(terminal)) this.onDidEnd();
      }),
    );
  }

  /** Opens a terminal and inserts the command without running it. */
  insertInstallCommand(title: string, command: string): void {
    const terminal = vscode.window.createTerminal({ name: `Install ${title}`, isTransient: true });
    this.openTerminals.add(terminal);
    terminal.show();
    terminal.sendText(command, false);
    this.messages.info(`Press Enter in the terminal to install ${title}.`);
  }

  dispose(): void {
    this.disposables.dispose();
    this.openTerminals.clear();
  }
}
