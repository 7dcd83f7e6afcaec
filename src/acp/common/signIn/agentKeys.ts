import type { AuthKeyVariable } from '../../../session/common/sessionBackend';

export interface AgentKeyUse {
  readonly keys: readonly AuthKeyVariable[];
  /** The agent's own sign-in method that takes the key from the variable. Some agents ignore the key without it. */
  readonly methodId?: string;
  /**
   * The request that the agent refuses if the user is not signed in. An agent that opens any session refuses the
   * prompt.
   */
  readonly refuses: 'session' | 'prompt';
}

const anthropic: AuthKeyVariable = {
  variable: 'ANTHROPIC_API_KEY',
  name: 'Anthropic API Key',
  page: 'https://console.anthropic.com/settings/keys',
};
const openAiPage = 'https://platform.openai.com/api-keys';
const openAi: AuthKeyVariable = { variable: 'OPENAI_API_KEY', name: 'OpenAI API Key', page: openAiPage };
const geminiPage = 'https://aistudio.google.com/apikey';

/**
 * The keys of known agents, by the agent's id, taken from its source code, help or documentation. Agents that are
 * missing here sign in by other ways only, or could not be checked.
 */
const keysByAgent: Readonly<Record<string, AgentKeyUse>> = {
  claude: { keys: [anthropic], refuses: 'prompt' },
  codex: {
    keys: [{ variable: 'CODEX_API_KEY', name: 'OpenAI API Key', page: openAiPage }],
    methodId: 'api-key',
    refuses: 'session',
  },
  gemini: {
    keys: [{ variable: 'GEMINI_API_KEY', name: 'Gemini API Key', page: geminiPage }],
    methodId: 'gemini-api-key',
    refuses: 'session',
  },
  qwen: { keys: [openAi], methodId: 'openai', refuses: 'session' },
  opencode: {
    keys: [
      { variable: 'OPENCODE_API_KEY', name: 'OpenCode Zen API Key', page: 'https://opencode.ai/auth' },
      anthropic,
      openAi,
      { variable: 'GOOGLE_GENERATIVE_AI_API_KEY', name: 'Gemini API Key', page: geminiPage },
      { variable: 'OPENROUTER_API_KEY', name: 'OpenRouter API Key', page: 'https://openrouter.ai/keys' },
    ],
    refuses: 'prompt',
  },
  copilot: {
    keys: [
      {
        variable: 'COPILOT_GITHUB_TOKEN',
        name: 'GitHub Token',
        page: 'https://github.com/settings/personal-access-tokens/new',
        advice: 'Use a fine-grained personal access token with the permission "Copilot Requests".',
      },
    ],
    refuses: 'session',
  },
  cursor: {
    keys: [{ variable: 'CURSOR_API_KEY', name: 'Cursor API Key', page: 'https://cursor.com/dashboard/integrations' }],
    refuses: 'prompt',
  },
  vibe: {
    keys: [{ variable: 'MISTRAL_API_KEY', name: 'Mistral API Key', page: 'https://console.mistral.ai/codestral/cli' }],
    refuses: 'prompt',
  },
  'amp-acp': {
    keys: [{ variable: 'AMP_API_KEY', name: 'Amp API Key', page: 'https://ampcode.com/settings' }],
    refuses: 'prompt',
  },
  auggie: {
    keys: [
      {
        variable: 'AUGMENT_SESSION_AUTH',
        name: 'Augment Session',
        page: 'https://docs.augmentcode.com/cli/setup-auggie/authentication',
        advice: 'Run "auggie token print" in a terminal and enter the JSON that it prints as one line.',
      },
    ],
    refuses: 'prompt',
  },
};

const noKeys: AgentKeyUse = { keys: [], refuses: 'session' };

/** `knownId` is the id of a known agent. Empty for other agents. */
export function keyUseOfKnownAgent(knownId: string | undefined): AgentKeyUse {
  return knownId !== undefined && Object.hasOwn(keysByAgent, knownId) ? (keysByAgent[knownId] ?? noKeys) : noKeys;
}

const variablePattern = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
/** Variables that decide which programs run or how. A key is never stored for them. */
const controlPattern =
  /^(PATH|PATHEXT|HOME|SHELL|IFS|ENV|BASH_ENV|NODE_.*|LD_.*|DYLD_.*|ELECTRON_.*|VSCODE_.*|GIT_.*|PYTHON.*|BACKLINE_.*)$/i;
/** Minimum length of a key. Shorter texts occur in ordinary words, so they could not be redacted. */
const minKeyLength = 8;
const maxKeyLength = 16_384;

/** Whether a secret can be stored for the variable. */
export function isKeyVariable(variable: string): boolean {
  return variablePattern.test(variable) && !controlPattern.test(variable);
}

/** Returns why a key cannot be stored, as a sentence. Undefined if it can be stored. */
export function keyProblem(key: string): string | undefined {
  const { length } = key.trim();
  if (length === 0) return 'Enter the key.';
  if (length < minKeyLength) return `A key has at least ${minKeyLength} characters.`;
  if (length > maxKeyLength) return `A key has at most ${maxKeyLength} characters.`;
  return /\p{Cc}/u.test(key.trim()) ? 'The key contains a line break or another control character.' : undefined;
}
