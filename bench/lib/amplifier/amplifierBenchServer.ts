import { once } from 'node:events';
import * as http from 'node:http';
import * as z from 'zod';
import { tellParent } from '../child';

export const sessionId = '550e8400-e29b-41d4-a716-446655440000';
export const deltaText = 'Here is the next';
const Command = z.object({ deltas: z.number(), intervalMs: z.number() });

/**
 * The least of an Amplifier server that a whole client needs. A prompt's text is a command: so many deltas, written all at
 * once, or one every `intervalMs`, each with the time of its write.
 */
export async function runAmplifierBenchServer(): Promise<void> {
  const streams = new Set<http.ServerResponse>();
  const server = http.createServer((request, response) => {
    const route = `${request.method ?? ''} ${request.url ?? ''}`.replace(sessionId, '{id}');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      switch (route) {
        case 'GET /sessions/{id}/events':
          response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
          response.socket?.setNoDelay(true);
          streams.add(response);
          response.on('close', () => streams.delete(response));
          return;
        case 'POST /sessions/{id}/prompt': {
          const { prompt } = z.object({ prompt: z.string() }).parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
          send(response, 202, { request_id: 'req-1', status: 'processing' });
          void play(streams, Command.parse(JSON.parse(prompt)));
          return;
        }
        case 'POST /sessions': {
          send(response, 201, { session_id: sessionId, status: 'created' });
          return;
        }
        case 'GET /sessions/{id}': {
          send(response, 200, { session_id: sessionId, status: 'idle' });
          return;
        }
        default: {
          send(response, 200, { status: 'healthy', version: '1' });
          return;
        }
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address !== null && typeof address === 'object') tellParent({ port: address.port });
  process.on('disconnect', () => process.exit());
}

/** Milliseconds of the machine's monotonic clock, which all processes read alike. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const batch = 1000;

async function play(
  streams: ReadonlySet<http.ServerResponse>,
  { deltas, intervalMs }: z.infer<typeof Command>,
): Promise<void> {
  const [stream] = streams;
  if (!stream) return;
  if (intervalMs > 0) {
    for (let sent = 0; sent < deltas; sent++) {
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
      stream.write(frame('content_block:delta', { block_index: 0, delta: String(machineMs()) }));
    }
  } else {
    const block = frame('content_block:delta', { block_index: 0, delta: deltaText }).repeat(batch);
    for (let sent = 0; sent < deltas; sent += batch) if (!stream.write(block)) await once(stream, 'drain');
  }
  stream.write(frame('prompt:complete', { request_id: 'req-1', response: '' }));
}

function frame(event: string, data: object): string {
  return `data: ${JSON.stringify({ event, data: { session_id: sessionId, ...data } })}\n\n`;
}

function send(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
