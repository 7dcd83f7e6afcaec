import { createHash } from 'node:crypto';

/**
 * @param {ReadonlyMap<string, Uint8Array>} files by name
 * @returns {string} as `sha256sum --check` reads it, sorted by name
 */
export function checksumsText(files) {
  const lines = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  return lines.join('');
}
