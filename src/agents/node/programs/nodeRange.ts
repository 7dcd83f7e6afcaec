import satisfies from 'semver/functions/satisfies';
import validRange from 'semver/ranges/valid';

/** Whether a version of Node.js is in the range of `engines.node`. A range that cannot be read asks for nothing. */
export function satisfiesNode(version: string, range: string): boolean {
  const options = { includePrerelease: true };
  return validRange(range) === null || satisfies(version, range, options);
}
