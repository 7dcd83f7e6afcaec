import { once } from 'node:events';
import type { Server } from 'node:http';
import { errorCode } from '../../base/common/errors';
import type { PortRange } from '../../platform/common/settings';

/**
 * Makes `server` listen on the first available port of the range (inclusive), or else on any free port. Does not test
 * ports before, because another process could take a tested port. Calls `isTaken` while the port is bound.
 * @throws Error if no loopback port can be bound
 */
export async function bindPort(server: Server, range: PortRange, isTaken: (port: number) => boolean): Promise<number> {
  for (let port = range.first; port <= range.last; port++) {
    if (!(await canListen(server, port))) continue;
    if (!isTaken(port)) return port;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
  server.listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

async function canListen(server: Server, port: number): Promise<boolean> {
  server.listen({ host: '127.0.0.1', port, exclusive: true });
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE' || errorCode(error) === 'EACCES') return false;
    throw error;
  }
}
