import type { SecretStore } from './credentials';
import { isPrivate } from './serverUrl';

/** The tokens of servers that ask for one, each sent to its own server only. They live in SecretStorage. */
export class ServerTokens {
  constructor(private readonly secrets: SecretStore) {}

  async for(server: URL): Promise<string | undefined> {
    return isPrivate(server) ? await this.secrets.get(nameOf(server)) : undefined;
  }

  /** An empty token takes the stored one away. @throws Error for a server that others could read it on the way to */
  async set(server: URL, token: string): Promise<void> {
    if (!isPrivate(server)) {
      throw new Error(`A token is not sent to ${server.origin}, where others could read it. Use an https address.`);
    }
    const trimmed = token.trim();
    if (trimmed === '') await this.secrets.delete(nameOf(server));
    else await this.secrets.store(nameOf(server), trimmed);
  }
}

function nameOf(server: URL): string {
  return `backline.amplifier.token ${server.origin}`;
}
