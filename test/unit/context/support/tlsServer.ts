import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import * as z from 'zod';
import type { Certificate } from '../../../../scripts/lib/certificate.mjs';

export { makeCertificate } from '../../../../scripts/lib/certificate.mjs';
export type { Certificate, CertificateOptions } from '../../../../scripts/lib/certificate.mjs';

export interface TlsServer {
  /** `https://127.0.0.1:port` */
  readonly origin: string;
  /** Emits `upgrade` for WebSockets. */
  readonly server: Server;
  close(): void;
}

/** The caller closes it. */
export async function startTlsServer(certificate: Certificate, respond: RequestListener): Promise<TlsServer> {
  const server = createServer(certificate, respond);
  // A request on a socket that it closes just then would be lost.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    origin: `https://127.0.0.1:${port}`,
    server,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
