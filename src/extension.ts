import type * as vscode from 'vscode';
import { compose, type App } from './compose';

/** VS Code calls `deactivate` without an argument, so what `activate` built must be found here. */
let app: App | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  app = compose(context);
  await app.start();
}

export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
