/** The text of anything that was thrown. Never throws, also not for what has no text or a hostile one. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'It has no message.';
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

/** The `code` of a Node.js error (`ENOENT`, `EADDRINUSE`, …), if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Thrown when a wait was cut short by its deadline. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  constructor(
    what: string,
    readonly timeoutMs: number,
  ) {
    super(`${what} took longer than ${timeoutMs} ms`);
  }
}
