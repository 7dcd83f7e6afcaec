import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { withDeadline, type Clock } from '../../base/common/async';
import { backoffMs, type Backoff } from '../../base/common/backoff';
import { BoundedMap } from '../../base/common/boundedMap';
import { errorCode, TimeoutError, userMessageOf } from '../../base/common/errors';
import {
  ProviderError,
  type ConsentRequest,
  type RemoteCodeConsentRequest,
  type RememberedConsentRequest,
} from '../common/providers/providerError';
import { replaceFile } from '../../base/node/replaceFile';
import type { Fetch } from '../../wire/node/outgoingHttp';
import { fetchAnswer, hostOf, isRedirect } from './httpAnswer';

interface RemoteModulePorts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly isAllowed: (request: RememberedConsentRequest) => boolean;
  /** Returns the allowed integrity of the code at a URL without a pinned hash. */
  readonly allowedCode: (url: string) => string | undefined;
  /** The folder in which modules are stored under their hash. It is created when needed. */
  readonly folder: string;
}

export interface RemoteModuleOptions {
  /** The hash in the settings. Undefined if they contain none. */
  readonly integrity: unknown;
  /** Whether the user has requested a refresh, which ignores earlier failures. */
  readonly isRefresh: boolean;
  readonly signal: AbortSignal;
}

interface RemoteModule {
  /** The `file:` URI of the stored module. */
  readonly specifier: string;
  readonly newVersion?: RemoteCodeConsentRequest;
}

const maxBytes = 8 * 1_024 * 1_024;
const maxRedirects = 5;
const integrityForm = /^(sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})$/;
/** How often a window checks a URL for a new version, in milliseconds. */
const checkMs = 24 * 60 * 60_000;
/** Time limit for the check for a new version. After it, the version that the user has allowed runs. */
const checkTimeoutMs = 3_000;
/** How long downloaded code waits for the user's answer before it is downloaded again, in milliseconds. */
const pendingMs = 10 * 60_000;
/** Maximum number of downloads in memory, each with up to `maxAnswerBytes`. */
const maxPending = 8;
const pause: Backoff = { firstMs: 60_000, maxMs: 60 * 60_000 };

/** Downloads modules over https. The user must allow the code, and its hash must be the pinned or allowed one. */
export class RemoteModuleStore {
  private readonly versionCheckByUrl = new Map<string, VersionCheck>();
  /** Downloaded code that is not allowed yet, by URL. Only allowed code is written to disk. */
  private readonly unansweredCodeByUrl = new BoundedMap<string, UnansweredCode>({ maxEntries: maxPending });
  private readonly failuresByUrl = new Map<string, DownloadFailure>();

  constructor(private readonly ports: RemoteModulePorts) {}

  /** Returns the stored or downloaded module. @throws ProviderError without permission or https, or by its hash */
  async locate(url: string, { integrity, isRefresh, signal }: RemoteModuleOptions): Promise<RemoteModule> {
    checkHttps(url);
    if (isRefresh) this.failuresByUrl.delete(url);
    return integrity === undefined
      ? await this.locateAllowed(url, isRefresh, signal)
      : { specifier: await this.locatePinned(url, pinOf(integrity), signal) };
  }

  private async locatePinned(url: string, pin: Pin, signal: AbortSignal): Promise<string> {
    const request: ConsentRequest = { kind: 'remoteCode', url, integrity: pin.text };
    if (!this.ports.isAllowed(request)) throw notAllowed(request);
    const kept = await this.findStored(url, pin);
    if (kept !== undefined) return kept;
    const { body, finalUrl } = await this.download(url, signal);
    if (!isPinned(body, pin)) {
      const found = createHash(pin.algorithm).update(body).digest('base64');
      const error = new ProviderError(
        `The code at ${hostOf(finalUrl)} does not match the pinned hash. Its hash is ${pin.algorithm}-${found}. Review the code before you pin it.`,
      );
      this.rememberFailure(url, error);
      throw error;
    }
    this.failuresByUrl.delete(url);
    const file = this.modulePath(url, pin);
    await writeAtomically(file, body);
    return pathToFileURL(file).href;
  }

