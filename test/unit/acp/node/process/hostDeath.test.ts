import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { isProcessTreeAlive } from '../../../../support/isProcessTreeAlive';
import { agentReaperBundle } from '../../../../../scripts/lib/bundles/agentReaper.mjs';
import { buildDemoAgent } from '../../../../fake/acp/demoAgentFile';
import { until } from '../../../../support/eventually';

describe('a window that is killed', () => {
  let folder: string;
  let demo: Awaited<ReturnType<typeof buildDemoAgent>>;
  let host: ChildProcess | undefined;
  /** Answers the first request, then listens to nothing. */
  let stubborn: string;

  before(async () => {
    demo = await buildDemoAgent();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'backline-host-')));
    await build({
      entryPoints: ['test/fake/acp/agentHost.ts'],
      bundle: true,
      format: 'cjs',
      platform: 'node',
      outfile: join(folder, 'host.js'),
      logLevel: 'warning',
    });
    await build({ ...agentReaperBundle(), outdir: folder, logLevel: 'warning' });
    stubborn = join(folder, 'stubborn.cjs');
    const answer = '{ jsonrpc: "2.0", id, result: { protocolVersion: 1 } }';
    const lines = [
      'process.on("SIGTERM", () => undefined);',
      'setInterval(() => undefined, 60000);',
      'process.stdin.once("data", (line) => {',
      '  const { id } = JSON.parse(line);',
      `  process.stdout.write(JSON.stringify(${answer}) + "\\n");`,
      '});',
    ];
    await writeFile(stubborn, lines.join('\n'));
  });

  after(async () => {
    host?.kill('SIGKILL');
    await demo.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('leaves no agent behind, even one that is at work', () => leavesNothing(demo.file, '/slow 5000'));

  it('leaves no agent behind that ignores both the end of its input and SIGTERM', () => leavesNothing(stubborn));

  if (process.platform === 'linux') {
    it('leaves no child of its agent behind that has a group of its own', async () => {
      const file = join(folder, 'child.pid');
      const agentFile = join(folder, 'parent.cjs');
      const start = `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { detached: true, stdio: 'ignore' });`;
      const tell = `require('fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));`;
      await writeFile(agentFile, `${start}\n${tell}\n${await readFile(stubborn, 'utf8')}`);
      await leavesNothing(agentFile);
      const pid = Number(await readFile(file, 'utf8'));
      await until('the end of the child', () => !isProcessTreeAlive(pid));
    });
  }

  async function leavesNothing(agentFile: string, ...prompt: string[]): Promise<void> {
    const reaper = join(folder, 'agent-reaper.js');
    host = spawn(process.execPath, [join(folder, 'host.js'), agentFile, folder, reaper, ...prompt], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(host.stdout);
    const agent = Number(await firstLine(host.stdout));
    assert.ok(agent > 0 && isProcessTreeAlive(agent));
    const exited = once(host, 'exit');
    host.kill('SIGKILL');
    await exited;
    await until('the end of the agent', () => !isProcessTreeAlive(agent));
  }
});

async function firstLine(stream: Readable): Promise<string> {
  for await (const chunk of stream) return String(chunk).trim();
  return '';
}
