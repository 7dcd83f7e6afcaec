/** Splits the output of Git's option `-z` into names. Invalid UTF-8 bytes become U+FFFD. */
export function splitNul(output: Uint8Array): string[] {
  const items = new TextDecoder('utf-8', { ignoreBOM: true }).decode(output).split('\0');
  if (items.at(-1) === '') items.pop();
  return items;
}

export function joinNul(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join('');
}

/** Whether a decoded name was valid UTF-8. Otherwise it can't be passed to Git. */
export function isValidUtf8Name(name: string): boolean {
  return !name.includes('\uFFFD');
}

/** Whether `path` equals `place`. If `place` ends with `/`, also whether `path` is inside it. */
export function isAtOrBelow(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) || `${path}/` === place : path === place;
}

/** Paths of files and folders. A trailing `/` marks a folder, including its contents. */
export class PathSet {
  private readonly paths: ReadonlySet<string>;

  constructor(paths: Iterable<string>) {
    this.paths = new Set(paths);
  }

  /** Whether the path or one of its parent folders is in the set. */
  covers(path: string): boolean {
    if (this.paths.size === 0) return false;
    if (this.paths.has(path)) return true;
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      if (this.paths.has(path.slice(0, end + 1))) return true;
    }
    return this.paths.has(`${path}/`);
  }
}