  private async locateAllowed(url: string, isRefresh: boolean, signal: AbortSignal): Promise<RemoteModule> {
    const { allowedCode, clock } = this.ports;
    const previousIntegrity = allowedCode(url);
    const pin = previousIntegrity === undefined ? undefined : pinOf(previousIntegrity);
    const specifier = pin && ((await this.findStored(url, pin)) ?? (await this.storeAllowedDownload(url, pin)));
    if (specifier === undefined)
      return await this.downloadUnlessConsentPending(url, previousIntegrity, isRefresh, signal);
    const check = this.versionCheckByUrl.get(url);
    if (check && isRecent(check.checkedAtMs, clock.now(), checkMs))
      return moduleOf(specifier, previousIntegrity, check.newVersion);
    try {
      return await withDeadline(clock, 'looking for a new version', checkTimeoutMs, (inTime) =>
        this.downloadAndRequireConsent(url, previousIntegrity, AbortSignal.any([signal, inTime])),
      );
    } catch (error) {
      const request = error instanceof ProviderError ? error.consent : undefined;
      const found = request?.kind === 'remoteCode' ? request : undefined;
      // If the check failed, its time is not stored, so that it is repeated after a pause.
      if (found) this.versionCheckByUrl.set(url, { checkedAtMs: clock.now(), newVersion: found });
      return moduleOf(specifier, previousIntegrity, found ?? this.unansweredCodeByUrl.get(url)?.request);
    }
  }

  /** Downloads code, unless the user has not answered yet about a recent download. */
  private async downloadUnlessConsentPending(
    url: string,
    previousIntegrity: string | undefined,
    isRefresh: boolean,
    signal: AbortSignal,
  ): Promise<RemoteModule> {
    const waiting = this.unansweredCodeByUrl.get(url);
    const isWaiting = waiting && !isRefresh && isRecent(waiting.downloadedAtMs, this.ports.clock.now(), pendingMs);
    if (isWaiting && waiting.request.previousIntegrity === previousIntegrity) throw notAllowed(waiting.request);
    return await this.downloadAndRequireConsent(url, previousIntegrity, signal);
  }

  /** Downloads code, and keeps it until the user answers. The user then allows exactly the downloaded code. */
  private async downloadAndRequireConsent(
    url: string,
    previousIntegrity: string | undefined,
    signal: AbortSignal,
  ): Promise<RemoteModule> {
    const { body, finalUrl } = await this.download(url, signal);
    this.failuresByUrl.delete(url);
    const pin = pinOf(`sha384-${createHash('sha384').update(body).digest('base64')}`);
    if (pin.text !== previousIntegrity) {
      const request: RemoteCodeConsentRequest = {
        kind: 'remoteCode',
        url,
        integrity: pin.text,
        from: finalUrl,
        previousIntegrity,
      };
      this.unansweredCodeByUrl.set(url, { downloadedAtMs: this.ports.clock.now(), request, body });
      throw notAllowed(request);
    }
    const file = this.modulePath(url, pin);
    await writeAtomically(file, body);
    this.unansweredCodeByUrl.delete(url);
    this.versionCheckByUrl.set(url, { checkedAtMs: this.ports.clock.now(), newVersion: undefined });
    return { specifier: pathToFileURL(file).href };
  }

  /** Stores code that was just allowed, and returns its `file:` URI. Undefined if it was not downloaded. */
  private async storeAllowedDownload(url: string, pin: Pin): Promise<string | undefined> {
    const waiting = this.unansweredCodeByUrl.get(url);
    if (!waiting || !isPinned(waiting.body, pin)) return undefined;
    const file = this.modulePath(url, pin);
    await writeAtomically(file, waiting.body);
    this.unansweredCodeByUrl.delete(url);
    return pathToFileURL(file).href;
  }

  /** Downloads code. After a failure, refuses for a minute, then for twice as long. @throws ProviderError */
  private async download(url: string, signal: AbortSignal): Promise<Download> {
    const { clock, fetch } = this.ports;
    const failed = this.failuresByUrl.get(url);
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
    const count = (this.failuresByUrl.get(url)?.count ?? 0) + 1;
    this.failuresByUrl.set(url, { count, untilMs: this.ports.clock.monotonicNow() + backoffMs(pause, count), error });
  }

  /** Returns the `file:` URI of stored code. Undefined if there is none or it was modified on disk. */
  private async findStored(url: string, pin: Pin): Promise<string | undefined> {
    const file = this.modulePath(url, pin);
    const bytes = await readFile(file).catch((error: unknown) => {
      // ENOTDIR means that there is a file in place of the folder.
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw error;
    });
    return bytes && isPinned(bytes, pin) ? pathToFileURL(file).href : undefined;
  }

