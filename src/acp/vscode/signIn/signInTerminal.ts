import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/common/disposable';
import type { SignInTerminalCommand } from '../../node/catalogue/agentLauncher';

/** Terminals for signing in, which close with their commands. Disposing this stops waiting for them. */
export class SignInTerminals implements vscode.Disposable {
  private readonly disposables = new DisposableStore();

  /** Runs a command in a visible terminal, without a shell. Resolves with whether it succeeded. `signal` closes it. */
  run({ title, file, args, env, cwd }: SignInTerminalCommand, signal?: AbortSignal): Promise<boolean> {
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
      const end = (isSuccessful: boolean): void => {
        this.disposables.removeWithoutDisposing(waiting);
        subscription.dispose();
        signal?.removeEventListener('abort', close);
        resolve(isSuccessful);
      };
      const waiting = this.disposables.add({ dispose: () => end(false) });
      const close = (): void => terminal.dispose();
      signal?.addEventListener('abort', close, { once: true });
    });
  }

  dispose(): void {
    this.disposables.dispose();
  }
}
