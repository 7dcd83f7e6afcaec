import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { withDeadline, type Clock } from '../../base/common/async';
import { backoffMs, type Backoff } from '../../base/common/backoff';
import { BoundedMap } from '../../base/common/boundedMap';
import { errorCode, TimeoutError, wordsOf } from '../../base/common/errors';
import {
  ProviderError,
  type ConsentRequest,
  type RemoteCodeRequest,
  type RememberedRequest,
} from '../common/providers/providerError';
import { fetchAnswer, hostOf, isRedirect, type Fetch } from './httpAnswer';

interface RemoteModulePorts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly isAllowed: (request: RememberedRequest) => boolean;
  /** The integrity of the code that the user has allowed for an address whose hash the settings do not pin. */
  readonly allowedCode: (url: string) => string | undefined;
  /** Where modules are kept by their hash; made when it is needed. */
  readonly folder: string;
}

export interface LocateOptions {
  /** As the settings have it; undefined where they pin no hash. */
  readonly integrity: unknown;
  /** The user wants it looked for now, whatever failed before. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
}

interface RemoteModule {
  /** Its `file:` URI. */
  readonly specifier: string;
  /** The address has other code now, which the user has not allowed. */
  readonly offer?: RemoteCodeRequest;
}

const maxBytes = 8 * 1_024 * 1_024;
const maxRedirects = 5;
const integrityForm = /^(sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})$/;
/** How often a window looks whether an address has other code than the one that was allowed. */
const checkMs = 24 * 60 * 60_000;
/** What was allowed runs, whether or not its address answers. */
const checkTimeoutMs = 3_000;
/** How long code that nobody has answered for is what the user is asked about. */
const pendingMs = 10 * 60_000;
/** Each may have `maxBytes`. */
const mostPending = 8;
const pause: Backoff = { firstMs: 60_000, maxMs: 60 * 60_000 };

/**
 * Code from elsewhere as files on this disk: fetched over https, held to a hash, and only when the user has allowed just
 * this code. The hash is the one that the settings pin, or the one that the user was shown.
 */
export class RemoteModules {
  private readonly checks = new Map<string, Check>();
  /** By address, what was found there and nobody has allowed; on this disk is only what was. */
  private readonly pending = new BoundedMap<string, Pending>({ maxEntries: mostPending });
  private readonly failures = new Map<string, FailedLook>();

  constructor(private readonly ports: RemoteModulePorts) {}

  /** @throws ProviderError that says what is missing: https, the user's word; or that the code is not the pinned one */
  async locate(url: string, { integrity, isAgain, signal }: LocateOptions): Promise<RemoteModule> {
    checkHttps(url);
    if (isAgain) this.failures.delete(url);
    return integrity === undefined
      ? await this.locateAllowed(url, isAgain, signal)
      : { specifier: await this.locatePinned(url, pinOf(integrity), signal) };
  }

  private async locatePinned(url: string, pin: Pin, signal: AbortSignal): Promise<string> {
    const request: ConsentRequest = { kind: 'remoteCode', url, integrity: pin.text };
    if (!this.ports.isAllowed(request)) throw notAllowed(request);
    const kept = await this.findKept(url, pin);
    if (kept !== undefined) return kept;
    const { body, at } = await this.download(url, signal);
    if (!isPinned(body, pin)) {
      const found = createHash(pin.algorithm).update(body).digest('base64');
      const error = new ProviderError(
        `The code at ${hostOf(at)} does not match the pinned hash. Its hash is ${pin.algorithm}-${found}. Review the code before you pin it.`,
      );
      this.rememberFailure(url, error);
      throw error;
    }
    this.failures.delete(url);
    const file = this.fileOf(url, pin);
    await keep(file, body);
    return pathToFileURL(file).href;
  }

