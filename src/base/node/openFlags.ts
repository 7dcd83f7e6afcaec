import { constants } from 'node:fs';

type OpenFlags = Readonly<
  Record<'O_RDONLY' | 'O_WRONLY' | 'O_CREAT' | 'O_EXCL' | 'O_DIRECTORY' | 'O_NOFOLLOW' | 'O_NONBLOCK', number>
>;

/**
 * Returns 0 for flags that the system lacks. On Windows (`O_NOFOLLOW`, `O_NONBLOCK`, `O_DIRECTORY`), callers must check
 * for links themselves.
 */
export function openFlagsOf(system: Partial<OpenFlags>): OpenFlags {
  const { O_RDONLY = 0, O_WRONLY = 1, O_CREAT = 0, O_EXCL = 0 } = system;
  const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = system;
  return { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK };
}

export const openFlags = openFlagsOf(constants);
