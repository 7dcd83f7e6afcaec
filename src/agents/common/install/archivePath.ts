/** Names that Windows opens as devices, even if text follows after a dot. */
const windowsDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const maxPathLength = 1_024;

/**
 * The parts of a path in an archive, relative to the folder that it is unpacked to. Undefined if the path could leave
 * that folder, or is interpreted differently on another system: `..`, absolute paths, drives, backslashes, streams,
 * devices.
 */
export function safeArchivePath(path: string): readonly string[] | undefined {
  if (path.length > maxPathLength || path.startsWith('/') || hasUnsafeCharacter(path)) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.every(isSafePart) ? parts : undefined;
}

/** Like `safeArchivePath`, for the program in a registry's entry, which may be written with backslashes for Windows. */
export function safeCommandPath(cmd: string, platform: string): readonly string[] | undefined {
  const parts = safeArchivePath(platform === 'win32' ? cmd.replaceAll('\\', '/') : cmd);
  return parts && parts.length > 0 ? parts : undefined;
}

function hasUnsafeCharacter(path: string): boolean {
  // On Windows, a colon separates a drive or a stream.
  return /[\\:\p{Cc}]/u.test(path) || !path.isWellFormed();
}

function isSafePart(part: string): boolean {
  // Windows removes dots and spaces at the end of a name, which would turn `.. ` into `..`.
  return !/[. ]$/.test(part) && !windowsDevice.test(part);
}
