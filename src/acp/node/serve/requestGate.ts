import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused, with the HTTP status. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

interface RequestGateOptions {
  /** Without a token, every program that reaches the port can use the agent. */
  readonly token: string | undefined;
  /** Additional host names that clients may use, without ports. */
  readonly allowedHosts: readonly string[];
  readonly maxUrlLength: number;
}

export const agentUrlPath = '/acp';
const ownHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Decides which requests reach the agent. Programs need the token. Web pages are always refused. */
export class RequestGate {
  private readonly tokenDigest: Buffer | undefined;
  private readonly hosts: ReadonlySet<string>;

  constructor(private readonly options: RequestGateOptions) {
    const { allowedHosts, token } = options;
    this.tokenDigest = token === undefined ? undefined : digestOf(token);
    this.hosts = new Set([...ownHosts, ...allowedHosts.map((host) => host.toLowerCase())]);
  }

  /** Returns why the request is refused. Undefined if it is allowed. */
  refusalOf({ headersDistinct, url = '' }: IncomingMessage): Refusal | undefined {
    const [host, ...otherHosts] = headersDistinct['host'] ?? [];
    if (host === undefined || otherHosts.length > 0) return { status: 400, message: 'Send one Host header.' };
    // Prevents DNS rebinding, in which a web page accesses a local port through its own host name.
    if (!this.hosts.has(nameOf(host)))
      return { status: 403, message: 'This host name is not allowed. See --allow-host.' };
    if (headersDistinct['origin']) return { status: 403, message: 'Web pages may not connect.' };
    if (url.length > this.options.maxUrlLength) return { status: 414, message: 'The URL is too long.' };
    if (!this.hasToken(headersDistinct['authorization'])) {
      return { status: 401, message: 'Send the token as "Authorization: Bearer …".' };
    }
    const path = url.split('?', 1)[0];
    return path === agentUrlPath ? undefined : { status: 404, message: `The agent is at ${agentUrlPath}.` };
  }

  private hasToken(authorization: readonly string[] | undefined): boolean {
    if (!this.tokenDigest) return true;
    const [given, ...others] = authorization ?? [];
    const token = /^Bearer +(\S+)$/iu.exec(given ?? '')?.[1];
    // Digests have equal lengths, so comparing them takes constant time for any token.
    return token !== undefined && others.length === 0 && timingSafeEqual(digestOf(token), this.tokenDigest);
  }
}

/** Returns the name in a Host header, without its port and in lower case. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/u, '');
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
