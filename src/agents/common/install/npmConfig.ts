/** The part of a user's npm configuration that is needed to download a package without npm. */
export interface NpmRegistry {
  /** Ends with a slash. */
  readonly url: string;
  /** The value of the `authorization` header. */
  readonly authorization?: string;
}

const defaultRegistry = 'https://registry.npmjs.org/';

/** Reads the lines of an `.npmrc`. Replaces variables such as `${NAME}` like npm. */
export function parseNpmrc(text: string, env: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] = /^\s*([^;#\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const unquoted = value.replace(
      /^"(.*)"$|^'(.*)'$/,
      (_all, double?: string, single?: string) => double ?? single ?? '',
    );
    values.set(
      key,
      unquoted.replace(/\$\{([^}]+)\}/g, (all, name: string) => env[name] ?? all),
    );
  }
  return values;
}

/** Returns the npm registry that npm would use. Environment variables take precedence, as in npm. */
export function npmRegistryOf(values: ReadonlyMap<string, string>, env: Readonly<Record<string, string>>): NpmRegistry {
  const fromEnv = Object.entries(env).find(([name]) => name.toLowerCase() === 'npm_config_registry')?.[1];
  const configured = [fromEnv, values.get('registry')].find((value) => value !== undefined && value !== '');
  const parsed = URL.parse(configured ?? defaultRegistry) ?? new URL(defaultRegistry);
  const url = parsed.href.endsWith('/') ? parsed.href : `${parsed.href}/`;
  const authorization = authorizationFor(new URL(url), values);
  return authorization === undefined ? { url } : { url, authorization };
}

/** Finds the credentials for the address or one of its parent folders: `//host/path/:_authToken`. */
function authorizationFor(url: URL, values: ReadonlyMap<string, string>): string | undefined {
  for (let path = url.pathname; ; path = path.replace(/[^/]+\/$/, '')) {
    const key = `//${url.host}${path}:`;
    const token = values.get(`${key}_authToken`);
    if (token !== undefined) return `Bearer ${token}`;
    const basic = values.get(`${key}_auth`);
    if (basic !== undefined) return `Basic ${basic}`;
    const user = values.get(`${key}username`);
    const password = values.get(`${key}_password`);
    if (user !== undefined && password !== undefined) return `Basic ${btoa(`${user}:${atob(password)}`)}`;
    if (path === '/') return undefined;
  }
}
