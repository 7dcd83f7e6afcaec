import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * @typedef {object} Certificate
 * @property {string} cert PEM. It is its own authority.
 * @property {string} key
 */

/**
 * @typedef {object} CertificateOptions
 * @property {string} [host] as a certificate names it; default `IP:127.0.0.1`
 * @property {boolean} [expired] its last day is long over; default it is valid
 */

/**
 * A new one, by the `openssl` of this machine.
 * @param {CertificateOptions} [options]
 * @returns {Promise<Certificate>}
 */
export async function makeCertificate({ host = 'IP:127.0.0.1', expired = false } = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'backline-tls-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=Backline test'];
  /** @param {string[]} args */
  const openssl = (...args) => promisify(execFile)('openssl', args, { cwd: folder });
  try {
    if (expired) {
      // Only `ca` makes one that ends before today.
      await writeFile(path.join(folder, 'ca.conf'), `${authority}subjectAltName = ${host}\n`);
      await writeFile(path.join(folder, 'index.txt'), '');
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
