import { toFileUri } from '../../../base/common/addresses/fileUri';

/** The location to which a key in the settings refers. */

export type ProviderLocation =
  | { readonly kind: 'endpoint'; readonly url: string }
  /** A JavaScript or TypeScript module, given by a `file:` or `data:` URI. */
  | { readonly kind: 'module'; readonly url: string }
  /** A package in the folder `node_modules` of `folder`. */
  | { readonly kind: 'package'; readonly specifier: string; readonly folder: string }
  | { readonly kind: 'remoteModule'; readonly url: string };

interface ProviderUri {
  readonly place: ProviderLocation;
  /** The part after `#`. It allows several entries for the same provider. */
  readonly name: string | undefined;
  /** Whether the key is relative to the workspace. */
  readonly isWorkspaceRelative: boolean;
}

const script = /\.[cm]?[jt]s$/i;
const packageName = /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*(?:\/[\w./~-]+)?$/;
const drive = /^[A-Za-z]:[\\/]/;

/** Parses a key, which can be relative to the `file:` URIs `folder` and `base`. @returns a message if invalid */
export function parseProviderUri(key: string, folder: string | undefined, base = folder): ProviderUri | string {
  const hash = key.indexOf('#');
  const name = hash === -1 ? undefined : key.slice(hash + 1) || undefined;
  const address = hash === -1 ? key : key.slice(0, hash);
  const place = parsePlace(address, withoutSlash(folder), withoutSlash(base));
  if (typeof place === 'string') return place;
  return { place, name, isWorkspaceRelative: place.kind === 'package' || isRelative(address) };
}

/** Returns a text that identifies the receiver of the settings. */
export function providerAddress(place: ProviderLocation): string {
  return place.kind === 'package' ? `${place.folder}/node_modules/${place.specifier}` : place.url;
}

/** Whether a URI is inside a folder. URIs that some systems treat as equal count as equal. */
export function isUriInFolder(uri: string, folder: string): boolean {
  return normalizeUri(uri).startsWith(`${normalizeUri(folder).replace(/\/$/, '')}/`);
}

/** Normalizes a URI: removes dots, double slashes, escapes and upper case. */
function normalizeUri(uri: string): string {
  const href = URL.parse(uri)?.href ?? uri;
  return decodePercent(href)
    .replace(/[\\/]+/g, '/')
    .normalize('NFC')
    .toLowerCase();
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A path may contain invalid UTF-8, so that only the ASCII characters can be decoded.
    return text.replace(/%([2-7][\da-f])/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
  }
}

function isRelative(address: string): boolean {
  if (address.includes('${workspaceFolder}') || /^\.\.?[\\/]/.test(address)) return true;
  return script.test(address) && !/^(?:[a-z][a-z+.-]*:|[\\/])/i.test(address);
}

/** Resolves the variable for the folder. It may come after `file://`. */
function inFolder(address: string, folder: string | undefined): ProviderLocation | string {
  if (folder === undefined) return 'Its key uses ${workspaceFolder}, but no folder is open.';
  const match = /^(?:file:\/\/)?\$\{workspaceFolder\}[\\/](.+)$/.exec(address);
  if (!match?.[1]) return '${workspaceFolder} can only be used at the start of a file path.';
  return relativeModule(match[1], folder);
}

function parsePlace(address: string, folder: string | undefined, base: string | undefined): ProviderLocation | string {
  if (address.includes('${workspaceFolder}')) return inFolder(address, folder);
  if (drive.test(address) || address.startsWith('/') || address.startsWith('\\\\'))
    return { kind: 'module', url: toFileUri(address) };
  if (isRelative(address))
    return base === undefined ? 'The key is a relative path, but no folder is open.' : relativeModule(address, base);
  if (/^(?:npm:)?[^:]+$/.test(address)) return packageOf(address.replace(/^npm:/, ''), folder);
  const url = URL.parse(address);
  return url ? placeOfUrl(url) : 'The key is not a URL, a path or a package name.';
}

function withoutSlash(folder: string | undefined): string | undefined {
  return folder?.replace(/\/$/, '');
}

function relativeModule(path: string, folder: string): ProviderLocation {
  const encoded = path.split(/[\\/]/).map(encodeURIComponent).join('/');
  return { kind: 'module', url: new URL(encoded, `${folder}/`).href };
}

function packageOf(specifier: string, folder: string | undefined): ProviderLocation | string {
  if (!packageName.test(specifier)) return 'The key is not a URL, a path or a package name.';
  return folder === undefined
    ? 'The key is a package name, but no folder is open.'
    : { kind: 'package', specifier, folder };
}

function placeOfUrl(url: URL): ProviderLocation | string {
  switch (url.protocol) {
    case 'file:':
    case 'data:':
      return { kind: 'module', url: url.href };
    case 'http+js:':
    case 'https+js:':
      return { kind: 'remoteModule', url: url.href.replace('+js:', ':') };
    case 'http:':
    case 'https:':
      return { kind: isRemoteCode(url) ? 'remoteModule' : 'endpoint', url: url.href };
    default:
      return `"${url.protocol}" URLs are not supported. Use http, https, file or data.`;
  }
}

function isRemoteCode({ hostname, pathname }: URL): boolean {
  return script.test(pathname) || (hostname === 'openctx.org' && pathname.startsWith('/npm/'));
}
