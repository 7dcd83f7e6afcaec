import type { SecretStore } from './apiKeyStore';
import { isSecureServer } from './serverUrl';

/** Access tokens of servers, stored in SecretStorage. Each token is sent only to its own server. */
export class ServerTokens {
  constructor(private readonly secrets: SecretStore) {}

  async tokenFor(server: URL): Promise<string | undefined> {
    return isSecureServer(server) ? await this.secrets.get(nameOf(server)) : undefined;
  }

  /** Stores a token. An empty one removes it. @throws Error for a server without an encrypted connection */
  async setToken(server: URL, token: string): Promise<void> {
    if (!isSecureServer(server)) {
      throw new Error(
        `A token can’t be sent to ${server.origin} over an unencrypted connection. Use an https address.`,
      );
    }
    const trimmed = token.trim();
    if (trimmed === '') await this.secrets.delete(nameOf(server));
    else await this.secrets.store(nameOf(server), trimmed);
  }
}

function nameOf(server: URL): string {
  return `backline.amplifier.token ${server.origin}`;
}
