/** The items of what Git writes with `-z`. Bytes that are not UTF-8 come as U+FFFD. */
export function splitNul(output: Uint8Array): string[] {
  const items = new TextDecoder('utf-8', { ignoreBOM: true }).decode(output).split('\0');
  if (items.at(-1) === '') items.pop();
  return items;
}

export function joinNul(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join('');
}

/** Whether a name could be read whole; otherwise the file cannot be named to Git either. */
export function isNameText(name: string): boolean {
  return !name.includes('\uFFFD');
}

/** Whether `path` is the place or, where the place ends with `/`, inside it. */
export function isAt(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) || `${path}/` === place : path === place;
}
