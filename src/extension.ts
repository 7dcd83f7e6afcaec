import type * as vscode from 'vscode';
import { compose, type App } from './compose';

/** Stored for `deactivate`, because VS Code passes no arguments to it. */
let app: App | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  app = compose(context);
  try {
    await app.start();
  } catch (error) {
    // VS Code does not call `deactivate` after a failed activation, but the Amp server may already be running.
    await app.stop();
    throw error;
  }
}

export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
