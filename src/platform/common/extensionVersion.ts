import { isRecord } from '../../base/common/isRecord';

/** Returns the version in the extension's `package.json`. */
export function extensionVersion({ packageJSON }: { readonly packageJSON: unknown }): string {
  const version = isRecord(packageJSON) ? packageJSON['version'] : undefined;
  return typeof version === 'string' ? version : 'unknown';
}
