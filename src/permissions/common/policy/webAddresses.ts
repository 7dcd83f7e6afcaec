// Which addresses are surely in the web, and not this machine or the user's network. Names are not looked up: a name of
// the web whose owner lets it lead to a private address is not recognized, except for those that are known for it.

/** Top-level domains of names that are not in the web. */
const privateDomains: ReadonlySet<string> = new Set([
  ...['local', 'localhost', 'localdomain', 'internal', 'intranet', 'private', 'lan', 'home', 'corp', 'domain'],
  ...['arpa', 'onion', 'invalid', 'test', 'alt', 'host', 'workgroup', 'router'],
]);

/** Domains with names that lead to this machine or to the address in the name. */
const leadingHome: ReadonlySet<string> = new Set([
  ...['localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com', 'localho.st', 'local.gd', 'fuf.me', 'smackaho.st'],
  ...['lndo.site', 'ddev.site', 'traefik.me', 'localdev.me', 'localhst.co.uk', 'yoogle.com', '42foo.com', 'lcl.host'],
  ...['nip.io', 'sslip.io', 'xip.io', 'backname.io', 'plex.direct', 'local-ip.co', 'local-ip.sh', 'localtls.com'],
  ...['rbndr.us', '1u.ms', 'rebind.network', 'spoofed.burpcollaborator.net', 'dev-local.com', 'loopback.jp'],
  ...['localhost.direct', 'localhost.run', 'myip.is', 'ip6.name', 'bugless.ch', '127001.de', 'loca.lt'],
]);

const scheme = /^https?:\/\/(?<host>[^/?#:@\\]+)(?::(?<port>80|443))?(?=[/?#]|$)/i;
/** A letter, digit or mark of any language, or a character of an address. Neither spaces nor backslashes. */
const addressText = /^[\p{L}\p{N}\p{M}!#$%&'()*+,./:;=?@[\]_~|-]+$/u;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** Four numbers or eight hexadecimal digits, as in `10-0-0-1.example.com` and `7f000001.example.com`. */
const addressInName = /(?:^|[.-])\d{1,3}(?:[.-]\d{1,3}){3}(?:[.-]|$)|(?:^|\.)(?:0x)?[0-9a-f]{8}(?:\.|$)/;

/** Whether this is exactly one address of a page in the web. */
export function isWebAddress(text: string): boolean {
  const { host } = scheme.exec(text)?.groups ?? {};
  const url = addressText.test(text) ? URL.parse(text) : null;
  if (host === undefined || url?.username !== '' || url.password !== '') return false;
  return isWrittenPlainly(host, url.hostname) && isWebHost(url.hostname);
}

/** Whether text contains no address other than those of the web. Some agents fetch the addresses in their prompt. */
export function namesOnlyWebAddresses(text: string): boolean {
  if (/\blocalhost\b|\[[0-9a-f:.%]*:|\b(?:0x)?[0-9a-f]+(?:\.(?:0x)?[0-9a-f]+){3}\b|\b0x[0-9a-f]{6,}/i.test(text))
    return false;
  const addresses = text.match(/[a-z][a-z0-9+.-]*:(?:\/\/?|\\)\S*/gi) ?? [];
  return addresses.every((address) => isWebAddress(address.replace(/[)\]}>,.;:!?'"»”’]+$/, '')));
}

/** A name in another script becomes one that begins with `xn--`. Everything else stays as it is. */
function isWrittenPlainly(written: string, host: string): boolean {
  const [before, after] = [written.toLowerCase().split('.'), host.split('.')];
  if (before.length !== after.length) return false;
  return before.every((one, index) => {
    const other = after[index] ?? '';
    return /^[\x21-\x7e]+$/.test(one) ? one === other : other.startsWith('xn--');
  });
}

function isWebHost(host: string): boolean {
  const labels = host.split('.');
  const top = labels.at(-1) ?? '';
  if (labels.length < 2 || !labels.every((one) => label.test(one))) return false;
  if (!/^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(top) || privateDomains.has(top) || addressInName.test(host)) return false;
  return !labels.some((_, index) => leadingHome.has(labels.slice(index).join('.')));
}
