import * as http from 'node:http';
import * as https from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { pipeline } from 'node:stream';
import { toError } from '../../base/common/errors';
import { isLoopback } from '../../base/common/addresses/loopback';

/** The part of `fetch` that Backline uses. Redirects are never followed, and the signal also ends the body. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends all HTTP requests of the extension, so that they have the same proxy and trust the same certificates. It uses
 * `node:http` and `node:https`: VS Code changes these for its proxy settings and the certificates of the operating system, and
 * they keep those in NODE_EXTRA_CA_CERTS. VS Code's `fetch` drops the latter.
 */
export class OutgoingHttp {
  /**
   * `verifiesCertificates` returns whether servers must have a trusted certificate, which the setting `http.proxyStrictSSL`
   * can turn off.
   */
  constructor(private readonly verifiesCertificates: () => boolean = () => true) {}

  /** The options of a TLS connection. */
  get tlsOptions(): { readonly rejectUnauthorized: boolean } {
    return { rejectUnauthorized: this.verifiesCertificates() };
  }

  /**
   * Opens a request; the caller ends or destroys it. Its `agent` is only used for this machine: elsewhere, a request with
   * an agent of its own would bypass the proxy if `http.proxySupport` is `on`.
   */
  request(url: URL, options: http.RequestOptions): http.ClientRequest {
    const { agent, ...others } = options;
    const all = { ...others, ...(isLoopback(url) && agent !== undefined ? { agent } : {}) };
    return url.protocol === 'https:' ? https.request(url, { ...all, ...this.tlsOptions }) : http.request(url, all);
  }

  /** Sends a request and returns its response without following redirects. @throws errors of `node:http` with their codes */
  readonly fetch: Fetch = async (url, { method = 'GET', headers, body, signal }) => {
    const text = typeof body === 'string' ? body : undefined;
    const sent = new Headers(headers);
    if (!sent.has('accept-encoding')) sent.set('accept-encoding', 'gzip, deflate, br');
    if (text !== undefined) sent.set('content-length', String(Buffer.byteLength(text)));
    signal?.throwIfAborted();
    return await new Promise<Response>((resolve, reject) => {
      const request = this.request(new URL(url), {
        method,
        headers: Object.fromEntries(sent),
        ...(signal ? { signal } : {}),
      });
      request.on('error', (error) => reject(signal?.aborted ? toError(signal.reason) : error));
      request.on('response', (answer) => {
        try {
          resolve(toResponse(answer));
        } catch (error) {
          answer.destroy();
          reject(toError(error));
        }
      });
      request.end(text);
    });
  };
}

/** Creates an agent that keeps connections to this machine open. The caller destroys it. */
export function createKeepAliveAgent(url: URL, options: http.AgentOptions): http.Agent {
  const kept = { ...options, keepAlive: true };
  return url.protocol === 'https:' ? new https.Agent(kept) : new http.Agent(kept);
}

const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** @throws RangeError for a status that is not one of a final response */
function toResponse(answer: http.IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = answer;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (statusesWithoutBody.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(toStream(decoded(answer)), { status, headers });
}

function decoded(answer: http.IncomingMessage): Readable {
  const decoder = decoderOf(answer.headers['content-encoding']?.trim().toLowerCase());
  if (!decoder) return answer;
  // The reader of the decoded stream gets the error.
  return pipeline(answer, decoder, () => undefined);
}

function decoderOf(encoding: string | undefined) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}

/** A stream that reads from `source` only as fast as it is read. */
function toStream(source: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<unknown> = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else if (next.value instanceof Uint8Array) controller.enqueue(next.value);
    },
    cancel() {
      source.destroy();
    },
  });
}
