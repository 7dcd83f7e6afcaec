import { oneLine } from '../../../base/common/text/oneLine';
import type { AuthKeyVariable, AuthMethod } from '../../../session/common/sessionBackend';

export interface SignInChoice {
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly method: AuthMethod;
  /** The key that the user enters for the method. */
  readonly key?: AuthKeyVariable;
}

const descriptions: Readonly<Record<AuthMethod['type'], string>> = {
  agent: 'the agent signs you in',
  terminal: 'in a terminal',
  key: 'kept in VS Code’s secret storage',
};

/** Returns the ways to sign in that the user can choose. Each key of a method is a separate choice. */
export function signInChoices(methods: readonly AuthMethod[]): readonly SignInChoice[] {
  return methods.flatMap((method): SignInChoice[] => {
    const { description: detail, keys = [], name, type } = method;
    const shared = { description: descriptions[type], ...(detail === undefined ? {} : { detail }), method };
    if (type !== 'key') return [{ ...shared, label: name }];
    return keys.map((key) => ({ ...shared, label: keys.length > 1 ? key.name : name, key }));
  });
}

const maxAccounts = 5;

/** Returns the prompt above the list of ways to sign in. */
export function signInPrompt(isSignedIn: boolean, accounts: readonly string[] = []): string {
  if (!isSignedIn) return 'Select how to sign in';
  const shown = accounts.slice(0, maxAccounts).map((name) => oneLine(name).slice(0, 100));
  const who = shown.length === 0 ? '' : ` as ${shown.join(', ')}${accounts.length > maxAccounts ? ', …' : ''}`;
  return `You are signed in${who}. Select a way to sign in again`;
}

/** Returns the message after a sign-in was checked. */
export function signedInMessage(agentTitle: string, type: AuthMethod['type'], isProven: boolean): string {
  // Most agents open a session with any key and check it only with the first prompt.
  if (type === 'key') return `${agentTitle} now uses your key. Send a prompt to check that it is valid.`;
  if (isProven) return `You are signed in to ${agentTitle}.`;
  return `You have signed in to ${agentTitle}. Send a prompt to check that it works.`;
}
