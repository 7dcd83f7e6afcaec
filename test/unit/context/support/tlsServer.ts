import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

export interface CertificateOptions {
  /** As a certificate names it; default `IP:127.0.0.1`. */
  readonly host?: string;
  /** Its last day is long over; default it is valid. */
  readonly expired?: boolean;
}

/** A new one, by the `openssl` of this machine. */
export async function makeCertificate({
  host = 'IP:127.0.0.1',
  expired = false,
}: CertificateOptions = {}): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'backline-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=Backline test'];
  const openssl = (...args: string[]): Promise<unknown> => promisify(execFile)('openssl', args, { cwd: folder });
  try {
    if (expired) {
      // Only `ca` makes one that ends before today.
      await writeFile(join(folder, 'ca.conf'), `${authority}subjectAltName = ${host}\n`);
      await writeFile(join(folder, 'index.txt'), '');
      await openssl('req', '-new', ...algorithm, ...subject, '-keyout', key, '-out', 'request.pem');
      const dates = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
      const files = ['-in', 'request.pem', '-keyfile', key, '-out', cert, '-notext'];
      await openssl('ca', '-batch', '-selfsign', '-rand_serial', '-config', 'ca.conf', ...files, ...dates);
    } else {
      const names = ['-addext', `subjectAltName = ${host}`, '-days', '2'];
      await openssl('req', '-x509', ...algorithm, ...subject, ...names, '-keyout', key, '-out', cert);
    }
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const authority = `
[ca]
default_ca = own
[own]
database = index.txt
serial = serial.txt
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
`;

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
