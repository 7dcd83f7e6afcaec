import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

export interface Certificate {
  /** PEM. It is its own authority. */
  readonly cert: string;
  readonly key: string;
}

/** A new one for 127.0.0.1, by the `openssl` of this machine. */
export async function makeCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'backline-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=Backline test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  try {
    await promisify(execFile)('openssl', ['req', '-x509', ...algorithm, ...subject, '-keyout', key, '-out', cert]);
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface TlsServer {
  /** `https://127.0.0.1:port` */
  readonly origin: string;
  close(): void;
}

/** The caller closes it. */
export async function startTlsServer(certificate: Certificate, respond: RequestListener): Promise<TlsServer> {
  const server = createServer(certificate, respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    origin: `https://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
