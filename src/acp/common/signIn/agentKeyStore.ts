import * as z from 'zod';
import { KeyedQueue } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import { parseJson } from '../../../base/common/parseJson';
import { isKeyVariable, keyProblem } from './agentKeys';

/** The part of VS Code's `SecretStorage` that is used here. */
export interface AgentSecretStorage {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  /** Fires in every window. */
  onDidChange(listener: (change: { readonly key: string }) => void): Disposable;
}

interface AgentKeyStoreDeps {
  readonly secrets: AgentSecretStorage;
  /** Remembers which agents have keys, never the keys. */
  readonly memento: Memento;
  readonly log: Logger;
}

type AgentKeys = Readonly<Record<string, string>>;

const prefix = 'backline.agentKeys ';
const mementoName = 'backline.agentsWithKeys';
const maxKeysPerAgent = 20;
const Keys = z.record(z.string(), z.string()).catch({});
const Ids = z.array(z.string()).catch([]);

/** The keys of agents by their variables, kept in secret storage: one secret per agent, so that all keys are removed at once. */
export class AgentKeyStore implements Disposable {
  private readonly emitter = new Emitter<string>((error) =>
    this.options.log.error('A listener of the agents’ keys failed', error),
  );
  /** Fires with the id of an agent whose keys have changed, also in another window. */
  readonly onDidChange = this.emitter.event;
  private readonly queue = new KeyedQueue();
  private subscription: Disposable | undefined;

  constructor(private readonly options: AgentKeyStoreDeps) {}

  start(): void {
    this.subscription ??= this.options.secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.emitter.fire(key.slice(prefix.length));
    });
  }

  /** The agents that have keys, according to this window. */
  get agentIds(): readonly string[] {
    return Ids.parse(this.options.memento.get(mementoName) ?? []);
  }

  /**
   * Returns the keys for the environment of the agent's process.
   * @throws Error if keys are stored that cannot be read
   */
  async keysOf(agentId: string): Promise<AgentKeys> {
    try {
      return await this.read(agentId);
    } catch (error) {
      if (!this.agentIds.includes(agentId)) {
        this.options.log.warn('The secret storage of VS Code could not be read. No key is stored for this agent.');
        return {};
      }
      throw new Error('The key for this agent could not be read from VS Code’s secret storage.', { cause: error });
    }
  }

  async variablesOf(agentId: string): Promise<readonly string[]> {
    return Object.keys(await this.keysOf(agentId));
  }

  /** Replaces a stored key. @throws Error with a sentence for the user if the variable or the key is not allowed */
  async set(agentId: string, variable: string, key: string): Promise<void> {
    if (!isKeyVariable(variable)) throw new Error(`No key can be stored for the variable "${variable}".`);
    const problem = keyProblem(key);
    if (problem !== undefined) throw new Error(problem);
    await this.change(agentId, (keys) => ({ ...keys, [variable]: key.trim() }));
  }

  async delete(agentId: string, variable: string): Promise<void> {
    await this.change(agentId, (keys) =>
      Object.fromEntries(Object.entries(keys).filter(([name]) => name !== variable)),
    );
  }

  async deleteAll(agentId: string): Promise<void> {
    await this.change(agentId, () => ({}));
  }

  dispose(): void {
    this.subscription?.dispose();
    this.emitter.dispose();
  }

  private async read(agentId: string): Promise<AgentKeys> {
    const text = await this.options.secrets.get(prefix + agentId);
    const keys = Keys.parse(parseJson(text ?? '{}'));
    return Object.fromEntries(Object.entries(keys).filter(([variable]) => isKeyVariable(variable)));
  }

  private async change(agentId: string, next: (keys: AgentKeys) => AgentKeys): Promise<void> {
    const { memento, secrets } = this.options;
    await this.queue.run(agentId, async () => {
      const keys = next(await this.read(agentId));
      const count = Object.keys(keys).length;
      if (count > maxKeysPerAgent) throw new Error(`At most ${maxKeysPerAgent} keys can be stored for an agent.`);
      const others = this.agentIds.filter((id) => id !== agentId);
      if (count > 0) {
        await memento.update(mementoName, [...others, agentId]);
        await secrets.store(prefix + agentId, JSON.stringify(keys));
      } else {
        await secrets.delete(prefix + agentId);
        await memento.update(mementoName, others);
      }
    });
  }
}
