/** About how much text is in an entry, in UTF-16 units. */
export function entryUnits(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let units = 16;
  for (const item of Object.values(value)) units += entryUnits(item);
  return units;
}
