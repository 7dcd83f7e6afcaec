/** The texts of the boxes that ask for a key of an agent. */
interface KeyTexts {
  /** Where the key is kept and how the agent receives it. */
  readonly keyPrompt: (agentTitle: string, name: string) => string;
  readonly namePrompt: string;
  readonly namePlaceholder: string;
  readonly invalidName: string;
  /** The item of a list with which the user enters another name. */
  readonly otherName: { readonly label: string; readonly description: string };
}

const variableTexts: KeyTexts = {
  keyPrompt: (agentTitle, name) =>
    `It is kept in VS Code’s secret storage and passed only to ${agentTitle}, in the environment variable ${name}.`,
  namePrompt: 'The environment variable from which the agent reads its key. See the agent’s documentation.',
  namePlaceholder: 'EXAMPLE_API_KEY',
  invalidName: 'No key can be stored for this variable.',
  otherName: { label: 'Other Variable…', description: 'Enter the name of the variable' },
};

const headerTexts: KeyTexts = {
  keyPrompt: (agentTitle, name) =>
    `It is kept in VS Code’s secret storage and sent only to ${agentTitle}, in the headers with \${secret:${name}}.`,
  namePrompt: 'The name of the secret. The headers of the agent refer to it as ${secret:NAME}.',
  namePlaceholder: 'TOKEN',
  invalidName: 'This name can’t be used for a secret.',
  otherName: { label: 'Other Secret…', description: 'Enter the name of the secret' },
};

/** Returns the texts for an agent. An agent with a URL gets keys in HTTP headers, all others in environment variables. */
export function keyTexts(hasUrl: boolean): KeyTexts {
  return hasUrl ? headerTexts : variableTexts;
}
