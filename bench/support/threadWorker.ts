import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import { threadIndexWorkerBundle } from '../../scripts/lib/bundles/threadIndexWorker.mjs';

/** The worker's program as it ships. Who makes it removes it. */
export async function buildThreadWorker(): Promise<{ file: string; remove: () => void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'backline-worker-'));
  await build({ ...threadIndexWorkerBundle(), absWorkingDir: process.cwd(), outdir: folder, minify: true });
  return {
    file: path.join(folder, 'thread-index-worker.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
