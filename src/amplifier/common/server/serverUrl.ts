import { isLoopback } from '../../../base/common/loopback';
import * as z from 'zod';

const Host = z.string();
const Port = z.number().int().min(1).max(65535);

/** Returns the URL for `amplifier.server.host` and `.port`. @throws Error that names the invalid setting */
export function configuredServerUrl({ host, port }: { readonly host: unknown; readonly port: unknown }): URL {
  const number = Port.safeParse(port);
  if (!number.success) throw new Error('amplifier.server.port must be a port from 1 to 65535.');
  return parseServerUrl(Host.safeParse(host).data ?? '', number.data);
}

/** Parses an address. `host`: a name, an IP address or an http(s) URL. @throws Error that names the setting */
export function parseServerUrl(host: string, port: number): URL {
  const text = host.trim();
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//iu.test(text);
  const bracketed = !hasScheme && text.includes(':') && !text.startsWith('[') ? `[${text}]` : text;
  const withScheme = hasScheme ? text : `http://${bracketed}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    throw new Error('amplifier.server.host must be a host name, an IP address or an http(s) URL.');
  }
  if (!hasScheme) url.port = String(port);
  url.search = '';
  url.hash = '';
  return url;
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
