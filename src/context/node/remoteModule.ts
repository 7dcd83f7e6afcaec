import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCode } from '../../base/common/errors';
import { ProviderError, type ConsentRequest } from '../common/providerError';
import { fetchAnswer, hostOf, isRedirect, type Fetch } from './httpAnswer';

export interface RemoteModulePorts {
  readonly fetch: Fetch;
  readonly isAllowed: (request: ConsentRequest) => boolean;
  /** Where modules are kept by their hash; made when it is needed. */
  readonly folder: string;
}

const maxBytes = 8 * 1_024 * 1_024;
const maxRedirects = 5;
const integrityForm = /^(sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})$/;

/**
 * Code from elsewhere as a file on this disk: fetched over https once, held to the hash that the settings pin, and only
 * if the user has allowed just this code.
 * @returns its `file:` URI
 * @throws ProviderError that says what is missing: https, the hash, the user's word; or that the code is not the pinned one
 */
export async function fetchRemoteModule(
  url: string,
  integrity: unknown,
  ports: RemoteModulePorts,
  signal: AbortSignal,
): Promise<string> {
  checkHttps(url);
  const pin = pinOf(integrity);
  const request: ConsentRequest = { kind: 'remoteCode', url, integrity: pin.text };
  if (!ports.isAllowed(request))
    throw new ProviderError(`It is code from ${hostOf(url)} that would run on this machine. Allow it first.`, request);
  const file = path.join(ports.folder, `${pin.algorithm}-${pin.digest.toString('hex')}${extensionOf(url)}`);
  const kept = await readKept(file);
  if (!kept || !isPinned(kept, pin)) await keep(file, await download(url, pin, ports.fetch, signal));
  return pathToFileURL(file).href;
}

interface Pin {
  readonly text: string;
  readonly algorithm: string;
  readonly digest: Buffer;
}

function pinOf(integrity: unknown): Pin {
  const match = typeof integrity === 'string' ? integrityForm.exec(integrity) : undefined;
  if (!match?.[1] || !match[2])
    throw new ProviderError(
      'Code from elsewhere only runs with its hash in the settings, as "integrity": "sha384-…" (base64).',
    );
  return { text: match[0], algorithm: match[1], digest: Buffer.from(match[2], 'base64') };
}

function isPinned(bytes: Uint8Array, { algorithm, digest }: Pin): boolean {
  const actual = createHash(algorithm).update(bytes).digest();
  return actual.length === digest.length && timingSafeEqual(actual, digest);
}

async function download(url: string, pin: Pin, fetch: Fetch, signal: AbortSignal): Promise<Uint8Array> {
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    checkHttps(at);
    const answer = await fetchAnswer(fetch, at, { signal }, maxBytes);
    if (isRedirect(answer)) {
      at = URL.parse(answer.location ?? '', at)?.href ?? '';
      continue;
    }
    if (answer.status !== 200) throw new ProviderError(`${hostOf(at)} answered HTTP ${answer.status} instead of code.`);
    if (isPinned(answer.body, pin)) return answer.body;
    const found = createHash(pin.algorithm).update(answer.body).digest('base64');
    throw new ProviderError(
      `The code at ${hostOf(at)} is not the one that is pinned; its hash is ${pin.algorithm}-${found}. Look at what has changed before you pin it.`,
    );
  }
  throw new ProviderError(`${hostOf(url)} redirects more than ${maxRedirects} times.`);
}

function checkHttps(url: string): void {
  if (URL.parse(url)?.protocol !== 'https:')
    throw new ProviderError(
      'Code is only fetched over https, and never from an address that redirects to another scheme.',
    );
}

async function readKept(file: string): Promise<Uint8Array | undefined> {
  return readFile(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** By a rename: a window that reads it meanwhile reads all or nothing. */
async function keep(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, bytes, { mode: 0o600 });
  await rename(draft, file);
}

/** CommonJS and TypeScript say so by their names; all else from the web is an ES module. */
function extensionOf(url: string): string {
  const extension = /\.(?:cjs|[cm]?ts)$/i.exec(new URL(url).pathname)?.[0];
  return extension?.toLowerCase() ?? '.mjs';
}
