import { readFileSync } from 'node:fs';
import { WebSocketServer, type RawData } from 'ws';
import * as z from 'zod';
import { bytesOf } from './bytesOf';
import { BenchChild, tellParent } from './child';

const Listening = z.object({ url: z.string() });

interface ReadFile {
  readonly path: string;
}

interface PeerRequest {
  readonly clientRequest: {
    readonly id: string;
    readonly method?: { readonly readFile: ReadFile };
    readonly readFile?: ReadFile;
  };
}

/**
 * What the server under test is measured against: `ws` and JSON and nothing else. It parses each request, of
 * either dialect, and stringifies an answer of the same shape and size, whose content it has in memory. It checks nothing.
 */
export async function startWsJsonPeer(...files: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = new BenchChild('peer', ...files);
  const { url } = Listening.parse(await child.next());
  return { url, stop: () => child.stop() };
}

/** The peer's own process. */
export function runWsJsonPeer(files: readonly string[]): void {
  const contents = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (socket) => {
    socket.on('message', (data: RawData) => {
      const { clientRequest } = JSON.parse(bytesOf(data).toString()) as PeerRequest;
      const { id, method, readFile } = clientRequest;
      const content = contents.get((method?.readFile ?? readFile)?.path ?? '');
      const answer = method
        ? { id, result: { content } }
        : { id, readFile: { success: true, content, encoding: 'utf-8', isDirty: false } };
      socket.send(JSON.stringify({ serverResponse: answer }));
    });
  });
  server.on('listening', () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') tellParent({ url: `ws://127.0.0.1:${address.port}` });
  });
  process.once('disconnect', () => process.exit());
}
