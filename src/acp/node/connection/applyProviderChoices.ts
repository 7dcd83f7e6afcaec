import { RequestError } from '@agentclientprotocol/sdk';
import { toVisibleText } from '../../../base/common/text/visibleText';
import { BackendError, isBackendError } from '../../../session/common/sessionBackend';
import type { LlmProvider } from '../../common/agentBackend';
import type { ProviderChoice, ProviderChoices } from '../../common/providers/providerChoice';
import { sentenceOfAgentError } from '../../common/session/agentErrorText';
import type { AgentClient } from './agentClient';
import { isAuthRequired, toBackendError } from './agentErrors';

/**
 * Tells an agent, before its first session, what the user has chosen for its LLM providers. If the agent does not take
 * it, no session may be opened, because prompts would go elsewhere than the user has decided. @throws BackendError
 */
export async function applyProviderChoices(
  { abilities, providers }: Pick<AgentClient, 'abilities' | 'providers'>,
  choices: ProviderChoices,
  agentTitle: string,
  signal: AbortSignal,
): Promise<void> {
  if (choices.size === 0) return;
  if (!abilities.providers) throw notUsedError(agentTitle, 'it no longer lets other programs choose its LLM providers');
  const offered = await providers.list(signal).catch((error: unknown) => {
    throw failedError(agentTitle, 'it could not list its LLM providers', error);
  });
  for (const [id, choice] of choices) {
    const obstacle = obstacleOf(
      choice,
      offered.find((provider) => provider.id === id),
    );
    if (obstacle !== undefined) throw notUsedError(agentTitle, `its LLM provider "${toVisibleText(id)}" ${obstacle}`);
    await providers.change(id, choice, signal).catch((error: unknown) => {
      const what =
        choice.kind === 'disabled' ? 'could not be disabled' : 'did not accept the address that you have set';
      throw failedError(agentTitle, `its LLM provider "${toVisibleText(id)}" ${what}`, error);
    });
  }
}

/** Returns why a choice cannot be sent to the agent, as the end of a sentence. */
function obstacleOf(choice: ProviderChoice, provider: LlmProvider | undefined): string | undefined {
  if (!provider) return 'is no longer there';
  if (choice.kind === 'disabled') return provider.isRequired ? 'can no longer be disabled' : undefined;
  if (provider.supported.length === 0 || provider.supported.includes(choice.apiType)) return undefined;
  return `no longer supports the protocol "${toVisibleText(choice.apiType)}"`;
}

const changeAdvice = 'Change that with "Backline: Manage LLM Providers…".';
/** A sign-in opens a session to check it, which must not happen before the choices are applied. */
const signInAdvice =
  'Remove what you have set with "Backline: Manage LLM Providers…", sign in with "Backline: Sign In…", then set it again.';

function notUsedError(agentTitle: string, reason: string, failure?: Failure): BackendError {
  const { advice = changeAdvice, cause, details } = failure ?? {};
  return new BackendError('notReady', `${agentTitle} was not started, because ${reason}. ${advice}`, details, {
    cause,
  });
}

interface Failure {
  readonly advice: string;
  readonly details: string | undefined;
  readonly cause: unknown;
}

function failedError(agentTitle: string, reason: string, error: unknown): unknown {
  // An agent that has ended or was stopped is described by how it ended.
  if (!(error instanceof RequestError) && !isBackendError(error)) return error;
  const { code, details, message } = toBackendError(error, agentTitle);
  if (code === 'closed' || code === 'cancelled') return error;
  const words = error instanceof RequestError ? sentenceOfAgentError(agentTitle, error) : message;
  const advice = isAuthRequired(error) ? signInAdvice : changeAdvice;
  return notUsedError(agentTitle, `${reason} (${words.replace(/\.$/, '')})`, { advice, details, cause: error });
}
