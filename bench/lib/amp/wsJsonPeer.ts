import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { eventually } from '../../../test/support/eventually';
import { BenchChild, tellParent } from '../child';
import { packagePeerExtension } from '../peerExtension';
import { startWsJsonServer } from './wsJsonServer';

const Listening = z.object({ url: z.string() });

/** Starts `startWsJsonServer` for these files in a process of its own. */
export async function startWsJsonPeer(...files: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = new BenchChild('peer', ...files);
  const { url } = Listening.parse(await child.next());
  return { url, stop: () => child.stop() };
}

/** The peer's own process. */
export async function runWsJsonPeer(files: readonly string[]): Promise<void> {
  process.once('disconnect', () => process.exit());
  tellParent({ url: urlOf(await startWsJsonServer((path) => files.includes(path))) });
}

/** The file in the home folder to which the extension writes its port. */
const portFile = 'ws-json-port';

/**
 * Packages an extension that runs `startWsJsonServer` for the files in its workspace folder. The caller removes the folder.
 * @returns the .vsix in it
 */
export async function packageWsJsonExtension(folder: string): Promise<string> {
  return await packagePeerExtension(
    folder,
    'ws-json-peer',
    `
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspace } from 'vscode';
import { startWsJsonServer } from './bench/lib/wsJsonServer';

export async function activate() {
  await writeFile(join(homedir(), '${portFile}'), String(await startWsJsonServer(isGiven)));
}

function isGiven(path) {
  return dirname(path) === workspace.workspaceFolders?.[0]?.uri.fsPath;
}
`,
  );
}

/** Waits until the extension listens. @returns its URL */
export async function urlOfWsJsonExtension(home: string): Promise<string> {
  return await eventually('the port of the peer', async () => {
    const port = Number(await readFile(path.join(home, portFile), 'utf8'));
    if (!(port > 0)) throw new Error('The file is not complete.');
    return urlOf(port);
  });
}

function urlOf(port: number): string {
  return `ws://127.0.0.1:${port}`;
}
