import { rmSync } from 'node:fs';

/**
 * Removes a temporary folder at the end of a script. Never throws, so that the script keeps its exit code.
 * @param {string} folder
 */
export function removeFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    // A test that was ended in the middle can leave a mounted disk behind.
    console.error(`${folder} was not removed: ${String(error)}`);
  }
}
