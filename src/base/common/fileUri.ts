/**
 * The `file:` URI of an absolute path, percent-encoded so that `new URL()` takes it back apart into the same path. The
 * look of the path tells its system: `C:\…` and `\\server\share` are Windows's, everything else is POSIX, where a
 * backslash is a letter like any other. A lone surrogate, which no URI can hold, becomes U+FFFD.
 */
export function toFileUri(path: string): string {
  const wellFormed = path.replace(/\p{Surrogate}/gu, '\ufffd');
  const drive = /^([A-Za-z]:)[\\/](.*)$/su.exec(wellFormed);
  if (drive) return `file:///${drive[1] ?? ''}/${encodeSegments(drive[2] ?? '', /[\\/]/u)}`;
  if (wellFormed.startsWith('\\\\')) return `file://${encodeSegments(wellFormed.slice(2), /[\\/]/u)}`;
  return `file://${encodeSegments(wellFormed, /\//u)}`;
}

function encodeSegments(path: string, separator: RegExp): string {
  return path.split(separator).map(encodeURIComponent).join('/');
}

/** The text itself when it cannot be decoded: a stray percent sign is a letter like any other. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
