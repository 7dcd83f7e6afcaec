import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { launchChromium } from '../../scripts/lib/chromium.mjs';
import { installVsix, startHost, testSettings } from '../../scripts/lib/vscode/host.mjs';
import { makeSandbox, type Sandbox } from '../../scripts/lib/vscode/sandbox.mjs';
import { vsixFile } from '../../scripts/lib/vscode/vsix.mjs';
import { eventually } from '../../test/support/eventually';
import { median } from './benchLine';
import { packagePeerExtension } from './peerExtension';

const rounds = 5;
const peerName = 'activation-peer';
/** The file in the home folder to which the peer writes how long it took. */
const peerReport = 'activation-peer-ms';

/**
 * Milliseconds from the call of `activate` to the lockfile, of Backline and of an extension that only opens a `ws` server
 * and writes a file. They take turns, each time alone in a fresh window of VS Code beside its built-in extensions.
 */
export async function compareActivations(): Promise<{ subject: number; peer: number }> {
  await using made = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'backline-bench-'));
  made.defer(() => rm(folder, { recursive: true }));
  const peerVsix = await packagePeerExtension(folder, peerName, peerSource);
  const times: { subject: number[]; peer: number[] } = { subject: [], peer: [] };
  for (let round = 0; round < rounds; round++) {
    times.subject.push(await inFreshWindow(vsixFile, subjectMs));
    times.peer.push(await inFreshWindow(peerVsix, peerMs));
  }
  return { subject: median(times.subject), peer: median(times.peer) };
}

/** As the log of the window has it. */
async function subjectMs({ dataDir }: Sandbox): Promise<number> {
  for await (const file of glob('**/Backline.log', { cwd: dataDir })) {
    const ms = /lockfile was written (\d+) ms after activation/.exec(
      await readFile(path.join(dataDir, file), 'utf8'),
    )?.[1];
    if (ms !== undefined) return Number(ms);
  }
  throw new Error('The log does not say when the lockfile was written.');
}

async function peerMs({ home }: Sandbox): Promise<number> {
  const ms = Number(await readFile(path.join(home, peerReport), 'utf8'));
  if (!(ms > 0)) throw new Error('The file is not complete.');
  return ms;
}

async function inFreshWindow(vsix: string, measure: (sandbox: Sandbox) => Promise<number>): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const sandbox = await makeSandbox();
  opened.defer(() => sandbox.remove());
  const { dataDir, extensionsDir, env } = sandbox;
  await installVsix(vsix, { dataDir, extensionsDir, env });
  const host = await startHost({ dataDir, extensionsDir, env, settings: testSettings });
  opened.defer(() => host.stop());
  const browser = await launchChromium();
  opened.defer(() => browser.close());
  const page = await browser.newPage();
  await page.goto(host.url(sandbox.workspace));
  return await eventually('the lockfile', () => measure(sandbox));
}

const peerSource = `
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';

export async function activate() {
  const activatedAt = performance.now();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  const folder = join(homedir(), '.local', 'share', 'activation-peer');
  await mkdir(folder, { recursive: true });
  const { port } = server.address();
  await writeFile(join(folder, port + '.json'), JSON.stringify({ port }));
  const ms = performance.now() - activatedAt;
  await writeFile(join(homedir(), '${peerReport}'), String(ms));
}
`;
