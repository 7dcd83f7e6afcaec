/**
 * Whether `version` comes after `other` in semantic versioning. Versions in another format count as newer if they
 * differ, because the registry lists only the latest.
 */
export function isNewerVersion(version: string, other: string): boolean {
  const [one, two] = [parseVersion(version), parseVersion(other)];
  if (!one || !two) return version !== other;
  for (let index = 0; index < 3; index++) {
    const difference = (one.numbers[index] ?? 0) - (two.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return comparePrereleases(one.prerelease, two.prerelease) > 0;
}

interface Version {
  readonly numbers: readonly number[];
  /** Empty for a release. */
  readonly prerelease: readonly string[];
}

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] =
    /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { numbers: [major, minor, patch].map(Number), prerelease: prerelease?.split('.') ?? [] };
}

/** A release comes after its prereleases, numbers come before words, and a longer list after a shorter one. */
function comparePrereleases(one: readonly string[], two: readonly string[]): number {
  if (one.length === 0 || two.length === 0) return two.length - one.length;
  for (let index = 0; index < Math.min(one.length, two.length); index++) {
    const [a = '', b = ''] = [one[index], two[index]];
    if (a === b) continue;
    const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
    if (aIsNumber && bIsNumber) return Number(a) - Number(b);
    if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return one.length - two.length;
}
