import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { SignInTerminalCommand } from '../node/catalogue/agentLauncher';

/** Terminals for signing in, which close with their commands. Disposing this stops waiting for them. */
export class SignInTerminals implements vscode.Disposable {
  private readonly store = new DisposableStore();

  /** Runs a command in a visible terminal, without a shell. Resolves with whether it succeeded. */
  run({ title, file, args, env, cwd }: SignInTerminalCommand): Promise<boolean> {
    const terminal = vscode.window.createTerminal({
      name: title,
      shellPath: file,
      shellArgs: [...args],
      env: { ...env },
      cwd,
      isTransient: true,
      iconPath: new vscode.ThemeIcon('key'),
    });
    terminal.show();
    return new Promise((resolve) => {
      const subscription = vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) end(closed.exitStatus?.code === 0);
      });
      const end = (isGood: boolean): void => {
        this.store.release(waiting);
        subscription.dispose();
        resolve(isGood);
      };
      const waiting = this.store.add({ dispose: () => end(false) });
    });
  }

  dispose(): void {
    this.store.dispose();
  }
}
