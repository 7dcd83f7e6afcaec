import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiFailure, documentedFailure } from './apiFailure';

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/iu;

/** Accepts requests only from programs on this machine that send the token, and never from web pages. */
export class RequestGuard {
  private readonly tokenDigest: Buffer | undefined;

  /** Without `token`, the guard checks only the headers Host and Origin. */
  constructor(
    token: string | undefined,
    private readonly maxUrlLength: number,
  ) {
    this.tokenDigest = token === undefined ? undefined : digestOf(token);
  }

  /** Checks the headers, the URL and the token of a request. @throws ApiFailure 400, 401, 403, 414 */
  check({ url = '', headersDistinct }: IncomingMessage): void {
    const [host, ...otherHosts] = headersDistinct['host'] ?? [];
    if (host === undefined || otherHosts.length > 0) {
      throw documentedFailure('INVALID_REQUEST', 'Send one Host header.', { field: 'Host' });
    }
    // Prevents DNS rebinding, in which a web page accesses a loopback port through its own host name.
    if (!loopbackHost.test(host)) throw new ApiFailure(403, 'FORBIDDEN', 'Connect to localhost or 127.0.0.1.');
    if (headersDistinct['origin']?.some((origin) => !isOwn(origin, host))) {
      throw new ApiFailure(403, 'FORBIDDEN', 'Web pages may not connect.');
    }
    if (url.length > this.maxUrlLength) {
      throw new ApiFailure(414, 'INVALID_REQUEST', `The URL is longer than ${this.maxUrlLength} characters.`);
    }
    if (!url.startsWith('/')) throw documentedFailure('INVALID_REQUEST', 'The path must start with /.');
    if (this.tokenDigest) this.checkToken(this.tokenDigest, url, headersDistinct['authorization']);
  }

  private checkToken(digest: Buffer, url: string, authorization: readonly string[] | undefined): void {
    const given = authorization ? authorization.map(bearerToken) : tokensOfQuery(url);
    const [token, ...others] = given;
    // Digests have equal lengths, so comparing them takes constant time for any token.
    if (token !== undefined && others.length === 0 && timingSafeEqual(digestOf(token), digest)) return;
    const message = 'Send the server’s token as "Authorization: Bearer …", or as ?token=… if headers can’t be set.';
    throw new ApiFailure(401, 'UNAUTHORIZED', message, {}, { 'WWW-Authenticate': 'Bearer' });
  }
}

/** Whether the Origin is the server itself, as some clients send. Web pages always have another origin. */
function isOwn(origin: string, host: string): boolean {
  return origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

function bearerToken(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/iu.exec(authorization)?.[1];
}

/** Returns the tokens in the query. Clients such as `EventSource` use the query because they cannot set headers. */
function tokensOfQuery(url: string): string[] {
  const start = url.indexOf('?');
  return start === -1 ? [] : new URLSearchParams(url.slice(start)).getAll('token');
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
