import * as vscode from 'vscode';

const progressDelayMs = 1000;

/** Waits for work, and shows progress after a second. Returns undefined if the user cancels, but the work continues. */
export async function waitWithProgress<T>(title: string, work: Promise<T>): Promise<T | undefined> {
  const pending = Symbol('pending');
  let timer: NodeJS.Timeout | undefined;
  const delay = new Promise<typeof pending>((resolve) => {
    timer = setTimeout(() => resolve(pending), progressDelayMs);
  });
  const result = await Promise.race([work, delay]).finally(() => clearTimeout(timer));
  if (result !== pending) return result;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, (_progress, token) => {
    const cancelled = new Promise<undefined>((resolve) => token.onCancellationRequested(() => resolve(undefined)));
    return Promise.race([work, cancelled]);
  });
}