  private async locateAllowed(url: string, isAgain: boolean, signal: AbortSignal): Promise<RemoteModule> {
    const { allowedCode, clock } = this.ports;
    const before = allowedCode(url);
    const pin = before === undefined ? undefined : pinOf(before);
    const specifier = pin && ((await this.findKept(url, pin)) ?? (await this.keepPending(url, pin)));
    if (specifier === undefined) return await this.findAllowed(url, before, isAgain, signal);
    const check = this.checks.get(url);
    if (check && isRecent(check, clock.now(), checkMs)) return moduleOf(specifier, before, check.found);
    try {
      return await withDeadline(clock, 'looking for a new version', checkTimeoutMs, (inTime) =>
        this.fetchAllowed(url, before, AbortSignal.any([signal, inTime])),
      );
    } catch (error) {
      const request = error instanceof ProviderError ? error.consent : undefined;
      const found = request?.kind === 'remoteCode' ? request : undefined;
      // A look that failed is made again after its pause.
      if (found) this.checks.set(url, { atMs: clock.now(), found });
      return moduleOf(specifier, before, found ?? this.pending.get(url)?.request);
    }
  }

  /** What waits for the user's answer is not fetched again for a while: it is what they are looking at. */
  private async findAllowed(
    url: string,
    before: string | undefined,
    isAgain: boolean,
    signal: AbortSignal,
  ): Promise<RemoteModule> {
    const waiting = this.pending.get(url);
    const isWaiting = waiting && !isAgain && isRecent(waiting, this.ports.clock.now(), pendingMs);
    if (isWaiting && waiting.request.before === before) throw notAllowed(waiting.request);
    return await this.fetchAllowed(url, before, signal);
  }

  /** It is remembered before it is allowed, so that what is allowed is what was fetched. */
  private async fetchAllowed(url: string, before: string | undefined, signal: AbortSignal): Promise<RemoteModule> {
    const { body, at } = await this.download(url, signal);
    this.failures.delete(url);
    const pin = pinOf(`sha384-${createHash('sha384').update(body).digest('base64')}`);
    if (pin.text !== before) {
      const request: RemoteCodeRequest = { kind: 'remoteCode', url, integrity: pin.text, from: at, before };
      this.pending.set(url, { atMs: this.ports.clock.now(), request, body });
      throw notAllowed(request);
    }
    const file = this.fileOf(url, pin);
    await keep(file, body);
    this.pending.delete(url);
    this.checks.set(url, { atMs: this.ports.clock.now(), found: undefined });
    return { specifier: pathToFileURL(file).href };
  }

  /** The `file:` URI of what was just allowed; undefined when it is not what was found. */
  private async keepPending(url: string, pin: Pin): Promise<string | undefined> {
    const waiting = this.pending.get(url);
    if (!waiting || !isPinned(waiting.body, pin)) return undefined;
    const file = this.fileOf(url, pin);
    await keep(file, waiting.body);
    this.pending.delete(url);
    return pathToFileURL(file).href;
  }

  /** An address that failed is left alone: for a minute, and each further time for twice as long. @throws ProviderError */
  private async download(url: string, signal: AbortSignal): Promise<Download> {
    const { clock, fetch } = this.ports;
    const failed = this.failures.get(url);
    if (failed && clock.monotonicNow() < failed.untilMs) throw failed.error;
    try {
      return await download(url, fetch, signal);
    } catch (error) {
      const isTakenBack = signal.aborted && !(signal.reason instanceof TimeoutError);
      if (!isTakenBack) this.rememberFailure(url, error);
      throw error;
    }
  }

  private rememberFailure(url: string, error: unknown): void {
    const count = (this.failures.get(url)?.count ?? 0) + 1;
    this.failures.set(url, { count, untilMs: this.ports.clock.monotonicNow() + backoffMs(pause, count), error });
  }

  /** Its `file:` URI. What was changed on this disk does not count. */
  private async findKept(url: string, pin: Pin): Promise<string | undefined> {
    const file = this.fileOf(url, pin);
    const bytes = await readFile(file).catch((error: unknown) => {
      // ENOTDIR: where its folder should be is a file.
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw error;
    });
    return bytes && isPinned(bytes, pin) ? pathToFileURL(file).href : undefined;
  }

