/** The absolute path of a `file:` URI, as its system writes it; undefined for anything else. */
export function fileUriPath(uri: string): string | undefined {
  const match = /^file:\/\/([^/?#]*)(\/[^?#]*)?/i.exec(uri);
  if (!match) return undefined;
  const host = match[1] ?? '';
  const path = decoded(match[2] ?? '/');
  const drive = /^\/([a-z]):(.*)$/is.exec(path);
  if (drive) return `${(drive[1] ?? '').toLowerCase()}:${backslashed(drive[2] === '' ? '/' : (drive[2] ?? ''))}`;
  return host === '' || host === 'localhost' ? path : `\\\\${host}${backslashed(path)}`;
}

/** Of a folder or file that is named by its path or its URI. */
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
    // A lone percent sign: whoever wrote it did not encode.
    return text;
  }
}

function backslashed(path: string): string {
  return path.replaceAll('/', '\\');
}
