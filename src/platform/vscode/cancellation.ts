import * as vscode from 'vscode';

/** Runs `work` with a signal that fires when VS Code cancels. */
export async function withSignalOf<T>(
  token: vscode.CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const cancelled = new AbortController();
  const listener = token.onCancellationRequested(() => cancelled.abort());
  if (token.isCancellationRequested) cancelled.abort();
  try {
    return await work(cancelled.signal);
  } finally {
    listener.dispose();
  }
}

/** Runs `work` with a token of VS Code that is cancelled when the signal fires. */
export async function withTokenOf<T>(
  signal: AbortSignal | undefined,
  work: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    return await work(source.token);
  } finally {
    signal?.removeEventListener('abort', cancel);
    source.dispose();
  }
}
