import type { ServerInfo } from '../../common/apiSchema';

/** The server that exists names an API version, which the API reference does not; its token usage is cumulative. */
export function isRealServer({ api_version, amplifier_core_version }: ServerInfo): boolean {
  return api_version !== undefined && amplifier_core_version === undefined;
}
