/** Converts a `file:` URI to an absolute path in the format of its operating system. Undefined for other URIs. */
export function fileUriPath(uri: string): string | undefined {
  const match = /^file:\/\/([^/?#]*)(\/[^?#]*)?/i.exec(uri);
  if (!match) return undefined;
  const host = match[1] ?? '';
  const path = decoded(match[2] ?? '/');
  const drive = /^\/([a-z]):(.*)$/is.exec(path);
  if (drive) return `${(drive[1] ?? '').toLowerCase()}:${backslashed(drive[2] === '' ? '/' : (drive[2] ?? ''))}`;
  return host === '' || host === 'localhost' ? path : `\\\\${host}${backslashed(path)}`;
}

/** Returns a path. Accepts a path or a `file:` URI. */
export function pathOrUriPath(name: string): string {
  return fileUriPath(name) ?? name;
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((segment) => segment !== '') ?? path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A single percent sign means that the text is not encoded.
    return text;
  }
}

function backslashed(path: string): string {
  return path.replaceAll('/', '\\');
}
