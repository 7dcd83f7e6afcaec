import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { demoAgentBundle } from '../../../scripts/lib/bundles/demoAgent.mjs';

/** The demo agent as it ships, in a temporary folder of its own. The caller removes it. */
export async function buildDemoAgent(): Promise<{ readonly file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'backline-demo-'));
  await build({ ...demoAgentBundle(), absWorkingDir: process.cwd(), outdir: folder, logLevel: 'warning' });
  return {
    file: join(folder, 'demo-agent.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
