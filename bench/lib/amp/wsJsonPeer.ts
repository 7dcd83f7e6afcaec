import * as z from 'zod';
import { BenchChild, tellParent } from '../child';
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
  const port = await startWsJsonServer((path) => files.includes(path));
  tellParent({ url: `ws://127.0.0.1:${port}` });
}
