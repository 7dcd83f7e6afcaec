import { AgentSecretStore, type AgentSecretStoreDeps } from '../signIn/agentSecretStore';
import {
  choiceProblem,
  serializeChoices,
  isSameChoice,
  parseChoices,
  type ProviderChoice,
  type ProviderChoices,
} from './providerChoice';

/** What the user has chosen for the LLM providers of agents, with its headers in VS Code's secret storage. */
export class ProviderStore extends AgentSecretStore<ProviderChoices> {
  constructor(deps: AgentSecretStoreDeps) {
    super(deps, {
      prefix: 'backline.llmProviders ',
      mementoName: 'backline.agentsWithLlmProviders',
      title: 'LLM providers',
      empty: new Map(),
      parse: parseChoices,
      format: serializeChoices,
    });
  }

  /** @throws Error if there are choices that cannot be read, for example because the secret storage has lost them */
  async choicesOf(agentId: string): Promise<ProviderChoices> {
    const choices = await this.read(agentId);
    if (choices.size > 0 || !this.agentIds.includes(agentId)) return choices;
    throw new Error('The LLM providers that you have set for this agent are missing in VS Code’s secret storage.');
  }

  /**
   * Undefined removes the choice. Resolves to the earlier one.
   * @throws Error in a sentence if the choice cannot be stored
   */
  async set(
    agentId: string,
    providerId: string,
    choice: ProviderChoice | undefined,
  ): Promise<ProviderChoice | undefined> {
    const problem = choice && choiceProblem(choice);
    if (problem !== undefined) throw new Error(problem);
    let earlier: ProviderChoice | undefined;
    await this.change(agentId, (choices) => {
      earlier = choices.get(providerId);
      return withChoice(choices, providerId, choice);
    });
    return earlier;
  }

  /** Replaces a choice by the earlier one, unless another window has replaced it meanwhile. */
  async putBack(
    agentId: string,
    providerId: string,
    { earlier, mine }: { readonly mine: ProviderChoice; readonly earlier: ProviderChoice | undefined },
  ): Promise<void> {
    await this.change(agentId, (choices) =>
      isSameChoice(choices.get(providerId), mine) ? withChoice(choices, providerId, earlier) : choices,
    );
  }

  /** Copies the choices of an agent to another id, for an agent that gets another name. */
  async copy(fromId: string, toId: string): Promise<void> {
    const choices = await this.choicesOf(fromId);
    if (choices.size > 0) await this.change(toId, () => choices);
  }
}

function withChoice(choices: ProviderChoices, id: string, choice: ProviderChoice | undefined): ProviderChoices {
  const next = new Map(choices);
  if (choice) next.set(id, choice);
  else next.delete(id);
  return next;
}