  private fileOf(url: string, { algorithm, digest }: Pin): string {
    return path.join(this.ports.folder, `${algorithm}-${digest.toString('hex')}${extensionOf(url)}`);
  }
}

/** When an address was last looked at, in milliseconds since the epoch, and what the user has not allowed of it. */
interface Check {
  readonly atMs: number;
  readonly found: RemoteCodeRequest | undefined;
}

/** Code that was found, with the question for it. */
interface Pending {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly request: RemoteCodeRequest;
  readonly body: Uint8Array;
}

interface FailedLook {
  /** How often in a row. */
  readonly count: number;
  /** Of the monotonic clock. */
  readonly untilMs: number;
  readonly error: unknown;
}

/** By the time of day, so that the hours in which the computer slept count. One in the future was made before the clock was set back. */
function isRecent({ atMs }: { readonly atMs: number }, nowMs: number, forMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs < forMs;
}

function moduleOf(specifier: string, allowed: string | undefined, found: RemoteCodeRequest | undefined): RemoteModule {
  return found && found.integrity !== allowed ? { specifier, offer: found } : { specifier };
}

interface Pin {
  readonly text: string;
  readonly algorithm: string;
  readonly digest: Buffer;
}

function notAllowed(request: RemoteCodeRequest): ProviderError {
  const what = request.before === undefined ? 'It is code' : 'It is a new version of the code';
  const host = hostOf(request.from ?? request.url);
  return new ProviderError(`${what} from ${host} that would run on this machine. Allow it first.`, request);
}

function pinOf(integrity: unknown): Pin {
  const match = typeof integrity === 'string' ? integrityForm.exec(integrity) : undefined;
  if (!match?.[1] || !match[2])
    throw new ProviderError(
      '`integrity` in its settings needs to be a hash in base64, as "sha384-…". Without it you are asked about the code that is found.',
    );
  return { text: match[0], algorithm: match[1], digest: Buffer.from(match[2], 'base64') };
}

function isPinned(bytes: Uint8Array, { algorithm, digest }: Pin): boolean {
  const actual = createHash(algorithm).update(bytes).digest();
  return actual.length === digest.length && timingSafeEqual(actual, digest);
}

interface Download {
  readonly body: Uint8Array;
  /** Where it was found in the end. */
  readonly at: string;
}

async function download(url: string, fetch: Fetch, signal: AbortSignal): Promise<Download> {
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    checkHttps(at);
    const answer = await fetchAnswer(fetch, at, { signal }, maxBytes);
    if (isRedirect(answer)) {
      at = URL.parse(answer.location ?? '', at)?.href ?? '';
      continue;
    }
    if (answer.status !== 200) throw new ProviderError(`${hostOf(at)} answered HTTP ${answer.status} instead of code.`);
    if (answer.type === 'text/html') throw new ProviderError(`${hostOf(at)} answered a web page instead of code.`);
    return { body: answer.body, at };
  }
  throw new ProviderError(`${hostOf(url)} redirects more than ${maxRedirects} times.`);
}

function checkHttps(url: string): void {
  if (URL.parse(url)?.protocol !== 'https:')
    throw new ProviderError(
      'Code is only fetched over https, and never from an address that redirects to another scheme.',
    );
}

/** By a rename: a window that reads it meanwhile reads all or nothing. @throws ProviderError that says what to do */
async function keep(file: string, bytes: Uint8Array): Promise<void> {
  const folder = path.dirname(file);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(draft, bytes, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new ProviderError(
      `Its code was fetched and cannot be kept in ${folder}. ${wordsOf(error)} Make that a folder that you can write to, then run “Backline: Refresh Context Providers”.`,
    );
  }
}

/** CommonJS and TypeScript say so by their names; all else from the web is an ES module. */
function extensionOf(url: string): string {
  const extension = /\.(?:cjs|[cm]?ts)$/i.exec(new URL(url).pathname)?.[0];
  return extension?.toLowerCase() ?? '.mjs';
}
