import * as vscode from 'vscode';

/** Runs `work` with an abort signal for the cancellation token. */
export async function withAbortSignal<T>(
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

/** Runs `work` with a cancellation token for the abort signal. */
export async function withCancellationToken<T>(
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
