import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiFailure, documented } from './apiFailure';

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/iu;

/** Lets through programs of this machine that know the token, and never a web page. */
export class RequestGuard {
  private readonly digest: Buffer | undefined;

  /** Without a token whoever is on this machine may come in; the checks of Host and Origin stay. */
  constructor(
    token: string | undefined,
    private readonly maxUrlLength: number,
  ) {
    this.digest = token === undefined ? undefined : digestOf(token);
  }

  /** @throws ApiFailure 400, 401, 403, 414 */
  check({ url = '', headersDistinct }: IncomingMessage): void {
    const [host, ...otherHosts] = headersDistinct['host'] ?? [];
    if (host === undefined || otherHosts.length > 0) {
      throw documented('INVALID_REQUEST', 'Send one Host header.', { field: 'Host' });
    }
    // A page that reaches a loopback port through a name of its own (DNS rebinding) sends that name.
    if (!loopbackHost.test(host)) throw new ApiFailure(403, 'FORBIDDEN', 'Connect to localhost or 127.0.0.1.');
    if (headersDistinct['origin']?.some((origin) => !isOwn(origin, host))) {
      throw new ApiFailure(403, 'FORBIDDEN', 'Web pages may not connect.');
    }
    if (url.length > this.maxUrlLength) {
      throw new ApiFailure(414, 'INVALID_REQUEST', `The URL is longer than ${this.maxUrlLength} characters.`);
    }
    if (!url.startsWith('/')) throw documented('INVALID_REQUEST', 'Ask for a path that starts with /.');
    if (this.digest) this.checkToken(this.digest, url, headersDistinct['authorization']);
  }

  private checkToken(digest: Buffer, url: string, authorization: readonly string[] | undefined): void {
    const given = authorization ? authorization.map(bearerToken) : tokensOfQuery(url);
    const [token, ...others] = given;
    // In constant time, whatever the length.
    if (token !== undefined && others.length === 0 && timingSafeEqual(digestOf(token), digest)) return;
    const message =
      'Send the token of this server as "Authorization: Bearer …", or as ?token=… where no header can be.';
    throw new ApiFailure(401, 'UNAUTHORIZED', message, {}, { 'WWW-Authenticate': 'Bearer' });
  }
}

/** Some clients name the server itself, as if it had served them. A page of another server cannot: it has its own origin. */
function isOwn(origin: string, host: string): boolean {
  return origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

function bearerToken(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/iu.exec(authorization)?.[1];
}

/** Browsers' EventSource can set no header. */
function tokensOfQuery(url: string): string[] {
  const start = url.indexOf('?');
  return start === -1 ? [] : new URLSearchParams(url.slice(start)).getAll('token');
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
