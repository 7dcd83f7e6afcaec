import { toVisibleText } from '../../../base/common/text/visibleText';
import type { LlmProvider } from '../agentBackend';
import { shownUrl } from '../remote/agentUrl';
import type { ProviderChoice, ProviderChoices } from './providerChoice';

/** An LLM provider of an agent, as the picker shows it. Texts of the agent have no hidden characters. */
export interface ProviderRow {
  readonly id: string;
  readonly name: string;
  /** Where requests go. */
  readonly description: string;
  readonly detail: string;
  /** Undefined if the agent does not list it, or could not be asked. */
  readonly provider: LlmProvider | undefined;
  readonly choice: ProviderChoice | undefined;
}

export type ProviderAction = 'setAddress' | 'disable' | 'reset';

/** All providers that the agent offers, then the user's other choices. */
export function providerRows(offered: readonly LlmProvider[], choices: ProviderChoices): readonly ProviderRow[] {
  const missing = [...choices.keys()].filter((id) => !offered.some((provider) => provider.id === id));
  return [
    ...offered.map((provider) => rowOf(provider.id, provider, choices.get(provider.id))),
    ...missing.map((id) => rowOf(id, undefined, choices.get(id))),
  ];
}

export function actionsOf({ choice, provider }: ProviderRow): readonly ProviderAction[] {
  const disable = provider && !provider.isRequired && provider.current ? (['disable'] as const) : [];
  return [...(provider ? (['setAddress'] as const) : []), ...disable, ...(choice ? (['reset'] as const) : [])];
}

const protocolNames: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'Anthropic'],
  ['openai', 'OpenAI'],
  ['azure', 'Azure OpenAI'],
  ['vertex', 'Google Vertex AI'],
  ['bedrock', 'Amazon Bedrock'],
]);

/** The name of an API protocol. An unknown one is shown as it is. */
export function protocolName(apiType: string): string {
  return protocolNames.get(apiType) ?? toVisibleText(apiType);
}

/** An address without its query, which may contain a key. */
export function shownAddress(baseUrl: string): string {
  return URL.canParse(baseUrl) ? toVisibleText(shownUrl(baseUrl)) : toVisibleText(baseUrl);
}

function rowOf(id: string, provider: LlmProvider | undefined, choice: ProviderChoice | undefined): ProviderRow {
  const current = provider ? provider.current : choice?.kind === 'address' ? choice : undefined;
  const description = current ? `${protocolName(current.apiType)}, ${shownAddress(current.baseUrl)}` : 'disabled';
  const details = [
    choiceText(choice),
    ...(provider?.isRequired ? ['Required by the agent'] : []),
    ...(provider ? [] : ['Not offered by the agent now']),
  ];
  return { id, name: toVisibleText(id), description, detail: details.join('. '), provider, choice };
}

function choiceText(choice: ProviderChoice | undefined): string {
  if (!choice) return 'The agent’s own setting';
  if (choice.kind === 'disabled') return 'Disabled by you';
  const { length } = choice.headers;
  return length === 0 ? 'Set by you' : `Set by you, with ${length === 1 ? '1 header' : `${length} headers`}`;
}
