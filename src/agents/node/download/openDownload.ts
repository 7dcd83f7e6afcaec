import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { isLoopback } from '../../../base/common/addresses/loopback';
import { certificateProblemOf, proxyProblemOf } from '../../../wire/common/connectionProblem';
import type { Fetch } from '../../../wire/node/outgoingHttp';
import {
  cancelledError,
  connectionError,
  InstallError,
  isInstallError,
  stalledError,
  httpStatusError,
} from '../../common/install/installError';

export interface DownloadOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Maximum time without data from the server. */
  readonly silenceMs: number;
  /** Time limit for the whole download. */
  readonly totalMs?: number;
  /** `authorization` is sent only to the first server. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether `http` to this machine is allowed. All other addresses must use `https`. */
  readonly allowsLoopback: boolean;
}

interface Download {
  /** 2xx, or 304. */
  readonly status: number;
  readonly headers: Headers;
  /** Length of the body, if the server reports it. */
  readonly totalBytes: number | undefined;
  /** The body. Read it to the end, or dispose. @throws InstallError */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
  dispose(): void;
}

const maxRedirects = 5;

/** Sends a GET and follows redirects to allowed addresses. The caller disposes the result. @throws InstallError */
export async function openDownload(address: string, options: DownloadOptions): Promise<Download> {
  let url = checkedUrl(address, options.allowsLoopback);
  let headers = { ...options.headers };
  const limits = new DownloadLimits(options);
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      limits.noticeProgress();
      const init = { headers, redirect: 'manual', signal: limits.signal } as const;
      const response = await fetchAgainIfLost(options.fetch, url, init);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null) return toDownload(response, url, options, limits);
      await response.body?.cancel();
      const next = checkedUrl(URL.parse(location, url.href)?.href ?? location, isPlainLoopback(url));
      if (next.origin !== url.origin) {
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
        );
      }
      url = next;
    }
    throw new InstallError('serverError', `${url.host} redirects in a loop.`, 'Try again later.');
  } catch (error) {
    limits.dispose();
    throw limits.toEndError(url) ?? toDownloadError(error, url.host);
  }
}

/**
 * A server may close a connection at the moment at which it is used again. Therefore, a request that was lost is sent once
 * more, over a new connection. @throws errors of `fetch`
 */
async function fetchAgainIfLost(fetch: Fetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url.href, init);
  } catch (error) {
    if (init.signal?.aborted || toDownloadError(error, url.host).code !== 'connectionLost') throw error;
    return await fetch(url.href, init);
  }
}

/** Reads a whole body. @throws InstallError */
export async function readBody(download: Download): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of download.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function toDownload(response: Response, url: URL, options: DownloadOptions, limits: DownloadLimits): Download {
  const { status, headers } = response;
  if (!response.ok && status !== 304) {
    // The rest of an error page is not needed.
    void response.body?.cancel().catch(() => undefined);
    throw httpStatusError(status, url.host);
  }
  const length = Number(headers.get('content-length') ?? NaN);
  // With an encoding, the reported length counts compressed bytes.
  const totalBytes = Number.isSafeInteger(length) && !headers.has('content-encoding') ? length : undefined;
  if (totalBytes !== undefined && totalBytes > options.maxBytes) throw tooLargeError(url.host, options.maxBytes);
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    let bytes = 0;
    try {
      const body: ReadableStream<Uint8Array> | null = response.body;
      for await (const chunk of body ?? []) {
        limits.noticeProgress();
        bytes += chunk.length;
        if (bytes > options.maxBytes) throw tooLargeError(url.host, options.maxBytes);
        yield chunk;
      }
      if (totalBytes !== undefined && bytes < totalBytes && status !== 304) throw lostError(url.host);
    } catch (error) {
      throw limits.toEndError(url) ?? toDownloadError(error, url.host);
    } finally {
      limits.dispose();
    }
  }
  const dispose = (): void => limits.abort();
  return { status, headers, totalBytes, chunks, dispose };
}

/** Ends a download if the user cancels it, no data arrives, or it takes too long. */
class DownloadLimits {
  private readonly controller = new AbortController();
  private readonly timers: Disposable[] = [];
  private silenceTimer: Disposable | undefined;
  private endReason: 'cancelled' | 'stalled' | 'tooSlow' | undefined;
  private readonly onAbort = (): void => this.end('cancelled');

  constructor(private readonly options: Pick<DownloadOptions, 'clock' | 'signal' | 'silenceMs' | 'totalMs'>) {
    const { clock, signal, totalMs } = options;
    if (signal.aborted) this.end('cancelled');
    signal.addEventListener('abort', this.onAbort, { once: true });
    if (totalMs !== undefined) this.timers.push(clock.setTimer(totalMs, () => this.end('tooSlow')));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  noticeProgress(): void {
    this.silenceTimer?.dispose();
    this.silenceTimer = this.options.clock.setTimer(this.options.silenceMs, () => this.end('stalled'));
  }

  toEndError(url: URL): InstallError | undefined {
    if (this.endReason === undefined) return undefined;
    if (this.endReason === 'cancelled') return cancelledError();
    if (this.endReason === 'stalled') return stalledError(url.host);
    return new InstallError('stalled', `The download from ${url.host} is too slow.`, 'Try again later.');
  }

  abort(): void {
    this.end('cancelled');
    this.dispose();
  }

  dispose(): void {
    this.options.signal.removeEventListener('abort', this.onAbort);
    for (const timer of this.timers) timer.dispose();
    this.silenceTimer?.dispose();
  }

  private end(reason: 'cancelled' | 'stalled' | 'tooSlow'): void {
    this.endReason ??= reason;
    this.controller.abort();
  }
}

/** @throws InstallError for an address that is not encrypted and not on this machine */
function checkedUrl(address: string, allowsLoopback: boolean): URL {
  const url = URL.parse(address);
  if (url && (url.protocol === 'https:' || (allowsLoopback && isPlainLoopback(url)))) return url;
  throw new InstallError(
    'insecureAddress',
    `The address ${url ? `${url.protocol}//${url.host}` : 'of the download'} does not use https, so nothing was downloaded from it.`,
    'Report this to the agent’s authors.',
  );
}

function isPlainLoopback(url: URL): boolean {
  return url.protocol === 'http:' && isLoopback(url);
}

function tooLargeError(host: string, maxBytes: number): InstallError {
  return new InstallError('tooLarge', `The file from ${host} is larger than ${Math.round(maxBytes / 1_048_576)} MB.`);
}

function lostError(host: string): InstallError {
  return new InstallError('connectionLost', `The connection to ${host} was lost.`, 'Try again.');
}

/** Converts an error of `fetch`. Does not use its message, which may contain an address with a key. */
function toDownloadError(error: unknown, host: string): InstallError {
  if (isInstallError(error)) return error;
  const causes = causesOf(error);
  for (const cause of causes) {
    if (/\b407\b|proxy authentication required/i.test(cause.message)) return httpStatusError(407, host);
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
    const certificate = certificateProblemOf(code);
    if (certificate) {
      const message = `Nothing was downloaded from ${host}: its certificate ${certificate.what}.`;
      return new InstallError('certificate', message, certificate.advice, { cause: error });
    }
    const proxyProblem = proxyProblemOf(cause);
    if (proxyProblem !== undefined)
      return new InstallError('offline', `${host} could not be reached.`, proxyProblem, { cause: error });
    const known = connectionError(code, host, error);
    if (known) return known;
  }
  return lostError(host);
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause) {
    causes.push(
      cause,
      ...(cause instanceof AggregateError ? cause.errors.filter((inner) => inner instanceof Error) : []),
    );
  }
  return causes;
}
