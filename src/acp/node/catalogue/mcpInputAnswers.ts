import { KeyedQueue } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import { hashJson } from '../../../consent/node/contentHash';
import type { McpInput } from '../../common/catalogue/mcpInputs';
import type { McpInputStore } from '../../common/catalogue/mcpInputStore';

interface McpInputAnswersDeps {
  readonly store: Pick<McpInputStore, 'get' | 'set' | 'deleteEverything'>;
  /** Asks the user. Resolves to undefined if the question is closed. */
  readonly ask: (input: McpInput, file: string) => Promise<string | undefined>;
  readonly log: Pick<Logger, 'error'>;
}

/** What the user has entered for `${input:…}`. Asks one question at a time, once for each input. */
export class McpInputAnswers {
  private readonly queue = new KeyedQueue();
  private readonly closedKeys = new Set<string>();

  constructor(private readonly deps: McpInputAnswersDeps) {}

  /**
   * Undefined if the user has closed the question, and then this window does not ask again before `forget`, or if the secret
   * storage fails. An input whose definition changes is asked for again. Never rejects.
   */
  async valueOf(input: McpInput, file: string): Promise<string | undefined> {
    return await this.read(input, file).catch((error: unknown) => {
      this.deps.log.error('The input of an MCP server could not be read or stored', error);
      return undefined;
    });
  }

  /** Forgets all answers and closed questions. @throws Error if the secret storage fails */
  async forget(): Promise<void> {
    this.closedKeys.clear();
    await this.deps.store.deleteEverything();
  }

  private async read(input: McpInput, file: string): Promise<string | undefined> {
    const { ask, store } = this.deps;
    const key = hashJson(input);
    const closedKey = JSON.stringify([file, key]);
    return await this.queue.run('question', async () => {
      const known = await store.get(file, key);
      if (known !== undefined || this.closedKeys.has(closedKey)) return known;
      const answer = await ask(input, file);
      if (answer === undefined) this.closedKeys.add(closedKey);
      else await store.set(file, key, answer);
      return answer;
    });
  }
}
