import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { AgentSecretStore, type AgentSecretStoreDeps } from '../signIn/agentSecretStore';

type InputValues = Readonly<Record<string, string>>;

const Values = z.record(z.string(), z.string()).catch({});

/**
 * The user's answers to the inputs of MCP servers, by the file that defines them. All of them are in secret storage, since
 * an input that does not say so may still be a secret.
 */
export class McpInputStore extends AgentSecretStore<InputValues> {
  constructor(deps: AgentSecretStoreDeps) {
    super(deps, {
      prefix: 'backline.mcpInputs ',
      mementoName: 'backline.filesWithMcpInputs',
      title: 'inputs of MCP servers',
      empty: {},
      parse: (text) => Values.parse(parseJson(text)),
      format: (values) => (Object.keys(values).length === 0 ? undefined : JSON.stringify(values)),
    });
  }

  /** `key` names the input in this file. @throws Error if the secret storage cannot be read */
  async get(file: string, key: string): Promise<string | undefined> {
    return (await this.read(file))[key];
  }

  async set(file: string, key: string, value: string): Promise<void> {
    await this.change(file, (values) => ({ ...values, [key]: value }));
  }

  async deleteEverything(): Promise<void> {
    for (const file of this.agentIds) await this.deleteAll(file);
  }
}
