/**
 * The `file:` URI of an absolute path, percent-encoded. `C:\…` and `\\server\share` are treated as Windows paths. In other
 * paths, a backslash is an ordinary character. A lone surrogate becomes U+FFFD, since no URI can hold it.
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

/** Decodes percent escapes. Returns the text unchanged if it has an invalid escape, such as a stray percent sign. */
export function decodePercentEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
