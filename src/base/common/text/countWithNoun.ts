/** A count with its noun: `1 file`, `2 files`. */
export function countWithNoun(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
