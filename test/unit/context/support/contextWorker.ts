import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { contextWorkerBundle } from '../../../../scripts/lib/bundles/contextWorker.mjs';

/** The worker's program as it ships, in a temporary folder that tests may use too. The caller removes it. */
export async function buildContextWorker(): Promise<{ folder: string; file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'backline context '));
  await build({ ...contextWorkerBundle(), absWorkingDir: process.cwd(), outdir: folder, logLevel: 'warning' });
  return {
    folder,
    file: join(folder, 'context-worker.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
