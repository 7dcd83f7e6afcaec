import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { isKeyVariable, keyProblem } from './agentKeys';
import { AgentSecretStore, type AgentSecretStoreDeps } from './agentSecretStore';

type AgentKeys = Readonly<Record<string, string>>;

const maxKeysPerAgent = 20;
const Keys = z.record(z.string(), z.string()).catch({});

/** The keys of agents by their variables, kept in secret storage: one secret per agent, so that all keys are removed at once. */
export class AgentKeyStore extends AgentSecretStore<AgentKeys> {
  constructor(deps: AgentSecretStoreDeps) {
    super(deps, {
      prefix: 'backline.agentKeys ',
      mementoName: 'backline.agentsWithKeys',
      title: 'keys',
      empty: {},
      parse: parseKeys,
      format: (keys) => (Object.keys(keys).length === 0 ? undefined : JSON.stringify(keys)),
    });
  }

  /**
   * Returns the keys for the environment of the agent's process.
   * @throws Error if keys are stored that cannot be read
   */
  async keysOf(agentId: string): Promise<AgentKeys> {
    return await this.read(agentId);
  }

  async variablesOf(agentId: string): Promise<readonly string[]> {
    return Object.keys(await this.keysOf(agentId));
  }

  /** Replaces a stored key. @throws Error with a sentence for the user if the variable or the key is not allowed */
  async set(agentId: string, variable: string, key: string): Promise<void> {
    if (!isKeyVariable(variable)) throw new Error(`No key can be stored for the variable "${variable}".`);
    const problem = keyProblem(key);
    if (problem !== undefined) throw new Error(problem);
    await this.change(agentId, (keys) => {
      const next = { ...keys, [variable]: key.trim() };
      if (Object.keys(next).length <= maxKeysPerAgent) return next;
      throw new Error(`At most ${maxKeysPerAgent} keys can be stored for an agent.`);
    });
  }

  async delete(agentId: string, variable: string): Promise<void> {
    await this.change(agentId, (keys) =>
      Object.fromEntries(Object.entries(keys).filter(([name]) => name !== variable)),
    );
  }
}

/** A damaged key is ignored: the agent then asks for it. */
function parseKeys(text: string): AgentKeys {
  const keys = Keys.parse(parseJson(text));
  return Object.fromEntries(Object.entries(keys).filter(([variable]) => isKeyVariable(variable)));
}
