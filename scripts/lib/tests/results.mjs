import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '../json.mjs';
import { isAlive } from '../processes.mjs';

/** How long VS Code may take to open its window and call the tests. */
const startTimeoutMs = 300_000;
/** Longer than a test and its hooks, which have 3 minutes each, and shorter than the limit in scripts/test.mjs. */
const maxSilentMs = 12 * 60_000;

/**
 * Follows the results file of a run inside VS Code, printing as it comes.
 * @param {string} file JSON lines, see test/host/support/results.ts
 * @param {Promise<string>} ended settles with the reason when VS Code has ended
 * @param {(line: string) => void} print
 * @param {(result: import('./summary.mjs').FileResult) => void} onResult called after each test with the results of its file so far
 * @returns {Promise<void>} settles when all tests have run
 * @throws {Error} when the run does not start or end in time, or the window or its extension host dies
 */
export async function followResults(file, ended, print, onResult) {
  const startedAt = Date.now();
  let heardAt = startedAt;
  /** @type {number | undefined} */
  let extensionHost;
  /** @type {string | undefined} */
  let dead;
  void ended.then((reason) => (dead = reason));
  let rest = '';
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(64 * 1024);
    const decoder = new TextDecoder();
    for (;;) {
      // Asked before the read: what was written before the death is still printed.
      const reason =
        dead ?? (extensionHost !== undefined && !isAlive(extensionHost) ? 'the extension host ended' : undefined);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      rest += decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        /** @type {import('../../../test/host/support/results').ResultLine} */
        const entry = parseJson(line);
        if (entry.type === 'end') return;
        if (entry.type === 'broken') throw new Error(entry.error);
        if (entry.type === 'text') print(entry.text);
        if (entry.type === 'result') onResult(entry.result);
        if (entry.type === 'start') {
          extensionHost = entry.pid;
          print(`VS Code ${entry.vscode} (${entry.ui}), Node.js ${entry.node}`);
        }
      }
      if (bytesRead > 0) {
        heardAt = Date.now();
        continue;
      }
      if (reason) throw new Error(reason);
      const now = Date.now();
      if (!extensionHost && now - startedAt > startTimeoutMs)
        throw new Error(`nothing ran in ${startTimeoutMs / 1000} s`);
      if (now - heardAt > maxSilentMs) throw new Error(`the tests said nothing for ${maxSilentMs / 60_000} minutes`);
      await sleep(100);
    }
  } finally {
    await handle.close();
  }
}
