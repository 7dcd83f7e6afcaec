import * as vscode from 'vscode';

const quietMs = 1000;

/**
 * Waits for work that may take long: after a second VS Code shows that it goes on, and the user can stop waiting.
 * @returns undefined when they do; the work goes on
 * @throws what the work throws
 */
export async function shownWait<T>(title: string, work: Promise<T>): Promise<T | undefined> {
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), quietMs);
  });
  const soon = await Promise.race([work, quiet]).finally(() => clearTimeout(timer));
  if (soon !== late) return soon;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, (_progress, token) => {
    const stopped = new Promise<undefined>((resolve) => token.onCancellationRequested(() => resolve(undefined)));
    return Promise.race([work, stopped]);
  });
}
