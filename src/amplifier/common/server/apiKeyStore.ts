import * as z from 'zod';
import type { Credentials as WireCredentials } from '../api/apiSchema';
import { isLoopback } from '../../../base/common/addresses/loopback';
import { isSecureServer } from './serverUrl';

/** The part of VS Code's `SecretStorage` that this class needs. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
}

interface ApiKeyStoreDeps {
  readonly secrets: SecretStore;
  /** Stores the origins of confirmed servers for all windows, in VS Code's `globalState`. Never contains a key. */
  readonly state: {
    get(name: string): unknown;
    update(name: string, value: unknown): PromiseLike<void>;
  };
  readonly confirm: (origin: string) => Promise<boolean>;
}

const secretName = 'backline.amplifier.apiKey';
const confirmedName = 'backline.amplifier.confirmedServers';
const Origins = z.array(z.string()).catch([]);

/** The API key for model providers. Sent only to servers on this machine, and to confirmed https servers. */
export class ApiKeyStore {
  /** Origins of confirmed servers that could not be stored. */
  private readonly unsavedConfirmedOrigins = new Set<string>();

  constructor(private readonly deps: ApiKeyStoreDeps) {}

  /** Returns the key for a server. Undefined if no key is stored or it may not be sent to this server. */
  async credentialsFor(server: URL): Promise<WireCredentials | undefined> {
    const key = await this.deps.secrets.get(secretName);
    if (key === undefined || key === '' || !(await this.confirmSendingTo(server))) return undefined;
    return { anthropic_api_key: key };
  }

  /** Why the stored key is not sent to this server, and what to do. Undefined if it may be, or there is none. */
  async explainWhyKeyIsNotSent(server: URL): Promise<string | undefined> {
    if (isSecureServer(server) || !(await this.hasKey())) return undefined;
    return `The API key is not sent to ${server.origin}, because the connection is not encrypted. Use an https address.`;
  }

  async hasKey(): Promise<boolean> {
    return ((await this.deps.secrets.get(secretName)) ?? '') !== '';
  }

  /** Stores the key. An empty key removes the stored one. */
  async setKey(key: string): Promise<void> {
    const trimmed = key.trim();
    if (trimmed === '') await this.deps.secrets.delete(secretName);
    else await this.deps.secrets.store(secretName, trimmed);
  }

  /** Removes the confirmations of all servers, so that the user must confirm each server again. */
  async forgetConfirmations(): Promise<void> {
    this.unsavedConfirmedOrigins.clear();
    await this.deps.state.update(confirmedName, undefined);
  }

  private async confirmSendingTo(server: URL): Promise<boolean> {
    if (isLoopback(server)) return true;
    if (!isSecureServer(server)) return false;
    const confirmed = Origins.parse(this.deps.state.get(confirmedName) ?? []);
    if (confirmed.includes(server.origin) || this.unsavedConfirmedOrigins.has(server.origin)) return true;
    if (!(await this.deps.confirm(server.origin))) return false;
    try {
      await this.deps.state.update(confirmedName, [...confirmed, server.origin]);
    } catch {
      // If the confirmation cannot be stored, it applies only to this window.
      this.unsavedConfirmedOrigins.add(server.origin);
    }
    return true;
  }
}
