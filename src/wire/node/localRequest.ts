import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Why an HTTP request is refused, in words that explain to the peer what to do. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

interface AllowedHosts {
  /** Names in lower case, without ports. */
  readonly names: ReadonlySet<string>;
  /** The answer to other names. */
  readonly advice: string;
}

/** The names by which programs reach a port of this machine. */
export const loopbackHosts: AllowedHosts = {
  names: new Set(['localhost', '127.0.0.1', '[::1]']),
  advice: 'Connect to localhost or 127.0.0.1.',
};

/**
 * Returns why a request is refused whose headers are not those of a program that reaches the server by an allowed name.
 * `allowsOwnOrigin`: some clients send the server itself as Origin, which a web page never does.
 */
export function localRequestProblem(
  { headersDistinct }: IncomingMessage,
  hosts: AllowedHosts = loopbackHosts,
  allowsOwnOrigin = false,
): Refusal | undefined {
  const [host, ...otherHosts] = headersDistinct['host'] ?? [];
  if (host === undefined || otherHosts.length > 0) return { status: 400, message: 'Send one Host header.' };
  const ownName = host.toLowerCase();
  // If a web page accesses a local port through its own host name (DNS rebinding), the Host header contains that name.
  if (!hosts.names.has(ownName.replace(/:\d{1,5}$/u, ''))) return { status: 403, message: hosts.advice };
  // Browsers always send an Origin header.
  const isOwn = (origin: string): boolean => allowsOwnOrigin && origin.toLowerCase() === `http://${ownName}`;
  if (headersDistinct['origin']?.every(isOwn) === false) return { status: 403, message: 'Web pages may not connect.' };
  return undefined;
}

/** Returns the token of an `Authorization: Bearer …` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/iu.exec(authorization ?? '')?.[1];
}

/** Compares tokens. Digests have equal lengths, so this takes the same time for any token of the peer. */
export function sameToken(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

/** Answers a request for an upgrade and closes the connection. */
export function refuseUpgrade(socket: Duplex, { status, message }: Refusal): void {
  const body = Buffer.from(`${message}\n`);
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
