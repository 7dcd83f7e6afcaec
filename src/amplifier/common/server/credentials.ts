import * as z from 'zod';
import type { Credentials as WireCredentials } from '../api/apiSchema';
import { isLoopback } from '../../../base/common/loopback';
import { isPrivate } from './serverUrl';

/** VS Code's SecretStorage fits. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
}

interface CredentialsPorts {
  readonly secrets: SecretStore;
  /** Kept across windows; VS Code's global state fits. Holds origins, never a key. */
  readonly state: {
    get(name: string): unknown;
    update(name: string, value: unknown): PromiseLike<void>;
  };
  /** Asks the user whether the key may go to this origin. */
  readonly confirm: (origin: string) => Promise<boolean>;
}

const secretName = 'backline.amplifier.apiKey';
const confirmedName = 'backline.amplifier.confirmedServers';
const Origins = z.array(z.string()).catch([]);

/**
 * The API key for model providers. It lives in SecretStorage and leaves it only in the request that creates a session, to a
 * server on this machine or to an https server that the user confirmed.
 */
export class Credentials {
  /** Servers that the user has confirmed while the state could not be written. */
  private readonly unsaved = new Set<string>();

  constructor(private readonly ports: CredentialsPorts) {}

  /** The key for a server; undefined when there is none, or it may not go there. */
  async for(server: URL): Promise<WireCredentials | undefined> {
    const key = await this.ports.secrets.get(secretName);
    if (key === undefined || key === '' || !(await this.mayGoTo(server))) return undefined;
    return { anthropic_api_key: key };
  }

  /** Why the key that there is may never go to this server, and what to do; undefined when it may, or there is none. */
  async problem(server: URL): Promise<string | undefined> {
    if (isPrivate(server) || !(await this.isSet())) return undefined;
    return `The API key is not sent to ${server.origin}, where others could read it on the way. Use an https address.`;
  }

  async isSet(): Promise<boolean> {
    return ((await this.ports.secrets.get(secretName)) ?? '') !== '';
  }

  /** An empty key takes the stored one away. */
  async set(key: string): Promise<void> {
    const trimmed = key.trim();
    if (trimmed === '') await this.ports.secrets.delete(secretName);
    else await this.ports.secrets.store(secretName, trimmed);
  }

  /** Servers are asked about again. */
  async forgetConfirmations(): Promise<void> {
    this.unsaved.clear();
    await this.ports.state.update(confirmedName, undefined);
  }

  private async mayGoTo(server: URL): Promise<boolean> {
    if (isLoopback(server)) return true;
    if (!isPrivate(server)) return false;
    const confirmed = Origins.parse(this.ports.state.get(confirmedName) ?? []);
    if (confirmed.includes(server.origin) || this.unsaved.has(server.origin)) return true;
    if (!(await this.ports.confirm(server.origin))) return false;
    try {
      await this.ports.state.update(confirmedName, [...confirmed, server.origin]);
    } catch {
      // It holds for this window; the next one asks again.
      this.unsaved.add(server.origin);
    }
    return true;
  }
}
