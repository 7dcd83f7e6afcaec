import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** An HTTP response that refuses an upgrade. The text explains to the peer what to do. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly text: string;
}

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/iu;

/** Decides which peers may connect: local programs that send the token, but never web pages. */
export class UpgradeGuard {
  private readonly tokenDigest: Buffer;

  constructor(token: string) {
    this.tokenDigest = digestOf(token);
  }

  /** Compares a token in constant time. */
  isToken(candidate: string): boolean {
    return timingSafeEqual(digestOf(candidate), this.tokenDigest);
  }

  /** Checks an upgrade request. @returns why the request must be refused, or undefined if it is allowed */
  checkRequest({ url = '', headersDistinct }: IncomingMessage): UpgradeRefusal | undefined {
    const [host, ...otherHosts] = headersDistinct['host'] ?? [];
    if (host === undefined || otherHosts.length > 0) return { status: 400, text: 'Send one Host header.' };
    // If a web page accesses a loopback port through its own host name (DNS rebinding), the Host header contains that
    // name.
    if (!loopbackHost.test(host)) return { status: 403, text: 'Connect to localhost or 127.0.0.1.' };
    // Browsers always send an Origin header, and the Amp CLI never does.
    if (headersDistinct['origin']) return { status: 403, text: 'Web pages may not connect.' };

    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    if (path !== '/') return { status: 404, text: 'Connect to the path /.' };
    const [token, ...otherTokens] = new URLSearchParams(url.slice(path.length)).getAll('auth');
    if (token === undefined || otherTokens.length > 0 || !this.isToken(token)) {
      return { status: 401, text: "Send the authToken of this port's lockfile, once, as ?auth=…" };
    }
    return undefined;
  }
}

export function refuseUpgrade(socket: Duplex, { status, text }: UpgradeRefusal): void {
  const body = Buffer.from(`${text}\n`);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
