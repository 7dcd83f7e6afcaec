import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocketServer, type RawData } from 'ws';
import { bytesOf } from '../bytesOf';

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
 * What the Amp server is measured against: `ws` and JSON and nothing else. It parses each request, of either dialect, and
 * stringifies an answer of the same shape and size, whose content it has in memory after the first request. It only gives
 * files for which `isGiven` returns true. @returns the port
 */
export async function startWsJsonServer(isGiven: (path: string) => boolean): Promise<number> {
  const contents = new Map<string, string>();
  const contentOf = (path: string): string => {
    const known = contents.get(path);
    if (known !== undefined) return known;
    if (!isGiven(path)) return '';
    const read = readFileSync(path, 'utf8');
    contents.set(path, read);
    return read;
  };
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (socket) => {
    socket.on('message', (data: RawData) => {
      const { clientRequest } = JSON.parse(bytesOf(data).toString()) as PeerRequest;
      const { id, method, readFile } = clientRequest;
      const content = contentOf((method?.readFile ?? readFile)?.path ?? '');
      const answer = method
        ? { id, result: { content } }
        : { id, readFile: { success: true, content, encoding: 'utf-8', isDirty: false } };
      socket.send(JSON.stringify({ serverResponse: answer }));
    });
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address !== 'object') throw new Error('The server has no port.');
  return address.port;
}
