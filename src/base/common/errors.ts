/** The message of any thrown value. Never throws, not even for a hostile value. */
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

/** The `code` of a Node.js error, for example `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const systemErrors: ReadonlyMap<string, string> = new Map([
  ['EMFILE', 'Too many files are open. Close some windows or programs, or raise the limit of open files.'],
  ['ENFILE', 'Too many files are open on this computer. Close some programs.'],
  ['ENOSPC', 'The disk is full.'],
  ['EDQUOT', 'Your disk quota is used up.'],
  ['EROFS', 'The disk is read-only.'],
  ['EACCES', 'Permission was denied.'],
  ['EPERM', 'Permission was denied.'],
  ['ENOENT', 'The file or folder is missing.'],
  ['ENOTDIR', 'A file is where a folder should be.'],
  ['EEXIST', 'Something with this name already exists.'],
  ['EIO', 'The disk reported an error.'],
  ['EBUSY', 'The file is in use by another program.'],
  ['EAGAIN', 'The system is out of resources. Close some programs.'],
  ['ENOMEM', 'There is not enough memory. Close some programs.'],
]);

/** The message for users: plain words instead of raw errors such as `EMFILE: too many open files, open '/a'`. */
export function userMessageOf(error: unknown): string {
  const isRaw = error instanceof Error && 'syscall' in error;
  const words = isRaw ? systemErrors.get(errorCode(error) ?? '') : undefined;
  return words ?? messageOf(error);
}

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  constructor(
    what: string,
    readonly timeoutMs: number,
  ) {
    super(`${what} took longer than ${timeoutMs} ms`);
  }
}
