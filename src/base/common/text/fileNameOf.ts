/** Returns what comes after the last separator of a path of any system. */
export function fileNameOf(path: string): string {
  return path.slice(path.search(/[^\\/]*$/));
}
