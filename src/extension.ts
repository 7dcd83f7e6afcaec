import type * as vscode from 'vscode';
import { compose, type App } from './compose';

/** Stored for `deactivate`, because VS Code passes no arguments to it. */
let app: App | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  app = compose(context);
  await app.start();
}

export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
