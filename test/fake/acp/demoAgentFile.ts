import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { demoAgentBundle } from '../../../scripts/lib/bundles/demoAgent.mjs';

export interface DemoAgentFiles {
  /** The demo agent as it ships. */
  readonly file: string;
  /** The one with a sign-in, LLM providers and the draft protocol. */
  readonly extendedFile: string;
  remove(): Promise<void>;
}

/** Builds the demo agents into a temporary folder of their own. The caller removes it. */
export async function buildDemoAgent(): Promise<DemoAgentFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'backline-demo-'));
  const bundle = demoAgentBundle();
  await build({
    ...bundle,
    entryPoints: { ...bundle.entryPoints, 'extended-demo-agent': 'test/fake/acp/demo/main.ts' },
    absWorkingDir: process.cwd(),
    outdir: folder,
    logLevel: 'warning',
  });
  return {
    file: join(folder, 'demo-agent.js'),
    extendedFile: join(folder, 'extended-demo-agent.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
