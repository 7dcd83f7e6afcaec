import { isLoopback } from '../../../base/common/addresses/loopback';

/** Returns why Backline does not connect to a URL, as the end of a sentence. Undefined if it connects. */
export function agentUrlProblem(text: string): string | undefined {
  const header = 'an Authorization header with a ${secret:NAME}';
  return urlProblem(text, ['https:', 'http:', 'wss:', 'ws:'], 'https: or wss:', header);
}

/** Returns why an agent must not send requests with the user's prompts to a URL, as the end of a sentence. */
export function llmProviderUrlProblem(text: string): string | undefined {
  return urlProblem(text, ['https:', 'http:'], 'https:', 'an Authorization header');
}

function urlProblem(text: string, schemes: readonly string[], encrypted: string, instead: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !schemes.includes(url.protocol)) return `enter a URL that begins with ${encrypted}`;
  if (url.username !== '' || url.password !== '') {
    return `remove the user name and the password from the URL, and send ${instead}`;
  }
  if (url.hash !== '') return 'remove the part after # from the URL';
  if (isEncrypted(url) || isLoopback(url)) return undefined;
  return `use ${url.protocol === 'ws:' ? 'wss:' : 'https:'}, because others could read the messages. Only URLs on this machine may be unencrypted`;
}

export function isWebSocketUrl({ protocol }: URL): boolean {
  return protocol === 'wss:' || protocol === 'ws:';
}

/** A URL as it may appear in logs and on the screen: without its query, which may contain a token. */
export function shownUrl(text: string): string {
  const { host, pathname, protocol } = new URL(text);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** The host of an agent on another machine; undefined for this machine. */
export function remoteHostOf(text: string): string | undefined {
  const url = new URL(text);
  return isLoopback(url) ? undefined : url.host;
}

function isEncrypted({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:';
}
