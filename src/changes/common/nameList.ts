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
