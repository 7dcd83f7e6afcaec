import { connect } from 'node:net';
import * as z from 'zod';
import { tellParent } from '../child';

const Open = z.object({ port: z.number(), sessionId: z.string(), count: z.number() });
/** How the last event of a turn ends. */
const end = Buffer.from('"output_tokens":0}}}\n\n');

/**
 * Subscribers that cost next to nothing, so that the server is what is measured: they count bytes and look whether a read
 * ends the turn. Tells `open`, then how many bytes each of them got.
 */
export function runFanoutReaders(): void {
  process.on('message', (message) => void read(Open.parse(message)));
  process.on('disconnect', () => process.exit());
}

async function read({ port, sessionId, count }: z.infer<typeof Open>): Promise<void> {
  const subscribers = Array.from({ length: count }, () => subscribe(port, sessionId));
  await Promise.all(subscribers.map(({ opened }) => opened));
  tellParent({ open: count });
  tellParent({ bytes: await Promise.all(subscribers.map(({ done }) => done)) });
}

function subscribe(port: number, sessionId: string): { opened: Promise<unknown>; done: Promise<number> } {
  const opened = Promise.withResolvers<undefined>();
  const done = Promise.withResolvers<number>();
  let bytes = 0;
  let last = '';
  const callback = (length: number, buffer: Uint8Array): boolean => {
    opened.resolve(undefined);
    bytes += length;
    last = (
      last +
      Buffer.from(buffer.buffer, Math.max(0, length - end.length), Math.min(length, end.length)).toString('latin1')
    ).slice(-end.length);
    if (last === end.toString('latin1')) {
      done.resolve(bytes);
      socket.destroy();
    }
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(256 * 1024), callback } });
  socket.on('error', done.reject);
  socket.write(`GET /sessions/${sessionId}/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 999999\r\n\r\n`);
  return { opened: opened.promise, done: done.promise };
}
