import satisfies from 'semver/functions/satisfies';
import validRange from 'semver/ranges/valid';

/** Whether a version of Node.js is in the range of `engines.node`. An invalid range allows every version. */
export function satisfiesNode(version: string, range: string): boolean {
  const options = { includePrerelease: true };
  return validRange(range) === null || satisfies(version, range, options);
}
