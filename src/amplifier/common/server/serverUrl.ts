import { isLoopback } from '../../../base/common/addresses/loopback';
import * as z from 'zod';

const Host = z.string();
const Port = z.number().int().min(1).max(65535);

interface ServerAddress {
  readonly host: unknown;
  readonly port: unknown;
  /** Whether `port` is the default value of the setting. */
  readonly isDefaultPort?: boolean;
}

/**
 * Returns the URL for `amplifier.server.host`, which is a name, an IP address or an http(s) URL, and `amplifier.server.port`.
 * A port in the URL takes precedence. The default port applies only to names and addresses: a URL gets the port of its scheme, which
 * proxies use. @throws Error that names the invalid setting
 */
export function configuredServerUrl({ host, port, isDefaultPort = false }: ServerAddress): URL {
  const number = Port.safeParse(port).data;
  if (number === undefined) throw new Error('amplifier.server.port must be a port from 1 to 65535.');
  const text = (Host.safeParse(host).data ?? '').trim();
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//iu.test(text);
  const bracketed = !hasScheme && text.includes(':') && !text.startsWith('[') ? `[${text}]` : text;
  const withScheme = hasScheme ? text : `http://${bracketed}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    throw new Error('amplifier.server.host must be a host name, an IP address or an http(s) URL.');
  }
  if (!hasScheme || (!isDefaultPort && !namesPort(withScheme))) url.port = String(number);
  url.search = '';
  url.hash = '';
  return url;
}

/** Whether a URL contains a port. `URL` drops the port of the scheme, so the URL is read with both schemes. */
function namesPort(url: string): boolean {
  return ['http', 'https'].some((scheme) => new URL(url.replace(/^[^:]+/u, scheme)).port !== '');
}

/** Whether others cannot intercept secrets that are sent to the server, because it is local or uses https. */
export function isSecureServer(server: URL): boolean {
  return isLoopback(server) || server.protocol === 'https:';
}

export function isSameLoopbackServer(one: URL, other: URL): boolean {
  const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
  return isLoopback(one) && isLoopback(other) && portOf(one) === portOf(other);
}

export function describeOwnServerProblem({ origin }: URL): string {
  return (
    `This window serves its own agents at ${origin}. ` +
    'Choose an agent directly, or set amplifier.server.host and amplifier.server.port to another server.'
  );
}
