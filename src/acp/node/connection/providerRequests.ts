import type { LlmProvider } from '../../common/agentBackend';
import type { ProviderChoice } from '../../common/providers/providerChoice';
import { LlmProviderList } from '../../common/providers/providerSchema';
import { parseAnswer, type SendRequest } from './protocolRequests';

/** The requests `providers/*` (a draft), which are the same in both versions of the protocol. */
export class ProviderRequests {
  constructor(private readonly send: SendRequest) {}

  /** @throws BackendError, the agent's error */
  async list(signal?: AbortSignal): Promise<readonly LlmProvider[]> {
    return parseAnswer(LlmProviderList, await this.send('providers/list', {}, signal), 'providers/list');
  }

  /** @throws the agent's error */
  async change(providerId: string, choice: ProviderChoice, signal?: AbortSignal): Promise<void> {
    if (choice.kind === 'disabled') {
      await this.send('providers/disable', { providerId }, signal);
      return;
    }
    const { apiType, baseUrl } = choice;
    const headers = Object.fromEntries(choice.headers.map(({ name, value }) => [name, value]));
    await this.send('providers/set', { providerId, apiType, baseUrl, headers }, signal);
  }
}
