import * as z from 'zod';
import { KeyedQueue } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';

/** The part of VS Code's `SecretStorage` that is used here. */
interface AgentSecretStorage {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  /** Fires in every window. */
  onDidChange(listener: (change: { readonly key: string }) => void): Disposable;
}

export interface AgentSecretStoreDeps {
  readonly secrets: AgentSecretStorage;
  /** Remembers which agents have a secret, never the secret. */
  readonly memento: Memento;
  readonly log: Logger;
}

/** What is stored for each agent. */
interface SecretFormat<Value> {
  /** The start of the names in the secret storage. */
  readonly prefix: string;
  /** The name of the list of agents in the memento. */
  readonly mementoName: string;
  /** What the secrets are called in messages, in the plural. */
  readonly title: string;
  readonly empty: Value;
  /** @throws Error if the text must not be ignored although it is damaged */
  readonly parse: (text: string) => Value;
  /** Undefined if nothing has to be stored. */
  readonly format: (value: Value) => string | undefined;
}

const Ids = z.array(z.string()).catch([]);

/** One secret for each agent in VS Code's secret storage. Subclasses decide what is in it. */
export abstract class AgentSecretStore<Value> implements Disposable {
  private readonly emitter = new Emitter<string>((error) =>
    this.deps.log.error(`A listener of the ${this.secretKind.title} of agents failed`, error),
  );
  /** Fires with the id of an agent whose secret has changed, also in another window. */
  readonly onDidChange = this.emitter.event;
  private readonly queue = new KeyedQueue();
  private subscription: Disposable | undefined;

  protected constructor(
    private readonly deps: AgentSecretStoreDeps,
    private readonly secretKind: SecretFormat<Value>,
  ) {}

  start(): void {
    const { prefix } = this.secretKind;
    this.subscription ??= this.deps.secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.emitter.fire(key.slice(prefix.length));
    });
  }

  /** The agents that have a secret, according to this window. */
  get agentIds(): readonly string[] {
    return Ids.parse(this.deps.memento.get(this.secretKind.mementoName) ?? []);
  }

  /** @throws Error if something is stored that cannot be read */
  protected async read(agentId: string): Promise<Value> {
    return this.parse(await this.readText(agentId));
  }

  /** Replaces what is stored. `next` gets what is stored now. @throws Error of `next` */
  protected async change(agentId: string, next: (value: Value) => Value): Promise<void> {
    await this.queue.run(agentId, async () => {
      const text = await this.deps.secrets.get(this.secretKind.prefix + agentId);
      await this.write(agentId, this.secretKind.format(next(this.parse(text))));
    });
  }

  async deleteAll(agentId: string): Promise<void> {
    await this.queue.run(agentId, () => this.write(agentId, undefined));
  }

  dispose(): void {
    this.subscription?.dispose();
    this.emitter.dispose();
  }

  private async readText(agentId: string): Promise<string | undefined> {
    const { prefix, title } = this.secretKind;
    try {
      return await this.deps.secrets.get(prefix + agentId);
    } catch (error) {
      if (!this.agentIds.includes(agentId)) {
        this.deps.log.warn(`The secret storage of VS Code could not be read. No ${title} are stored for this agent.`);
        return undefined;
      }
      throw new Error(`The ${title} of this agent could not be read from VS Code’s secret storage.`, { cause: error });
    }
  }

  private parse(text: string | undefined): Value {
    return text === undefined ? this.secretKind.empty : this.secretKind.parse(text);
  }

  /**
   * Updates the list first. The secret storage notifies other windows, which then already see the new list. If the secret
   * storage fails, the old list is restored.
   */
  private async write(agentId: string, text: string | undefined): Promise<void> {
    const { secrets } = this.deps;
    const name = this.secretKind.prefix + agentId;
    const wasListed = this.agentIds.includes(agentId);
    await this.setListed(agentId, text !== undefined);
    try {
      await (text === undefined ? secrets.delete(name) : secrets.store(name, text));
    } catch (error) {
      await this.setListed(agentId, wasListed);
      throw error;
    }
  }

  private async setListed(agentId: string, isListed: boolean): Promise<void> {
    const others = this.agentIds.filter((id) => id !== agentId);
    await this.deps.memento.update(this.secretKind.mementoName, isListed ? [...others, agentId] : others);
  }
}
