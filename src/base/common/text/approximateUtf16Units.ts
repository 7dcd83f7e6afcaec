/** Approximate size of a value in UTF-16 units: its strings plus a constant per value. Excludes member names. */
export function approximateUtf16Units(value: unknown): number {
  if (typeof value === 'string') return value.length + 8;
  if (typeof value !== 'object' || value === null) return 8;
  let units = 16;
  for (const member of Object.values(value)) units += approximateUtf16Units(member);
  return units;
}