  private modulePath(url: string, { algorithm, digest }: Pin): string {
    return path.join(this.ports.folder, `${algorithm}-${digest.toString('hex')}${extensionOf(url)}`);
  }
}

/** The time of the last check of a URL, in milliseconds since the epoch, and the version that is not allowed yet. */
interface VersionCheck {
  readonly checkedAtMs: number;
  readonly newVersion: RemoteCodeConsentRequest | undefined;
}

/** Downloaded code and the permission that it needs. */
interface UnansweredCode {
  /** Time of the download, in milliseconds since the epoch. */
  readonly downloadedAtMs: number;
  readonly request: RemoteCodeConsentRequest;
  readonly body: Uint8Array;
}

interface DownloadFailure {
  readonly count: number;
  /** End of the pause, in milliseconds of the monotonic clock. */
  readonly untilMs: number;
  readonly error: unknown;
}

/**
 * Whether a time is recent. Uses the system clock, because hours of sleep must count. A time in the future means that
 * the clock was set back.
 */
function isRecent(atMs: number, nowMs: number, forMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs < forMs;
}

function moduleOf(
  specifier: string,
  allowed: string | undefined,
  found: RemoteCodeConsentRequest | undefined,
): RemoteModule {
  return found && found.integrity !== allowed ? { specifier, newVersion: found } : { specifier };
}

interface Pin {
  readonly text: string;
  readonly algorithm: string;
  readonly digest: Buffer;
}

function notAllowed(request: RemoteCodeConsentRequest): ProviderError {
  const what = request.previousIntegrity === undefined ? 'The code' : 'The new version of the code';
  const host = hostOf(request.from ?? request.url);
  return new ProviderError(`${what} from ${host} needs your permission to run.`, request);
}

function pinOf(integrity: unknown): Pin {
  const match = typeof integrity === 'string' ? integrityForm.exec(integrity) : undefined;
  if (!match?.[1] || !match[2])
    throw new ProviderError(
      'The provider’s `integrity` must be a base64 hash such as "sha384-…". Remove it to be asked before downloaded code runs.',
    );
  return { text: match[0], algorithm: match[1], digest: Buffer.from(match[2], 'base64') };
}

function isPinned(bytes: Uint8Array, { algorithm, digest }: Pin): boolean {
  const actual = createHash(algorithm).update(bytes).digest();
  return actual.length === digest.length && timingSafeEqual(actual, digest);
}

interface Download {
  readonly body: Uint8Array;
  /** The URL at the end of redirects. */
  readonly finalUrl: string;
}

async function download(url: string, fetch: Fetch, signal: AbortSignal): Promise<Download> {
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    checkHttps(at);
    const answer = await fetchAnswer(fetch, at, { signal }, maxBytes);
    if (isRedirect(answer)) {
      at = URL.parse(answer.redirectTarget ?? '', at)?.href ?? '';
      continue;
    }
    if (answer.status !== 200) throw new ProviderError(`${hostOf(at)} returned HTTP ${answer.status} instead of code.`);
    if (answer.mimeType === 'text/html') throw new ProviderError(`${hostOf(at)} returned a web page instead of code.`);
    return { body: answer.body, finalUrl: at };
  }
  throw new ProviderError(`${hostOf(url)} redirects more than ${maxRedirects} times.`);
}

function checkHttps(url: string): void {
  if (URL.parse(url)?.protocol !== 'https:')
    throw new ProviderError('Code can be downloaded only over HTTPS. Redirects must use HTTPS, too.');
}

/** Writes a file atomically, because other windows may read it. @throws ProviderError that explains what to do */
async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  const folder = path.dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, bytes);
  } catch (error) {
    throw new ProviderError(
      `The downloaded code could not be saved in ${folder}. ${userMessageOf(error)} Make sure that you can write to this folder, then run “Backline: Refresh Context Providers”.`,
    );
  }
}

/** Returns the extension. CommonJS and TypeScript keep theirs; all other code from the web is an ES module. */
function extensionOf(url: string): string {
  const extension = /\.(?:cjs|[cm]?ts)$/i.exec(new URL(url).pathname)?.[0];
  return extension?.toLowerCase() ?? '.mjs';
}
