/** VS Code's settings for network connections. */
export interface NetworkSettings {
  /** `http.proxy`, empty if not set. */
  readonly proxy: string;
  /** `http.noProxy`: host names that are connected to directly. */
  readonly noProxy: readonly string[];
  /** `http.systemCertificates`: whether the certificates of the operating system are trusted. */
  readonly trustsSystemCertificates: boolean;
  /** `http.proxyStrictSSL`: whether servers need a trusted certificate. */
  readonly verifiesCertificates: boolean;
}

/**
 * Returns the environment for npm and uv, which do not know VS Code's settings. What the user has set for programs stays.
 * Variables that a version does not know have no effect.
 */
export function networkEnvironment(
  env: Readonly<Record<string, string>>,
  { noProxy, proxy, trustsSystemCertificates, verifiesCertificates }: NetworkSettings,
): Record<string, string> {
  const hasProxy = Object.keys(env).some((name) => /^(?:https?|all)_proxy$|^npm_config_(?:https_)?proxy$/i.test(name));
  const exceptions = [...noProxy, 'localhost', '127.0.0.1', '::1'].join(',');
  return {
    ...(trustsSystemCertificates ? { NODE_USE_SYSTEM_CA: '1', UV_NATIVE_TLS: 'true' } : {}),
    ...(verifiesCertificates ? {} : { npm_config_strict_ssl: 'false' }),
    ...(hasProxy || proxy === '' ? {} : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: exceptions }),
    ...env,
  };
}
