/**
 * Whether a path leads to another machine, as `\\server\share`. Only to look whether it is there sends that machine the
 * user's name and a hash of the password, so a path of a stranger is asked first.
 */
export function isUncPath(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}

/** As `isUncPath`, for an absolute path of Windows that may be written with its prefix for long paths, `\\?\C:\…`. */
export function isOnOtherMachine(path: string): boolean {
  return isUncPath(path) && !/^[\\/]{2}[?.][\\/][A-Za-z](?!\w)/.test(path);
}
