/** Whether a path is on another machine (`\\server\share`). Accessing it sends the user's name and password hash. */
export function isUncPath(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}

/** Like `isUncPath`, but allows absolute Windows paths with the prefix for long paths (`\\?\C:\…`). */
export function isRemotePath(path: string): boolean {
  return isUncPath(path) && !/^[\\/]{2}[?.][\\/][A-Za-z](?!\w)/.test(path);
}
