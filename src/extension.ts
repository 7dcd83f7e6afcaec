import type * as vscode from 'vscode';
import { compose, type App } from './compose';

/** Kept for `deactivate`, which has no arguments. */
let app: App | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  app = compose(context);
  await app.start();
}

export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
