/** The length of all strings in a value, and a little for everything else; names of members count as nothing. */
export function roughUnits(value: unknown): number {
  if (typeof value === 'string') return value.length + 8;
  if (typeof value !== 'object' || value === null) return 8;
  let units = 16;
  for (const member of Object.values(value)) units += roughUnits(member);
  return units;
}
